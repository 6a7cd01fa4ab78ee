package pass

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Exponentiate returns edits that make of an expression its exponential, as the
// module spells it for the array's library; none where the syntax is a statement.
func (p *Pass) Exponentiate(v *infer.Val) (edits []Edit, imports []string) {
	src, lib := p.In(v.Frame), p.libraryOf(v, 4)
	switch n := v.Node.(type) {
	case *ast.Call:
		if at, ok := n.Fun.(*ast.Attribute); ok && len(at.Attr) > 1 && at.Attr[len(at.Attr)-1] == '_' {
			return src.Method(n, ".exp_()"), nil
		}
		if lib != infer.LibNumpy {
			return src.Method(n, ".exp()"), nil
		}
	case ast.Expr:
	default:
		return nil, nil
	}
	name := "torch.exp"
	if lib == infer.LibNumpy {
		name = "numpy.exp"
	}
	text, imports := src.Spell(name)
	return src.Wrap(v.Node, text+"(", ")"), imports
}

// libraryOf returns the library of an array: its own where that is known, else that of
// what is made of it.
func (p *Pass) libraryOf(v *infer.Val, depth int) infer.Lib {
	if v.Lib != infer.LibUnknown || depth == 0 {
		return v.Lib
	}
	for _, u := range p.UsesOf(v) {
		if lib := p.libraryOf(u, depth-1); lib != infer.LibUnknown {
			return lib
		}
	}
	return infer.LibUnknown
}
