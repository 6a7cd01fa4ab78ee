// Package dividedbyvariance is rule ADV021, divided-by-variance; rule.md says what it finds.
package dividedbyvariance

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports centred values over their variance.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, div := range p.Ops("torch.div") {
		if len(div.In) < 2 || div.In[0] == nil || div.In[1] == nil {
			continue
		}
		s := p.See(div)
		of, centred := s.Input(0).Centre()
		variance := s.Input(1).WithoutEps()
		if !centred || !variance.Known() || !query.IsVariance(variance.Val) || !sameData(of, variance.Input(0)) || of.Strip().IsOp("arange", "linspace") || squares(p, div) {
			continue
		}
		f := pass.At(div, variance.Val)
		f.Evidence, f.Fix = domain.Derived, std(p, variance.Val)
		p.Report(f)
	}
}

// sameData reports whether y is x, or x less its mean, which has the same variance.
func sameData(x, y query.Seen) bool {
	of, centred := y.Centre()
	return x.Same(y) || centred && of.Same(x)
}

// squares reports whether the quotient is multiplied by something of the data again: (x - m) / var * (x - m) is
// dimensionless, as a Gaussian's exponent, and the mean of (x - m) / var * y is the slope of a line.
func squares(p *pass.Pass, div *infer.Val) bool {
	found := false
	p.TakenBy(div, func(u, as *infer.Val) {
		if !u.IsOp("mul", "matmul", "mm", "dot", "einsum", "inner") {
			return
		}
		for i := range u.In {
			if x := p.See(u).Input(i); x.Known() && x.Val != as {
				_, centred := x.Centre()
				found = found || centred || !x.Is(domain.Number|domain.Coef|domain.Mask|weighed) && (x.Q.Kind.Known() || isData(x))
			}
		}
	})
	return found
}

// weighed is what an advantage is multiplied with in a loss.
const weighed = domain.LogProb | domain.Ratio | domain.LogRatio | domain.Entropy

// isData reports whether s is data that something else gave, not a number that scales.
func isData(s query.Seen) bool {
	_, number := s.Float()
	return !number && !query.IsNumber(s.Val) && s.Val.Op != infer.OpConfig && s.Strip().IsOp("array", "asarray", "tensor", "as_tensor", "from_numpy")
}

// std takes the standard deviation in place of the variance, which has the same arguments.
func std(p *pass.Pass, variance *infer.Val) *pass.Fix {
	call, ok := variance.Node.(*ast.Call)
	if !ok || !variance.IsOp("var") {
		return nil
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || at.Attr != "var" || p.In(variance.Frame) == nil {
		return nil
	}
	span := at.Span()
	span.Start = span.End - uint32(len(at.Attr))
	return &pass.Fix{
		Message: "Divide by the standard deviation", Applicability: finding.Unsafe, EveryContext: true,
		Edits: []pass.Edit{{Span: span, New: "std"}},
	}
}
