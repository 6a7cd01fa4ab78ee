package savedtensormisused

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// keepsOutput reports outputs that are kept as attributes of ctx: a reference cycle of
// output, graph and ctx.
func keepsOutput(p *pass.Pass, fn *infer.Function) {
	outs := outputs(fn)
	for _, st := range fn.Forward.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			assign, ok := n.(*ast.Assign)
			if !ok {
				return true
			}
			for _, t := range assign.Targets {
				at, isAttr := t.(*ast.Attribute)
				v := fn.Forward.Val(assign.Value)
				if isAttr && v != nil && fn.Forward.Val(at.X) == fn.Forward.Params[0] && slices.Contains(outs, v) && isTensor(fn, v) {
					p.Report(pass.Finding{
						At: assign.Value, Frame: fn.Forward, Evidence: domain.Derived,
						Message: "output of `forward` kept as an attribute of `ctx`",
						Why:     "output, graph and `ctx` reference each other, so memory grows until the garbage collector runs",
						Help:    "pass it to `ctx.save_for_backward` instead",
					})
				}
			}
			return true
		})
	}
}

// isTensor reports whether an output is a tensor that forward computed with a known function.
// An input that is returned has a graph of its own, and one of several results of a kernel
// may be a handle.
func isTensor(fn *infer.Function, v *infer.Val) bool {
	return v.Ref == nil && v.Const == nil && !slices.Contains(fn.Inputs, v) && v.Fn != nil && v.Op != infer.OpItem &&
		!v.Is(domain.Number|domain.Count|domain.Text)
}
