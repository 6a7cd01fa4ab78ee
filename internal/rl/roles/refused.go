package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// A call of the program's own function that a bound kept from being followed did not happen, as far as values tell. What it may
// do to gradients is read from its text then.

// refusedGrads looks for what functions may do to gradients.
type refusedGrads struct{ seen []*ast.FunctionDef }

// mayChangeGrads reports whether a function, a method of its class or a function of its module that it calls by name does
// something to gradients. Names decide, which here only make rules silent.
func mayChangeGrads(fn *infer.FuncRef) bool { return (&refusedGrads{}).in(fn, fn.Def) }

// maxRefused bounds the functions that are read for one call.
const maxRefused = 32

// in reads a definition in the module, and the class, of fn.
func (w *refusedGrads) in(fn *infer.FuncRef, def *ast.FunctionDef) bool {
	if def == nil || slices.Contains(w.seen, def) {
		return false
	}
	if len(w.seen) == maxRefused {
		return true
	}
	w.seen = append(w.seen, def)
	found := false
	for _, st := range def.Body {
		ast.Walk(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Attribute:
				found = found || IsGrad(n.Attr)
			case *ast.Call:
				found = found || actsOnGrads(n) || w.calls(fn, n)
			}
			return !found
		})
	}
	return found
}

// actsOnGrads reports whether a call, by its name, is one of those that are moments.
func actsOnGrads(n *ast.Call) bool {
	name := query.CalleeName(n)
	switch name {
	case "backward", "manual_backward", "zero_grad":
		return true
	case "step": // of an optimizer, or scaler.step(optimizer)
		return len(n.Args)+len(n.Keywords) == 0 || len(n.Args) == 1 && strings.Contains(strings.ToLower(query.Path(n.Args[0])), "opt")
	}
	return strings.HasPrefix(name, "clip_grad") || changesGrads(strings.ToLower(name))
}

// calls reports whether what is called by name, next to fn, does something to gradients.
func (w *refusedGrads) calls(fn *infer.FuncRef, n *ast.Call) bool {
	switch f := n.Fun.(type) {
	case *ast.Name:
		for _, st := range fn.Module.AST.Body {
			if def, ok := st.(*ast.FunctionDef); ok && def.Name == f.Ident {
				return w.in(fn, def)
			}
		}
	case *ast.Attribute:
		if x, ok := f.X.(*ast.Name); ok && x.Ident == "self" && fn.Class != nil {
			if m := fn.Class.Lookup(f.Attr); m != nil {
				if method, ok := m.Ref.(*infer.FuncRef); ok {
					return w.in(method, method.Def)
				}
			}
		}
	}
	return false
}
