package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Which of two log-probabilities is of the policy in training
//
// Gradients tell, where they are known. In a loss function that a framework calls they are not.
// What else is done with the two tells as well, whatever they are called:
//
//	batch       the one is a field of the batch that holds the advantages too, and was written when
//	            the actions were taken; the other is what a policy yields for that batch, or an argument
//	here        the one was handed in, the other is computed where the clipped objective is
//	entropy     the entropy is taken of the distribution that is trained, for the bonus
//	divergence  the loss holds the trained policy near a reference: its KL speaks of that one alone
//
// A case that two of them read in two ways is left alone.

// Trained returns the index of the term of the policy in training, where the terms of a ratio are
// two and the program tells; else -1.
func (m *Model) Trained(use RatioUse, terms []query.Term) int {
	if len(terms) != 2 {
		return -1
	}
	found := -1
	for i := range terms {
		one, other := terms[i].Seen, terms[1-i].Seen
		if !m.isRecorded(use, other, one) && !isComputedNow(use, other, one) && !m.hasEntropy(one, other) && !m.divergesAlone(use, one, other) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// isRecorded reports whether old is a field of a batch, and one is yielded for that batch.
func (m *Model) isRecorded(use RatioUse, old, one query.Seen) bool {
	batch, given := old.IsGiven()
	if !given {
		return false
	}
	isData := batch.Op == infer.OpIterate || batch.Op == infer.OpParam
	if !isData || !one.IsYielded(batch) {
		own := one.Strip()
		isArgument := own.Known() && own.Op == infer.OpParam && own.Ref == nil && own.Val != batch && old.Strip().Val != batch
		if !isArgument && !one.IsYielded(batch) || !holdsFactor(batch, use) {
			return false
		}
	}
	return !one.Q.Whose.Is(domain.Old) && !old.Q.Whose.Is(domain.Current)
}

// isComputedNow reports whether old is handed to the program's clipped objective as it was kept, and one is computed there
// with its gradient. Of a policy that is not in training nobody computes it with one.
func isComputedNow(use RatioUse, old, one query.Seen) bool {
	from, given := old.IsGiven()
	if !given || !use.Clipped || !use.AroundOne || one.Q.Grad == domain.Detached || one.NoGrad || one.Q.Whose.Is(domain.Old) || old.Q.Whose.Is(domain.Current) {
		return false
	}
	isData := from.Op == infer.OpIterate || from.Op == infer.OpParam
	return one.IsComputed() && (isData || infer.Reaches(from, one.Val, 400))
}

// holdsFactor reports whether what weighs the ratio was made of a field of the batch: an advantage.
func holdsFactor(batch *infer.Val, use RatioUse) bool {
	return slices.ContainsFunc(use.Others, func(s query.Seen) bool {
		if s.Is(domain.Mask | domain.Number | domain.Coef) {
			return false
		}
		found := false
		infer.Walk(s.Val, 60, func(v *infer.Val) bool {
			if from, given := s.Of(v).IsGiven(); given && from == batch && v != batch {
				found = true
			}
			return !found
		})
		return found
	})
}

// hasEntropy reports whether an entropy is taken of the distribution of one log-probability, and
// none of the other's.
func (m *Model) hasEntropy(one, other query.Seen) bool {
	p, q := distributionsOf(one), distributionsOf(other)
	if len(p) == 0 || len(q) == 0 {
		return false
	}
	of := func(d query.Seen) bool {
		return slices.ContainsFunc(m.g.Made("entropy"), func(v *infer.Val) bool {
			return len(v.In) > 0 && v.Frame == one.Frame && m.g.See(v).Input(0).Same(d)
		})
	}
	return query.All(p, of) && !slices.ContainsFunc(q, of)
}

// distributionsOf are the distributions of which s is the log-probability of an action, one a
// branch; none where a branch is something else.
func distributionsOf(s query.Seen) []query.Seen {
	var out []query.Seen
	for root := range s.EachRoot {
		if !root.IsOp("log_prob") {
			return nil
		}
		out = append(out, root.Input(0))
	}
	return out
}

// divergesAlone reports whether a loss that holds the ratio's objective, or a product of the ratio
// and a divergence, counts a divergence of one from something else than the other.
func (m *Model) divergesAlone(use RatioUse, one, other query.Seen) bool {
	return slices.ContainsFunc(m.divergences(use), func(terms []query.Term) bool {
		has := func(s query.Seen) bool {
			return slices.ContainsFunc(terms, func(t query.Term) bool { return t.Same(s) })
		}
		return len(terms) == 2 && has(one) && !has(other)
	})
}

// divergences are the log-ratios of which the divergences beside an objective are made.
func (m *Model) divergences(use RatioUse) [][]query.Term {
	var out [][]query.Term
	for _, l := range m.Losses() {
		if !slices.ContainsFunc(l.Terms, func(t Term) bool { return t.Surrogate != nil && t.Surrogate.At.Val == use.At || t.Val == use.At }) {
			continue
		}
		for _, t := range l.Terms {
			if t.Kind == KLTerm {
				for root := range t.EachRoot {
					if d := root.LogRatioWithin(); d.Known() {
						out = append(out, query.TermsOf(d, 1))
					}
				}
			}
		}
	}
	return out
}
