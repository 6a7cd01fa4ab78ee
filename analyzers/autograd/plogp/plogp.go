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

// Analyzer reports entropies and divergences in which a probability is exactly 0.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, product := range p.Ops("torch.mul") {
		if found, ok := p.ZeroTimesLog(product); ok {
			report(p, product, found)
		}
	}
}

func report(p *pass.Pass, product *infer.Val, found query.PLogP) {
	if p.In(product.Frame) == nil || product.Node == nil {
		return
	}
	f := pass.At(product, found.P)
	f.Why = cause(found) + " makes some probabilities exactly zero, and 0 * -inf is NaN"
	f.Related = p.Here(found.Zero, "some probabilities become exactly zero here")
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

// fix fills the log with 0 where the probability is 0: the product is then 0 there, and so
// is its gradient, because log_softmax passes on none if its own is 0.
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
		Message:      "Fill the log with 0 where the probability is 0",
		EveryContext: true,
		Edits:        src.Replace(log, fmt.Sprintf("%s.masked_fill(%s == 0, 0.0)", text, src.Operand(prob))),
		Imports:      imports,
	}
}

// operands returns the two factors as written, if the product is written with an operator
// and the log is a factor of its own.
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
