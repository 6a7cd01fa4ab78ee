// Package iteminloss is rule GRAD002, item-in-loss; rule.md says what it
// finds.
package iteminloss

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports objectives that were converted to numbers.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.Severed(roles.CutByNumber) {
		src := p.In(c.At.Frame)
		if src == nil || c.At.Node == nil {
			continue
		}
		f := pass.At(c.At.Val, c.From.Val)
		f.Severity, f.Related = pass.Quiet(c), p.BackwardOf(c.Loss)
		f.Fix = keep(src, c.At.Node)
		p.Report(f)
	}
}

// keep removes x.item() or float(x).
func keep(src *pass.Source, at ast.Node) *pass.Fix {
	call, ok := at.(*ast.Call)
	if !ok {
		return nil
	}
	switch fun := call.Fun.(type) {
	case *ast.Attribute:
		if fun.Attr == "item" && len(call.Args) == 0 {
			return &pass.Fix{Message: "Keep the tensor", Edits: src.Replace(call, src.Operand(fun.X))}
		}
	case *ast.Name:
		if fun.Ident == "float" && len(call.Args) == 1 {
			return &pass.Fix{Message: "Keep the tensor", Edits: src.Replace(call, src.Operand(call.Args[0]))}
		}
	}
	return nil
}
