// Package maskedbymultiplication is rule DIST026, masked-by-multiplication; rule.md says what it finds.
package maskedbymultiplication

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports scores of actions that a mask multiplies before one of them is chosen.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("softmax", "log_softmax", "argmax", "Categorical", "OneHotCategorical") {
		if scores := chosenBy(v); scores != nil {
			for _, s := range branches(p.See(v).Of(scores), 4) {
				report(p, s, v)
			}
		}
	}
}

// branches are what a value may be, one a branch.
func branches(s query.Seen, depth int) []query.Seen {
	s = s.Strip()
	if !s.Known() || s.Op != infer.OpPhi || depth == 0 {
		return []query.Seen{s}
	}
	var out []query.Seen
	for _, in := range s.In {
		if in != nil {
			out = append(out, branches(s.Of(in), depth-1)...)
		}
	}
	return out
}

// chosenBy is what a choice among actions is made by: the scores, not probabilities.
func chosenBy(v *infer.Val) *infer.Val {
	switch {
	case v.IsOp("Categorical", "OneHotCategorical"):
		return v.Arg("logits")
	case len(v.In) == 0:
		return nil
	}
	return v.In[0]
}

func report(p *pass.Pass, s query.Seen, choice *infer.Val) {
	if !s.Known() || !s.IsOp("mul") || s.Node == nil || isSummedUp(p, s.Val) {
		return
	}
	list := query.FactorsOf(s).List
	if len(list) != 2 {
		return
	}
	for i, mask := range list {
		scores := list[1-i]
		if isMask(mask) && isScores(scores) && !countsRows(p, mask, choice) {
			f := pass.At(s.Val, scores.Val)
			f.Evidence, f.Unmistakable = mask.Q.Evidence, true // a mask among the factors of scores
			f.Related = p.Here(choice, "the choice is made here")
			p.Report(f)
			return
		}
	}
}

// isSummedUp reports whether processes add up what they hold: each has a part of the scores, and zeros for those of the others.
func isSummedUp(p *pass.Pass, v *infer.Val) bool {
	return slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool { return query.CalleeName(u.Node) == "all_reduce" })
}

// isMask reports whether a factor says of each action whether it is allowed: one that says it of rows or positions has a last axis of 1.
func isMask(s query.Seen) bool {
	x := s.Strip()
	if !x.Known() || !x.Is(domain.Mask) || x.Const != nil || x.IsOp("dropout") {
		return false
	}
	last, ok := s.Q.Shape.Dim(-1)
	return !ok || last.N != 1
}

// countsRows reports whether the same mask multiplies what is computed from the choice, such as the log-probability of what was drawn. That has one
// number a row, and so has the mask: it leaves out padding.
func countsRows(p *pass.Pass, mask query.Seen, choice *infer.Val) bool {
	return slices.ContainsFunc(p.Ops("torch.mul"), func(product *infer.Val) bool {
		for i := range min(2, len(product.In)) {
			if p.See(product).Input(i).Same(mask) && infer.Reaches(choice, product.In[1-i], 400) {
				return true
			}
		}
		return false
	})
}

// isScores reports whether a factor is what a network yields for each action, of either sign.
func isScores(s query.Seen) bool {
	x := s.Strip()
	return x.Known() && x.Is(domain.Raw|domain.Logits|domain.QValue|domain.LogProb) && !x.Q.Range.NonNegative() && !isLifted(s)
}

// isLifted reports whether the least of some scores was subtracted from them, or a number was added that hardly any score is below the negative
// of: none is negative then.
func isLifted(s query.Seen) bool {
	for _, t := range query.TermsOf(s.Strip(), 1) {
		x := t.Seen.Strip()
		if c, ok := x.Float(); ok && float64(t.Sign)*c >= lift {
			return true
		}
		for range 4 { // the least stands in a field or a place of what min yields
			if !x.Known() || len(x.In) == 0 || x.IsOp("min", "amin") {
				break
			}
			x = x.Input(0).Strip()
		}
		if t.Sign < 0 && x.Known() && x.IsOp("min", "amin") {
			return true
		}
	}
	return false
}

// lift is more than scores are apart.
const lift = 1000
