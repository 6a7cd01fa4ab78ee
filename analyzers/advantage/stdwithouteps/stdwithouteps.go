// Package stdwithouteps is rule ADV009, std-without-eps; rule.md says what it finds.
package stdwithouteps

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports divisions by a spread that may be zero.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, div := range p.Ops("torch.div") {
		if len(div.In) < 2 || div.In[0] == nil || div.In[1] == nil {
			continue
		}
		num, den := div.In[0], div.In[1]
		x := spreadOf(den)
		if x == nil || den.Q.Range.NonZero || !standardises(num, x) {
			continue
		}
		if p.Protected(div) || p.ChecksContent(div, x) {
			continue
		}
		p.Report(finding(p, div, x))
	}
}

// spreadOf returns the data of which v is the standard deviation or the norm, or
// nil. The std of a distribution is no spread of data: a network yields it.
func spreadOf(v *infer.Val) *infer.Val {
	v = infer.Strip(v)
	switch {
	case v == nil || v.Frame == nil || len(v.In) == 0:
		return nil
	case v.IsOp("sqrt", "pow") && v.In[0] != nil:
		if of := infer.Strip(v.In[0]); of.IsOp("var", "var_mean") && len(of.In) > 0 {
			return of.In[0]
		}
		return nil
	case v.IsOp("std", "nanstd", "std_mean"), v.IsOp("norm") && ofAdvantages(v.In[0]):
		return v.In[0]
	}
	return nil
}

const scored = domain.Reward | domain.Return | domain.Advantage

func ofAdvantages(v *infer.Val) bool { return v.Is(scored) }

// standardises reports whether num / spread(x) makes the scale of x one: num is x
// itself, less something, or x is a reward, return or advantage.
func standardises(num, x *infer.Val) bool {
	if infer.SameSource(num, x) || ofAdvantages(x) {
		return true
	}
	num = infer.Strip(num)
	return num.IsOp("sub") && len(num.In) > 0 && infer.SameSource(num.In[0], x)
}

func finding(p *pass.Pass, div, x *infer.Val) pass.Finding {
	src := p.In(div.Frame)
	text, fix := "the denominator", (*pass.Fix)(nil)
	if den := p.Operand(div, div.In[1]); den != nil {
		text = src.Short(den)
		fix = &pass.Fix{
			Message:      "Add an epsilon to the denominator",
			EveryContext: true,
			Edits:        src.Operate(den, ast.Add, "1e-8"),
		}
	}
	f := pass.On(div, fmt.Sprintf("%s is 0 where all values are equal, as rewards of a group often are: the quotient is NaN, and then so is every weight; add an epsilon such as 1e-8 to the denominator", text), x)
	f.Evidence, f.Fix = domain.Derived, fix
	return f
}
