package savedtensormisused

import (
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// keepsOutput reports outputs that are kept as attributes of ctx: the output holds its
// graph, the graph its ctx, and the ctx the output.
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
					reportOutput(p, fn, at, assign.Value)
				}
			}
			return true
		})
	}
}

// isTensor reports whether an output is a tensor that forward made with a known function:
// an input that is handed through has a graph of its own, and one of several things that a
// kernel returns may be a handle.
func isTensor(fn *infer.Function, v *infer.Val) bool {
	return v.Ref == nil && v.Const == nil && !slices.Contains(fn.Inputs, v) && v.Fn != nil && v.Op != infer.OpItem &&
		!v.Is(domain.Number|domain.Count|domain.Text)
}

func reportOutput(p *pass.Pass, fn *infer.Function, at *ast.Attribute, value ast.Expr) {
	src := p.In(fn.Forward)
	p.Report(pass.Finding{
		At: value, Frame: fn.Forward, Evidence: domain.Derived,
		Message: fmt.Sprintf("%s is what `%s.forward` returns: the output holds its graph, the graph ctx, and ctx the output, so that none is freed "+
			"until the garbage collector comes by, and memory grows; pass it to `ctx.save_for_backward`", src.Short(at), fn.Class.Def.Name),
	})
}
