package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// How programs write a KL divergence, d being a difference of log-probabilities:
//
//	kl_divergence(p, q), F.kl_div(...)     by the library
//	exp(d) - d - 1                         k3
//	d**2 / 2, abs(d)                       k2, and a kin of it
//	d                                      k1
//
// The first three are not negative, so their sign in a loss tells whether it is
// a penalty. k1 is either sign on each sample, and only its order tells.

// IsDivergence reports whether s is a KL that is not negative by its form. A name
// is no form; k3 is one whatever is known of d, since exp(d) - d - 1 has no other use.
func (s Seen) IsDivergence() bool {
	s = s.Strip()
	switch {
	case s.IsK3():
		return true
	case s.Known() && s.IsNegation():
		return false
	case s.Known() && s.IsOp("abs") && len(s.In) > 0:
		d := s.Input(0)
		if !d.Known() {
			return false
		}
		named := d.Q.Evidence == domain.NameOnly && !s.g.Becomes(d.Strip().Val, "exp") // of whose exponential a ratio is made
		return d.Is(domain.LogRatio) && !named && d.IsLogRatio()
	case !s.Is(domain.KL) || s.Q.Evidence == domain.NameOnly || s.Q.Evidence == domain.EvidenceBottom:
		return false
	case s.IsOp("kl_div", "kl_divergence", "square"), s.IsOp("pow") && len(s.In) > 1:
		return true
	case s.IsOp("sub") && len(s.In) > 1: // exp(d) - d, with or without the 1
		return true
	case s.IsOp("mul") && len(s.In) > 1:
		return s.Input(0).Same(s.Input(1))
	}
	return false
}

// IsK3 reports whether s is exp(d) - d - 1, the 1 aside, for a d that stands in it
// twice.
func (s Seen) IsK3() bool {
	if !s.Known() || !s.IsOp("add", "sub") {
		return false
	}
	if s.in.up != nil || s.in.frame != s.Frame {
		return s.isK3()
	}
	return s.g.k3.get(s.Val, s.isK3) // each term of a sum is asked for each loss that it is in
}

// IsMixedK3 reports whether s is exp(-d) - d - 1 for a log-ratio d: k3 with its two parts turned in opposite ways, which is no divergence.
func (s Seen) IsMixedK3() bool {
	terms := TermsOf(s, 1)
	minusOne := slices.ContainsFunc(terms, func(t Term) bool { x, ok := t.Float(); return ok && x*float64(t.Sign) == -1 })
	d, rest := exponentAndRest(terms)
	// One network's log-probabilities may look like another's, or be another's by mistake: the turned part has to hold the very values, and d
	// two of them.
	is := func(a, b Seen) bool { return a.Val == b.Val }
	sides := TermsOf(d, 1)
	apart := len(sides) == 2 && sides[0].Val != sides[1].Val
	return minusOne && apart && d.IsLogRatio() && sameTerms(rest, sides, is)
}

func (s Seen) isK3() bool {
	d, rest := exponentAndRest(TermsOf(s, 1))
	return d.Known() && sameTerms(rest, TermsOf(d, -1), Seen.Same)
}

// exponentAndRest are d of the first exp(d) among some terms, and the others that are no numbers.
func exponentAndRest(terms []Term) (d Seen, rest []Term) {
	for _, t := range terms {
		x := t.Strip()
		switch _, constant := t.Float(); {
		case constant:
		case t.Sign > 0 && !d.Known() && x.Known() && x.IsOp("exp", "expm1") && len(x.In) > 0:
			d = x.Input(0)
		default:
			rest = append(rest, t)
		}
	}
	return d, rest
}

// sameTerms reports whether two sums are one, and not empty.
func sameTerms(list, want []Term, same func(a, b Seen) bool) bool {
	for _, t := range list {
		i := slices.IndexFunc(want, func(w Term) bool { return w.Sign == t.Sign && same(w.Seen, t.Seen) })
		if i < 0 {
			return false
		}
		want = slices.Delete(want, i, i+1)
	}
	return len(list) > 0 && len(want) == 0
}

// LogRatioWithin is the difference of which s is a divergence: d of exp(d) - d - 1, of its square
// and of d itself; no value for other values.
func (s Seen) LogRatioWithin() Seen {
	x := s.Strip()
	switch {
	case !x.Known():
	case x.IsK3():
		for _, t := range TermsOf(x, 1) {
			if e := t.Strip(); e.Known() && e.IsOp("exp", "expm1") && len(e.In) > 0 {
				return e.Input(0)
			}
		}
	case x.IsOp("square", "pow") && len(x.In) > 0:
		return x.Input(0).Difference()
	default:
		return x.Difference()
	}
	return Seen{}
}

