// Package normaliserwrongcount is rule TOK013, normaliser-wrong-count; rule.md says what it finds.
package normaliserwrongcount

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports means of what a mask of padding has set to 0, over all positions.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("mean", "div") {
		s := p.See(v)
		m, ok := meanOverPadding(s)
		if !ok || !p.IsPadding(m, ofTokens(s) || ofSteps(s)) || !here(v, m) || rescaled(p, v, 4) || perFeature(s, m) {
			continue
		}
		f := pass.At(v, m.Val)
		switch fate := p.Roles.FateOf(v); {
		case !fate.Matters():
			f.Severity = finding.Note // people read a number that is too small
		case !p.IsPadding(m, ofTokens(s)):
			f.Severity = finding.Note // a mask that was handed in may choose among steps, too
		}
		f.Evidence = domain.Derived
		p.Report(f)
	}
}

// meanOverPadding reads s as a mean over all positions of values of which a mask has set some to 0:
// mean(), or a sum over the number of elements.
func meanOverPadding(s query.Seen) (query.Mask, bool) {
	if s.IsOp("mean") && len(s.In) > 0 {
		return query.Zeroed(s.Input(0))
	}
	r, ok := query.UnsignedReductionOf(s)
	if !ok || r.By != query.ByElements || !s.IsOp("div") || !s.Input(1).Strip().IsOp("numel", "nelement") || r.Sum.Arg("dim") != nil {
		return query.Mask{}, false
	}
	return query.Zeroed(r.Sum.Input(0))
}

// here reports whether the function that takes the mean applies the mask too, or calls what does: of what others
// hand to it, it may be told how to count.
func here(v *infer.Val, m query.Mask) bool {
	return m.Applied != nil && (m.Applied.Frame == v.Frame || m.Applied.Frame.CalledFrom(v.Frame))
}

// ofTokens reports whether s is a mean over rows, or by numel(): a mask of the rows of a batch chooses which samples
// count, and their number may well be fixed.
func ofTokens(s query.Seen) bool { return s.IsOp("div") || s.Arg("dim") != nil }

// ofSteps reports whether the mean is of what was made of ratios or values: each step has one, whole texts have none.
func ofSteps(s query.Seen) bool {
	return s.IsOp("mean") && s.Input(0).EachStepHas(domain.Ratio|domain.StateValue)
}

// rescaled reports whether what becomes of the mean is divided, or multiplied, by how many positions count.
func rescaled(p *pass.Pass, v *infer.Val, depth int) bool {
	for _, u := range p.UsesOf(v) {
		switch {
		case depth == 0:
			return true
		case u.IsOp("div", "mul") && len(u.In) > 1:
			for _, x := range u.In[:2] {
				if x != v && counts(p.See(u).Of(x)) {
					return true
				}
			}
		case infer.Through(u) == v && rescaled(p, u, depth-1):
			return true
		}
	}
	return false
}

// counts reports whether s is made of a number or share of positions.
func counts(s query.Seen) bool {
	found := false
	infer.Walk(s.Val, 40, func(x *infer.Val) bool {
		if x.IsOp("mean", "sum", "count_nonzero", "numel") && len(x.In) > 0 {
			_, is := query.MaskOf(s.Of(x.In[0]))
			found = found || is || x.IsOp("numel")
		}
		return !found
	})
	return found
}

// perFeature reports whether the mean is over an axis that the mask lacks: of features, the last, of which
// all count or none.
func perFeature(s query.Seen, m query.Mask) bool {
	d, ok := s.Arg("dim").Int()
	if !ok {
		return false
	}
	x := m.Val
	for range 8 {
		if x == nil || len(x.In) == 0 {
			return false
		}
		if x.IsOp("unsqueeze") {
			at, ok := x.Arg("dim").Int()
			return ok && at == d
		}
		if x.Op == infer.OpItem && len(x.In) > 1 && x.In[1] != nil {
			if seq, ok := x.In[1].Ref.(*infer.SeqRef); ok && len(seq.Elems) > 0 {
				last := seq.Elems[len(seq.Elems)-1]
				return last != nil && last.IsNone() && (d == -1 || int(d) == len(seq.Elems)-1)
			}
		}
		x = infer.Through(x)
	}
	return false
}
