package stdwithouteps

import (
	"slices"
	"sync"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Rewards of a group and the returns of an episode are often all equal. Other data seldom is.

// features are quantities of which a whole batch is not equal unless its inputs are.
const features = domain.Raw | domain.Logits | domain.Action | domain.Observation | domain.Noise

// idle reports whether no training would see equal values: features, a data set that an object
// is made with, and what is only shown to people.
func idle(p *reader, v, den, x *infer.Val) bool {
	if x.Is(features) && x.Q.Evidence != domain.NameOnly && !p.rewarded()[x] && !weighs(p.Pass, v) {
		return true
	}
	if v.Frame.Func != nil && v.Frame.Func.Name() == "__init__" && whole(den) {
		return true
	}
	return p.OnlyShown(v)
}

// fed are the quotients that networks take as inputs, in one of the contexts at least.
func fed(p *reader, candidates []candidate) map[ast.Node]bool {
	out := map[ast.Node]bool{}
	for _, c := range candidates {
		if !c.of.Is(query.Scored) && p.Roles.Feeds(c.quotient) && !p.rewarded()[c.of] && !weighs(p.Pass, c.quotient) {
			out[c.quotient.Node] = true
		}
	}
	return out
}

// reader is the pass with what was made of what.
type reader struct {
	*pass.Pass
	// rewarded are the values that were made of rewards, by their name at least: advantages, though the
	// critic's part in them looks like features.
	rewarded func() map[*infer.Val]bool
	// estimated are those that were made of a critic's estimates: they, or what a network yields, went into them.
	estimated func() map[*infer.Val]bool
	// errors are those that were made of the errors of temporal differences, in whatever way these were summed up.
	errors func() map[*infer.Val]bool
}

func newReader(p *pass.Pass) *reader {
	return &reader{
		Pass: p,
		rewarded: sync.OnceValue(func() map[*infer.Val]bool {
			return p.MadeOf(func(v *infer.Val) bool { return v.Is(domain.Reward) }, func(*infer.Val) bool { return false })
		}),
		errors: sync.OnceValue(func() map[*infer.Val]bool {
			return p.MadeOf(func(v *infer.Val) bool { return isDelta(p, v) }, func(*infer.Val) bool { return false })
		}),
		estimated: sync.OnceValue(func() map[*infer.Val]bool {
			return p.MadeOf(func(v *infer.Val) bool { return v.Is(estimates | domain.Raw) }, func(v *infer.Val) bool {
				return v.Is(domain.Reward|domain.Action|domain.Observation) || p.IsOpaque(v) // not on to what the policy chose
			})
		}),
	}
}

// far bounds the way from a quotient to the objective that it weighs.
const far = 32

// weighs reports whether v weighs the actions of a policy's objective: it is an advantage,
// whatever it was made of, and no feature.
func weighs(p *pass.Pass, v *infer.Val) bool {
	return timesPolicy(p, v, 8) || slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool {
		return slices.ContainsFunc(l.Terms, func(t roles.Term) bool {
			return t.Surrogate != nil && slices.ContainsFunc(t.Surrogate.Others, func(w query.Seen) bool { return infer.Reaches(v, w.Val, far) })
		})
	})
}

// timesPolicy reports whether v, or a view of it, is multiplied with log-probabilities or ratios.
func timesPolicy(p *pass.Pass, v *infer.Val, depth int) bool {
	return depth > 0 && slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool {
		if u.IsOp("mul") {
			return slices.ContainsFunc(u.In, func(x *infer.Val) bool { return x != v && x.Is(domain.LogProb|domain.Ratio|domain.LogRatio) })
		}
		return (infer.Through(u) == v || u.IsOp("neg", infer.OpItem)) && timesPolicy(p, u, depth-1)
	})
}

// severity is a warning for a spread over a whole batch, for what only a name says to be an advantage, and for what nothing says to be
// rewards. It is a note where a learned critic had a part in them, which then are never all equal, and where nothing says that a whole
// batch is of rewards. That of the page is left for groups
// and columns: the rewards of a few answers to one prompt often are all equal.
func severity(p *reader, v, den, x *infer.Val) finding.Severity {
	plain := !scores(p, v, x)
	switch {
	case plain && whole(den):
		return finding.Note
	case whole(den) && ofCritic(p, x) && (p.errors()[x] || x.Is(domain.Advantage|estimates) && (x.Q.Evidence != domain.NameOnly || p.estimated()[x])):
		return finding.Note
	case plain, whole(den):
		return finding.Warning
	}
	return ""
}

// scores reports whether anything says that a quotient v of x is of rewards, or of what is made of them.
func scores(p *reader, v, x *infer.Val) bool {
	return x.Is(query.Scored) || p.rewarded()[x] || query.Names(v.Node, query.Scored) || weighs(p.Pass, v)
}

// isDelta reports whether v is the error of a temporal difference, r + gamma * v[1:] - v[:-1]: whatever else is known of it, an array
// that is discounted and taken off itself one step earlier holds a critic's estimates. So does what a loop takes off, and carries on to the next round.
func isDelta(p *pass.Pass, v *infer.Val) bool {
	if !v.IsOp("sub") {
		return false
	}
	terms := query.TermsOf(p.See(v), 1)
	return len(terms) > 2 && slices.ContainsFunc(terms, func(off query.Term) bool {
		return off.Sign < 0 && slices.ContainsFunc(terms, func(next query.Term) bool {
			list := query.FactorsOf(next.Seen).List
			return next.Sign > 0 && len(list) > 1 && slices.ContainsFunc(list, func(x query.Seen) bool { return arePartsOfOne(x, off.Seen) || carries(x, off.Seen) })
		})
	})
}

// carries reports whether x is what a loop kept of one round for the next one, and that is v.
func carries(x, v query.Seen) bool {
	x, v = x.Strip(), v.Strip()
	return x.Known() && v.Known() && x.Op == infer.OpPhi && slices.ContainsFunc(x.In, func(in *infer.Val) bool {
		in = infer.Strip(in)
		return in != nil && (in.Node == v.Node && in.Frame == v.Frame || arePartsOfOne(x.Of(in), v))
	})
}

// arePartsOfOne reports whether two values are different parts of one array.
func arePartsOfOne(a, b query.Seen) bool {
	return a.Known() && b.Known() && a.IsOp(infer.OpItem) && b.IsOp(infer.OpItem) && a.Val != b.Val && len(a.In) > 0 && len(b.In) > 0 && infer.SameSource(a.In[0], b.In[0])
}

// whole reports whether a spread is that of everything, not of groups or columns.
func whole(den *infer.Val) bool {
	spread := infer.Strip(den)
	if spread == nil || len(spread.In) == 0 {
		return false
	}
	return query.IsOfAll(spread)
}

// estimates are what a critic yields, and what is made of it.
const estimates = domain.StateValue | domain.QValue | domain.TDError

// ofCritic reports whether x is made of a critic's estimates: they, or what a network yields, went into it, or it is an
// advantage in a program that fits a critic.
func ofCritic(p *reader, x *infer.Val) bool {
	if p.estimated()[x] || p.errors()[x] {
		return true
	}
	if !x.Is(domain.Advantage) {
		return false
	}
	return slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool {
		return slices.ContainsFunc(l.Terms, func(t roles.Term) bool { return t.Kind == roles.ValueTerm })
	})
}
