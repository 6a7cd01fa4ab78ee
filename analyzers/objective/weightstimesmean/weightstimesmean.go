// Package weightstimesmean is rule OBJ030, weights-times-mean; rule.md says what it finds.
package weightstimesmean

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports weights, one for each row, that multiply the mean over all rows.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.mul") {
		if len(v.In) < 2 {
			continue
		}
		for i, m := range v.In[:2] {
			mean, weights := mean(p, m), v.In[1-i]
			if mean == nil || !isWeight(p, weights) || !isAveraged(p, v, 6) {
				continue
			}
			f := pass.At(v, mean)
			f.Related = p.Here(mean, "this is one number for the whole batch")
			f.Evidence = domain.Derived
			p.Report(f)
			break
		}
	}
}

// mean is the mean over all elements, or the loss so reduced, that v is, and through which gradients flow; nil where v is none.
func mean(p *pass.Pass, v *infer.Val) *infer.Val {
	for range 8 {
		switch {
		case v == nil || len(v.In) == 0 || v.In[0] == nil || v.Q.Grad == domain.Detached:
			return nil
		case v.Op == infer.OpNarrow, v.IsOp("neg"):
			v = v.In[0]
		default:
			reduces := v.Q.Reduced.Is(domain.MeanAll) || v.Is(domain.Loss) && !query.IsElementwise(v)
			if v.Fn == nil || !reduces || !isNumber(p.Meant(v)) || isNumber(p.Meant(v.In[0])) {
				return nil
			}
			return v
		}
	}
	return nil
}

func isNumber(s domain.Shape) bool { return s.Known() && s.Rank == 0 }

// isWeight reports whether v has one number for each row, which no network that is trained says.
func isWeight(p *pass.Pass, v *infer.Val) bool {
	s := p.Meant(v)
	if v == nil || v.Q.Grad == domain.Attached || !s.Known() || s.Rank == 0 {
		return false
	}
	rows, _ := s.Dim(0)
	return rows.N != 1 && p.IsPerRow(v)
}

// isAveraged reports whether nothing is made of v but its mean or its sum over all rows.
func isAveraged(p *pass.Pass, v *infer.Val, depth int) bool {
	uses := p.UsesOf(v)
	for _, u := range uses {
		switch {
		case u.IsOp("mean", "sum"):
		case depth > 0 && (u.Op == infer.OpNarrow || u.IsOp("neg", "mul", "div")):
			if !isAveraged(p, u, depth-1) {
				return false
			}
		default:
			return false
		}
	}
	return len(uses) > 0
}
