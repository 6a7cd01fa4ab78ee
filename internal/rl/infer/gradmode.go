package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// gradMode is what a context manager or a decorator does to the recording of
// gradients.
type gradMode uint8

const (
	gradKept gradMode = iota
	gradOff
	gradOn
)

// off returns whether gradients are off, where they were off before as said.
func (m gradMode) off(before bool) bool {
	return m == gradOff || m == gradKept && before
}

// turnsGradientsOn reports whether a body says set_grad_enabled(True): whoever calls it has
// gradients off.
func turnsGradientsOn(body []ast.Stmt) bool {
	return slices.ContainsFunc(body, func(st ast.Stmt) bool {
		expr, ok := st.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := expr.X.(*ast.Call)
		if !ok || len(call.Args) != 1 {
			return false
		}
		name, _ := lastName(call.Fun)
		on, ok := call.Args[0].(*ast.Constant)
		return name == "set_grad_enabled" && ok && on.Kind == ast.True
	})
}

// gradModeOf returns what an object does to gradients: no_grad() and its like;
// otherwise for anything else, and where the argument of set_grad_enabled, or that of
// inference_mode, is not known.
func gradModeOf(r Ref, otherwise gradMode) gradMode {
	o, ok := r.(*LibObject)
	if !ok {
		return otherwise
	}
	switch o.Name {
	case "torch.inference_mode":
		if len(o.Pos) != 1 {
			return gradOff
		}
		if off, known := Truth(o.Pos[0]); known && off {
			return gradOff
		}
	case "torch.no_grad":
		return gradOff
	case "torch.enable_grad":
		return gradOn
	case "torch.set_grad_enabled":
		if len(o.Pos) == 1 {
			if on, known := Truth(o.Pos[0]); known && on {
				return gradOn
			} else if known {
				return gradOff
			}
		}
	}
	return otherwise
}
