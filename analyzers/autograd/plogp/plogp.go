// Package plogp is rule GRAD011, p-log-p; rule.md says what it finds.
package plogp

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports entropies and divergences in which an exact 0 meets its logarithm.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, product := range p.Ops("torch.mul") {
		if found, ok := p.ZeroTimesLog(product); ok {
			report(p, product, found)
		}
	}
}

func report(p *pass.Pass, product *infer.Val, found query.PLogP) {
	src := p.In(product.Frame)
	if src == nil || product.Node == nil {
		return
	}
	f := pass.On(product, fmt.Sprintf("%s is 0 * -inf, which is NaN, where a probability is exactly 0, and the probabilities that %s makes are; "+
		"fill the logarithm with 0 there, or take `Categorical(logits=...).entropy()`", src.Short(product.Node), cause(found)), found.P)
	if found.Zero.Node != nil && found.Zero.Frame != nil && p.In(found.Zero.Frame) != nil {
		f.Related = []pass.Related{{Source: p.In(found.Zero.Frame), Node: found.Zero.Node, Message: "some probabilities become exactly 0 here"}}
	}
	f.Fix = fix(p, product, found)
	p.Report(f)
}

func cause(found query.PLogP) string {
	switch {
	case found.Zero.IsOp("one_hot"):
		return "`one_hot`"
	case found.P.IsOp("softmax", "exp"):
		return "a softmax of masked logits"
	}
	return "a mask"
}

// fix fills the logarithm with 0 where the probability is: the product is then 0 there,
// and so is its gradient, since log_softmax has none of its own at a gradient of 0.
func fix(p *pass.Pass, product *infer.Val, found query.PLogP) *pass.Fix {
	prob, log, ok := operands(product, found)
	if !ok {
		return nil
	}
	src := p.In(product.Frame)
	text, imports := src.Operand(log), []string(nil)
	if found.Log.IsOp("log") {
		squashed := infer.Strip(found.P)
		if !squashed.IsOp("softmax") || found.Log.In[0] != squashed {
			return nil // with a view between, which would be lost
		}
		if text, imports = p.LogSoftmax(squashed, product, false); text == "" {
			return nil
		}
	}
	return &pass.Fix{
		Message:      "Fill the logarithm with 0 where the probability is 0",
		EveryContext: true,
		Edits:        src.Replace(log, fmt.Sprintf("%s.masked_fill(%s == 0, 0.0)", text, src.Operand(prob))),
		Imports:      imports,
	}
}

// operands returns the two factors as they are written, where the product is written
// with an operator and the logarithm is a factor of its own.
func operands(product *infer.Val, found query.PLogP) (prob, log ast.Expr, ok bool) {
	op, isOp := product.Node.(*ast.BinOp)
	if !isOp {
		return nil, nil, false
	}
	prob, log = op.X, op.Y
	if !infer.SameSource(product.Frame.Val(log), found.Log) {
		prob, log = log, prob
	}
	simple := func(e ast.Expr, v *infer.Val) bool { return infer.SameSource(product.Frame.Val(e), v) }
	return prob, log, simple(log, found.Log) && simple(prob, found.P)
}
