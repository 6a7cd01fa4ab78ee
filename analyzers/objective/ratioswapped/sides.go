package ratioswapped

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// quotient is a ratio of two policies: the terms of its logarithm that are known to
// be of the one and of the other.
type quotient struct {
	now, before query.Term
	// proven says that the data flow tells them apart, or gradients, rather than names.
	proven bool
}

// swapped reports whether the trained policy is the denominator.
func (q quotient) swapped() bool { return q.now.Sign < 0 && q.before.Sign > 0 }

// read finds the terms of the two policies. ok is false if one has none, or has terms of
// both signs.
func read(root query.Seen, clipped bool) (q quotient, ok bool) {
	terms := termsOf(root, clipped)
	if root.Q.Grad == domain.Detached {
		return q, false // evaluated without gradients, which would tell the policies apart
	}
	q.proven = count(terms, domain.Attached)+count(terms, domain.Detached) > 0
	if now, before, ok := byBatch(terms); ok && clipped && !q.proven {
		return quotient{now, before, true}, true
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
	return q, q.now.Known() && q.before.Known()
}

// byBatch tells two terms apart by where they come from: the one is a field of the batch, and
// was written when the actions were taken; the other is what a policy yields for that batch.
func byBatch(terms []query.Term) (now, before query.Term, ok bool) {
	if len(terms) != 2 {
		return
	}
	for i, t := range terms {
		if batch, given := t.IsGiven(); given && terms[1-i].IsYielded(batch) {
			return terms[1-i], t, true
		}
	}
	return
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
	attached, detached := count(terms, domain.Attached), count(terms, domain.Detached)
	switch grad := t.Q.Grad; {
	case detached > 0 && detached < len(terms):
		return sign(grad != domain.Detached)
	case attached > 0 && attached < len(terms):
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

func count(terms []query.Term, g domain.Grad) int {
	n := 0
	for _, t := range terms {
		if t.Q.Grad == g {
			n++
		}
	}
	return n
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}
