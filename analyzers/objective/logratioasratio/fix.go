package logratioasratio

import (
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// fix takes the exponential where the difference is computed. It is unsafe if the value
// is used elsewhere than in the objective.
func fix(p *pass.Pass, root query.Seen) *pass.Fix {
	edits, imports := exponentiate(p, root.Val)
	if edits == nil {
		return nil
	}
	fix := &pass.Fix{Message: "Take the exponential of the difference", Edits: edits, Imports: imports}
	if p.Becomes(root.Val, "exp", "expm1", "pow", "square", "sub", "add", "neg") {
		fix.Applicability = finding.Unsafe
	}
	return fix
}

// exponentiate replaces an expression with its exponential, as the module spells it for
// the array's library. It has no edits for a statement.
func exponentiate(p *pass.Pass, v *infer.Val) (edits []pass.Edit, imports []string) {
	src, lib := p.In(v.Frame), libraryOf(p, v, 4)
	switch n := v.Node.(type) {
	case *ast.Call:
		if at, ok := n.Fun.(*ast.Attribute); ok && strings.HasSuffix(at.Attr, "_") {
			return src.Method(n, ".exp_()"), nil // in place: x.sub_(y)
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

// libraryOf returns the library of an array: its own if known, else that of the values
// computed from it.
func libraryOf(p *pass.Pass, v *infer.Val, depth int) infer.Lib {
	if v.Lib != infer.LibUnknown || depth == 0 {
		return v.Lib
	}
	for _, u := range p.UsesOf(v) {
		if lib := libraryOf(p, u, depth-1); lib != infer.LibUnknown {
			return lib
		}
	}
	return infer.LibUnknown
}