// LogRatio is a difference of two log-probabilities of the same actions.
type LogRatio struct {
	At          Seen
	Plus, Minus Seen
}

// LogRatioOf reads s as a difference of two log-probabilities.
func LogRatioOf(s Seen) (LogRatio, bool) {
	x := s.Strip()
	if !x.Known() || !x.Is(domain.LogRatio) || x.Q.Evidence == domain.NameOnly {
		return LogRatio{}, false
	}
	terms := TermsOf(x, 1)
	if len(terms) != 2 || terms[0].Sign == terms[1].Sign || !terms[0].Is(domain.LogProb) || !terms[1].Is(domain.LogProb) {
		return LogRatio{}, false
	}
	if terms[0].Sign < 0 {
		terms[0], terms[1] = terms[1], terms[0]
	}
	return LogRatio{x, terms[0].Seen, terms[1].Seen}, true
}

// What stands for the ratio in an objective: a difference of log-probabilities
// (which is its logarithm), the exponential of one, or a quotient.

// neverLogProb are the kinds that no term of a log-ratio has.
const neverLogProb = domain.Prob | domain.Ratio | domain.StateValue | domain.QValue | domain.Advantage | domain.Return |
	domain.Reward | domain.Number | domain.Coef | domain.Count | domain.Mask

// IsLogRatio reports whether s is a difference that was not exponentiated, of
// log-probabilities as far as kinds are known.
func (s Seen) IsLogRatio() bool {
	sub := s.Difference()
	if !sub.Known() {
		return false
	}
	known := s.Is(domain.LogRatio) || sub.Is(domain.LogRatio)
	for _, t := range TermsOf(s, 1) {
		if _, constant := t.Float(); constant { // 1 + x is the ratio to first order
			return false
		}
		if !known && (t.Is(neverLogProb) || t.Strip().IsOp("exp", "mul", "div")) {
			return false
		}
	}
	return true
}

// Difference returns the subtraction that s is, signs aside; no value where s is
// none. a + (-b) is one too.
func (s Seen) Difference() Seen {
	s = s.Strip()
	for s.Known() && s.IsOp("neg") && len(s.In) > 0 {
		s = s.Input(0).Strip()
	}
	if !s.Known() || s.Is(domain.LogProb) || !s.IsOp("sub", "rsub", "add") {
		return Seen{}
	}
	if terms := TermsOf(s, 1); len(terms) < 2 || s.IsOp("add") && !mixedSigns(terms) {
		return Seen{}
	}
	return s
}

func mixedSigns(terms []Term) bool {
	var plus, minus bool
	for _, t := range terms {
		sign := t.LogProbSign()
		if sign == 0 {
			sign = t.Sign
		}
		plus, minus = plus || sign > 0, minus || sign < 0
	}
	return plus && minus
}

// Exponent returns x where s is exp(x), in any spelling; else no value.
func (s Seen) Exponent() Seen {
	s = s.Strip()
	switch {
	case !s.Known() || len(s.In) == 0:
	case s.IsOp("exp"):
		return s.Input(0)
	case s.IsOp("pow") && len(s.In) > 1:
		if base, ok := s.Input(0).Float(); ok && 2.718 < base && base < 2.7183 {
			return s.Input(1)
		}
	}
	return Seen{}
}

// AllRoots reports whether all Roots of s satisfy the predicate; false where there are none.
func AllRoots(s Seen, hold func(Seen) bool) bool {
	any := false
	for root := range s.EachRoot {
		if !hold(root) {
			return false
		}
		any = true
	}
	return any
}

// All reports whether there are values and all satisfy the predicate.
func All(list []Seen, hold func(Seen) bool) bool {
	for _, s := range list {
		if !hold(s) {
			return false
		}
	}
	return len(list) > 0
}

// Becomes reports whether an operation of one of these names takes v, or a view,
// a return or a join of it.
func (g *Graph) Becomes(v *infer.Val, ops ...string) bool {
	found := false
	g.TakenBy(v, func(by, _ *infer.Val) { found = found || by.IsOp(ops...) })
	return found
}

// TakenBy visits the operations that take v, or a view, a return or a join of it, as what they take.
func (g *Graph) TakenBy(v *infer.Val, visit func(by, as *infer.Val)) {
	seen := map[*infer.Val]bool{}
	var from func(*infer.Val, int)
	from = func(x *infer.Val, depth int) {
		for _, u := range g.UsesOf(x) {
			visit(u, x)
			if depth > 0 && !seen[u] && (infer.Through(u) == x || u.Op == infer.OpPhi) {
				seen[u] = true
				from(u, depth-1)
			}
		}
	}
	from(v, 6)
}
