// Package backwardnotderivative is rule GRAD019, backward-not-derivative;
// rule.md says what it finds.
package backwardnotderivative

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/numeric"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports custom autograd Functions whose backward is not the
// derivative of their forward.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, fn := range p.Values.Functions {
		checks, ok := numeric.CheckFunction(fn)
		if !ok {
			continue
		}
		for _, c := range checks {
			if c.Wrong() && !query.IsGiven(fn, c.Returned) && !surrogate(fn, c) && !total(p, fn, c) {
				report(p, fn, c)
			}
		}
	}
}

// surrogate reports whether a wrong gradient looks deliberate: by its numbers, because it is
// 0 for an input that is not trained, because an incoming gradient is returned unchanged, or let through by its sign, or
// because forward rounds somewhere, as in a straight-through estimator. A surrogate has another slope than
// forward, but scales the incoming gradient with it.
func surrogate(fn *infer.Function, c numeric.Check) bool {
	passed := slices.ContainsFunc(fn.GradOutputs, func(g *infer.Val) bool { return infer.SameSource(c.Returned, g) })
	projected := c.Nonlinear && !c.IgnoresUpstream && asksSign(fn, c.Returned)
	if (c.IgnoresUpstream || c.Nonlinear) && !projected && !c.Zero && infer.Reaches(c.Input, fn.Forward.Result, 2000) {
		return false
	}
	if c.Surrogate || c.Zero || passed || projected {
		return true
	}
	stepwise := false
	infer.Walk(fn.Forward.Result, 2000, func(v *infer.Val) bool {
		stepwise = stepwise || v.IsOp("round", "sign", "floor", "ceil", "heaviside")
		return !stepwise
	})
	return stepwise
}

// asksSign reports whether a gradient depends on a comparison of the incoming one: a bound lets through what leads back behind it.
func asksSign(fn *infer.Function, returned *infer.Val) bool {
	found := false
	infer.Walk(returned, 200, func(v *infer.Val) bool {
		found = found || v.IsOp("lt", "le", "gt", "ge") && slices.ContainsFunc(v.In, func(x *infer.Val) bool {
			return slices.ContainsFunc(fn.GradOutputs, func(g *infer.Val) bool { return infer.SameSource(x, g) })
		})
		return !found
	})
	return found
}

// total reports whether the gradient may be the derivative along other inputs too: an input that
// gets no gradient of its own, and that the program makes of the input in question.
func total(p *pass.Pass, fn *infer.Function, c numeric.Check) bool {
	return slices.ContainsFunc(c.Without, func(j int) bool { return p.Values.MayBeMadeOf(fn, c.Position, j) })
}

func report(p *pass.Pass, fn *infer.Function, c numeric.Check) {
	p.Report(pass.Finding{
		At: where(fn, c), Frame: fn.Backward, Values: []*infer.Val{c.Returned},
		Why:  fmt.Sprintf("the gradient for `%s` %s, so training drifts without an error", p.Text(c.Input), pattern(c)),
		Help: advice(c),
	})
}

// where returns the expression in backward that computes the gradient, or else the returned
// expression.
func where(fn *infer.Function, c numeric.Check) ast.Node {
	v := c.Returned
	if v.Op == infer.OpPhi { // grad = None; if ctx.needs_input_grad[0]: grad = ...
		for _, x := range v.In {
			if !x.IsNone() {
				v = x
			}
		}
	}
	if v.Node != nil && v.Frame == fn.Backward && v.Op != infer.OpSaved {
		return v.Node
	}
	return fn.GradientNode(c.Position)
}

// pattern says how the gradient is wrong, with numbers.
func pattern(c numeric.Check) string {
	switch {
	case c.IgnoresUpstream:
		return "does not change with the incoming gradient"
	case c.Nonlinear:
		return "is not linear in the incoming gradient"
	case c.Factor != 0:
		return fmt.Sprintf("is %.3g times the derivative", c.Factor)
	}
	return fmt.Sprintf("is %.4g where finite differences give %.4g", c.Analytic, c.Numeric)
}

// advice says how to correct it; "" where only the page's general advice holds.
func advice(c numeric.Check) string {
	switch {
	case c.IgnoresUpstream:
		return "multiply by the incoming gradient"
	case c.Nonlinear:
		return "multiply the incoming gradient by the slope, and nothing else"
	case c.Factor != 0:
		return fmt.Sprintf("divide the returned gradient by %.3g", c.Factor)
	}
	return ""
}
