package ratioswapped

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// quotient is a ratio of two policies: the terms of its logarithm that are known to
// be of the one and of the other.
type quotient struct {
	now, before query.Term
	// graded says that gradients tell them apart, told that the data flow does; else it is names.
	graded, told bool
	// compared says that the ratio is evaluated without gradients, as in a line search.
	compared bool
}

// swapped reports whether the trained policy is the denominator.
func (q quotient) swapped() bool { return q.now.Sign < 0 && q.before.Sign > 0 }

// read finds the terms of the two policies. ok is false if one has none, or has terms of
// both signs.
func read(p *pass.Pass, root query.Seen, use roles.RatioUse) (q quotient, ok bool) {
	terms := termsOf(root, use.Clipped)
	q.compared = root.Q.Grad == domain.Detached
	q.graded = !q.compared && (tells(terms, domain.Attached) || tells(terms, domain.Detached))
	if slices.ContainsFunc(terms, isNegative) || writtenNegative(root, terms) || root.Exponent().Known() && slices.ContainsFunc(terms, isProb) {
		return q, false
	}
	if i := p.Roles.Trained(use, terms); i >= 0 && !q.graded {
		q.now, q.before, q.told = terms[i], terms[1-i], true
		return q, hasSign(q.now)
	}
	if q.compared {
		return q, false // gradients would tell the policies apart
	}
	for _, t := range terms {
		side := &q.before
		switch owner(t, terms) {
		case 0:
			continue
		case 1:
			side = &q.now
		}
		if side.Known() && side.Sign != t.Sign {
			return q, false
		}
		*side = t
	}
	return q, q.now.Known() && q.before.Known() && hasSign(q.now)
}

// hasSign reports whether it is known that a term rises with the log-probability: it was made as one, by a method that makes
// nothing else, or as the cost whose sign is counted. What is computed out of sight may be a cost as well, and so may a part of a density
// that is written out. The argument of a function that nobody calls is what it is used for.
func hasSign(t query.Term) bool {
	s := t.Unreduced()
	return t.Is(domain.Prob) || s.IsOp("cross_entropy", "nll_loss", "log_prob", infer.OpCall+".log_prob") ||
		t.Is(domain.LogProb) && (t.Q.Evidence < domain.Used || s.IsOp(infer.OpParam) && s.Ref == nil)
}

// writtenNegative reports whether the names in a difference call its terms negative log-probabilities, and nothing else is known of them.
func writtenNegative(root query.Seen, terms []query.Term) bool {
	known := func(t query.Term) bool { return t.Is(domain.LogProb) && t.Q.Evidence < domain.Used }
	x := root.Exponent()
	return x.Known() && x.Node != nil && query.IsNegativeWritten(x.Node) && !slices.ContainsFunc(terms, known)
}

// isProb reports whether a term is a probability, of which an exponent has none the right way round.
func isProb(t query.Term) bool { return t.Is(domain.Prob) }

// isNegative reports whether a term is a negative log-probability below sums and masks, or one of unknown kind by its name.
// Programs that keep these subtract the other way round.
func isNegative(t query.Term) bool {
	if t.Turned() && !t.Strip().IsOp("cross_entropy", "nll_loss") { // of these the sign is counted
		return true
	}
	known := t.Is(domain.LogProb) && t.Q.Evidence < domain.Used || t.LogProbSign() == -t.Sign
	return !known && t.IsNegativeByName()
}

// termsOf are the log-probabilities of a ratio, with 1 for the numerator and -1 for
// the denominator. In a clipped objective, each of two terms counts as one.
func termsOf(root query.Seen, clipped bool) []query.Term {
	if root.IsOp("div") && root.Input(0).Is(domain.Prob) && root.Input(1).Is(domain.Prob) {
		return []query.Term{{Seen: root.Input(0), Sign: 1}, {Seen: root.Input(1), Sign: -1}}
	}
	var out []query.Term
	terms := query.TermsOf(root.Exponent(), 1)
	for _, t := range terms {
		switch sign := t.LogProbSign(); {
		case sign != 0:
			t.Sign = sign
		case !clipped || t.Q.Kind.Known() && len(terms) != 2:
			continue
		}
		out = append(out, t)
	}
	return out
}

// owner is 1 for the trained policy, -1 for the old one, 0 if unknown. Gradients tell:
// only the trained policy has them, and an objective needs them. So of two terms, a
// detached one is the old policy's and the other the new policy's; an attached one is
// the new policy's.
func owner(t query.Term, terms []query.Term) int {
	switch grad := gradOf(t); {
	case tells(terms, domain.Detached):
		return sign(grad != domain.Detached)
	case tells(terms, domain.Attached):
		return sign(grad == domain.Attached)
	case slices.ContainsFunc(terms, isOld) && !slices.ContainsFunc(terms, isCurrent):
		return sign(!isOld(t))
	case slices.ContainsFunc(terms, isCurrent):
		return sign(isCurrent(t))
	}
	return 0
}

func isOld(t query.Term) bool { return t.Q.Whose.Is(domain.Old) }

func isCurrent(t query.Term) bool { return t.Q.Whose.Is(domain.Current) }

// gradOf is whether a term carries gradients. What an unknown call yields where gradients are off, or a mean of that, carries none.
func gradOf(t query.Term) domain.Grad {
	x := t.Strip()
	for range 4 {
		if x.Known() && x.NoGrad && t.Q.Grad == domain.GradUnknown {
			return domain.Detached
		}
		if !x.Known() || !x.IsOp("mean", "sum", infer.OpItem) || len(x.In) == 0 {
			break
		}
		x = x.Input(0).Strip()
	}
	return t.Q.Grad
}

// tells reports whether some of the terms have a gradient of that kind, and others not.
func tells(terms []query.Term, g domain.Grad) bool {
	n := 0
	for _, t := range terms {
		if gradOf(t) == g {
			n++
		}
	}
	return 0 < n && n < len(terms)
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}
