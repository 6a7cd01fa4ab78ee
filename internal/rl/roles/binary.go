package roles

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// isBinaryEntropy reports whether s is p * log p + (1 - p) * log(1 - p), the negative entropy of yes-or-no choices, whatever is
// known of p: the form has no other use.
func isBinaryEntropy(s query.Seen) bool {
	s = s.Strip()
	if !s.Known() || !s.IsOp("add") || len(s.In) < 2 {
		return false
	}
	p, q := timesOwnLog(s.Input(0)), timesOwnLog(s.Input(1))
	return p.Known() && q.Known() && (isOthers(p, q) || isOthers(q, p))
}

// timesOwnLog is the p of p * log p; no value for anything else.
func timesOwnLog(s query.Seen) query.Seen {
	s = s.Strip()
	if !s.Known() || !s.IsOp("mul") || len(s.In) < 2 {
		return query.Seen{}
	}
	for i := range 2 {
		if isProbTimesLog(s.Input(i), s.Input(1-i)) {
			return s.Input(i)
		}
	}
	return query.Seen{}
}

// markLabelled finds the terms that are halves of a cross entropy with yes-or-no labels.
func markLabelled(terms []Term) {
	labels := map[int]query.Seen{}
	for i, t := range terms {
		if g, ok := PolicyGradientOf(t.Seen); ok && len(g.Weights) == 1 {
			labels[i] = g.Weights[0]
		}
	}
	for i, y := range labels {
		for j, other := range labels {
			if i != j && isOthers(y, other) {
				terms[i].Labelled, terms[j].Labelled = true, true
			}
		}
	}
	for i := range terms {
		if terms[i].Labelled && terms[i].Kind == PolicyTerm {
			terms[i].Kind = OtherTerm
		}
	}
}

// isOthers reports whether q is 1 - p.
func isOthers(p, q query.Seen) bool {
	q = q.Strip()
	if !q.IsOp("sub") || len(q.In) < 2 {
		return false
	}
	one, ok := q.Input(0).Float()
	return ok && one == 1 && q.Input(1).Same(p)
}

// ByStanding reports whether a term weighs something by how each fares beside the others, as a policy is improved: one factor is over
// its own spread, and has no gradient.
func (t Term) ByStanding() bool {
	if !t.IsOp("mul") {
		return false
	}
	factors := query.FactorsOf(t.Seen).List
	for i, f := range factors {
		if f.Q.Grad == domain.Attached || !isOverSpread(f, 4) {
			continue
		}
		for j, other := range factors {
			if i != j && other.Q.Grad != domain.Detached && other.Const == nil {
				return true
			}
		}
	}
	return false
}

// isOverSpread reports whether s is data over its own spread, in each of the ways in which it comes about.
func isOverSpread(s query.Seen, depth int) bool {
	x := s.Strip()
	if !x.Known() || depth == 0 {
		return false
	}
	if x.Op != infer.OpPhi {
		return x.IsOp("div") && x.Unstandardised().Val != x.Val
	}
	for _, y := range x.In {
		if y == nil || !isOverSpread(x.Of(y), depth-1) {
			return false
		}
	}
	return true
}
