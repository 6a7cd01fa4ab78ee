package pass

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// How programs write a KL divergence, d being a difference of log-probabilities:
//
//	kl_divergence(p, q), F.kl_div(...)     by the library
//	exp(d) - d - 1                         k3
//	d**2 / 2                               k2
//	d                                      k1
//
// The first three are not negative, so their sign in a loss tells whether it is
// a penalty. k1 is either sign on each sample, and only its order tells.

// IsDivergence reports whether s is a KL that is not negative by its form. A name
// is no form; k3 is one whatever is known of d, since exp(d) - d - 1 has no other use.
func (s Seen) IsDivergence() bool {
	s = s.Strip()
	switch {
	case s.isK3():
		return true
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

// isK3 reports whether s is exp(d) - d - 1, the 1 aside, for a d that stands in it
// twice.
func (s Seen) isK3() bool {
	if !s.Known() || !s.IsOp("add", "sub") {
		return false
	}
	var d Seen
	var rest []Term
	for _, t := range TermsOf(s, 1) {
		x := t.Strip()
		switch _, constant := t.Float(); {
		case constant:
		case t.Sign > 0 && !d.Known() && x.Known() && x.IsOp("exp", "expm1") && len(x.In) > 0:
			d = x.Input(0)
		default:
			rest = append(rest, t)
		}
	}
	if !d.Known() || len(rest) == 0 {
		return false
	}
	want := TermsOf(d, -1)
	for _, t := range rest {
		i := slices.IndexFunc(want, func(w Term) bool { return w.Sign == t.Sign && w.Same(t.Seen) })
		if i < 0 {
			return false
		}
		want = slices.Delete(want, i, i+1)
	}
	return len(want) == 0
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

// HasPolicyTerm reports whether one of a loss's terms improves a policy.
func (p *Pass) HasPolicyTerm(l MinimisedLoss) bool {
	for _, t := range l.Terms {
		if p.IsPolicyTerm(t) {
			return true
		}
	}
	return false
}

// SumOf is the operation that adds a term to its loss, else what computed the term.
func SumOf(t Term) *infer.Val {
	if t.Sum.Known() && t.Sum.Node != nil {
		return t.Sum.Val
	}
	return t.Val
}

// WritesInPlace reports whether u changes its first input, under whatever names
// that goes.
func (p *Pass) WritesInPlace(u *infer.Val) bool {
	return u.Op == infer.OpStore && len(u.In) > 1 || inPlace(u)
}

// copying are views as far as numbers go that do not share memory.
var copying = []string{
	"clone", "copy", "to", "float", "double", "half", "tensor", "array", "astype", "repeat", "repeat_interleave", "cpu", "cuda", "contiguous",
	"tolist", "flatten", "type_as", "from_numpy", "asarray", "as_tensor",
}

// Memory follows a value back through views and rows, which share its memory; a
// copy does not.
func Memory(v *infer.Val) *infer.Val {
	for range maxSteps {
		from := infer.Through(v)
		if v.Op == infer.OpIterate || v.Op == infer.OpItem {
			from = v.In[0]
		}
		if from == nil || from.Ref != nil || v.IsOp(copying...) || IsNumber(v) {
			break
		}
		v = from
	}
	return v
}
