// Package leaveoneoutdivisor is rule ADV022, leave-one-out-divisor; rule.md says what it finds.
package leaveoneoutdivisor

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports means of the others that are divided by the number of all.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, div := range p.Ops("torch.div") {
		if len(div.In) < 2 || div.In[0] == nil || div.In[1] == nil {
			continue
		}
		s := p.See(div)
		if total, ok := others(s.Input(0)); ok && s.Input(1).Counts(total) && isBaseline(p, div, total.Input(0)) {
			f := pass.At(div)
			f.Evidence, f.Fix = domain.Derived, lessOne(p, div)
			p.Report(f)
		}
	}
}

// others reads s as the sum of all values but one, for each: x.sum() - x. It returns the sum.
func others(s query.Seen) (total query.Seen, ok bool) {
	d := s.Strip()
	if !d.Known() || !d.IsOp("sub") || len(d.In) < 2 {
		return query.Seen{}, false
	}
	total = d.Input(0).Strip()
	if !total.Known() || !total.IsOp("sum") || len(total.In) == 0 || total.Input(0).Is(domain.Mask|domain.Count|domain.Done) {
		return query.Seen{}, false
	}
	return total, total.Input(0).Same(d.Input(1))
}

// isBaseline reports whether the mean is subtracted from its own values. A share of a team's reward is added, and a reward without
// one's own part is subtracted from the mean.
func isBaseline(p *pass.Pass, div *infer.Val, x query.Seen) bool {
	found := false
	p.TakenBy(div, func(by, as *infer.Val) {
		s := p.See(by)
		found = found || by.IsOp("sub") && len(by.In) > 1 && by.In[1] == as && (s.Input(0).Same(x) || infer.SameSource(by.In[0], x.Val))
	})
	return found
}

func lessOne(p *pass.Pass, div *infer.Val) *pass.Fix {
	e := p.Operand(div, div.In[1])
	if e == nil || p.In(div.Frame) == nil {
		return nil
	}
	return &pass.Fix{Message: "Divide by the number of the others", EveryContext: true, Edits: p.In(div.Frame).Operate(e, ast.Sub, "1")}
}
