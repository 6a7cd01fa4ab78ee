// Package stdviameantimeszero is rule DIST021, std-via-mean-times-zero; rule.md
// says what it finds.
package stdviameantimeszero

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports standard deviations that are broadcast to the mean by adding the mean
// times zero.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Taking("loc", "mean") {
		mean, scale := parameters(v)
		if mean == nil || scale == nil {
			continue
		}
		s := p.See(v)
		if product, x := zeroOf(s.Of(scale), s.Of(mean)); product != nil {
			p.Report(finding(p, v, product, x))
		}
	}
}

// parameters returns the mean and the standard deviation of a Gaussian or of a draw from
// one.
func parameters(v *infer.Val) (mean, scale *infer.Val) {
	if v.Arg("loc") != nil {
		return v.Arg("loc"), v.Arg("scale")
	}
	return v.Arg("mean"), v.Arg("std")
}

// zeroOf finds, in a sum, the product of the mean with the constant 0, and its
// other factor.
func zeroOf(sum, mean query.Seen) (product, x *infer.Val) {
	sum = sum.Strip()
	if !sum.Known() || !sum.IsOp("add") || len(sum.In) < 2 {
		return nil, nil
	}
	for i := range 2 {
		m := sum.Input(i).Strip()
		if !m.Known() || !m.IsOp("mul") || len(m.In) < 2 {
			continue
		}
		for j := range 2 {
			if c, ok := m.Input(j).Float(); ok && c == 0 && isWritten(m.Val, j) && m.Input(1-j).Same(mean) {
				return m.Val, m.In[1-j]
			}
		}
	}
	return nil, nil
}

// isWritten reports whether an operand of a product is a number in the code: a setting that is 0 by default may be another one.
func isWritten(product *infer.Val, operand int) bool {
	operands := query.Operands(product.Node)
	if len(operands) <= operand {
		return true // a call of a function, such as torch.mul
	}
	switch operands[operand].(type) {
	case *ast.Name, *ast.Attribute, *ast.Subscript:
		return false
	}
	return true
}

func finding(p *pass.Pass, v, product, x *infer.Val) pass.Finding {
	f := pass.At(product, x)
	e, ok := product.Node.(ast.Expr)
	operand := p.Operand(product, x)
	if ok && operand != nil && x.Lib != infer.LibNumpy && product.Frame != nil {
		src := p.In(product.Frame)
		zeros, imports := src.Spell("torch.zeros_like")
		f.Fix = &pass.Fix{
			Message:      "Replace the product with zeros",
			EveryContext: true,
			Edits:        src.Replace(e, zeros+"("+src.Text(operand)+")"),
			Imports:      imports,
		}
	}
	f.Related = p.Here(v, "the std is used here")
	return f
}
