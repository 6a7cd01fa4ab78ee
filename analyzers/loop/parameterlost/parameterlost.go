// Package parameterlost is rule LOOP032, parameter-lost; rule.md says what it finds.
package parameterlost

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports parameters that arithmetic turns into plain tensors before the module sees them.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if !p.Trains(f) || f.Func == nil || f.Func.Class == nil || !f.Func.Class.Derives("torch.nn.Module") {
			continue
		}
		for _, n := range f.Nodes() {
			as, ok := n.(*ast.Assign)
			if !ok || len(as.Targets) != 1 {
				continue
			}
			at, ok := as.Targets[0].(*ast.Attribute)
			if !ok || infer.RefOf(f.Val(at.X)) == nil {
				continue
			}
			if made := wrapped(f, as.Value); made != nil && !remade(p, f, at) {
				p.Report(pass.Finding{At: as.Value, Frame: f, Evidence: domain.Derived})
			}
		}
	}
}

// wrapped returns the nn.Parameter that an expression changes into a tensor that is none; nil for anything else.
func wrapped(f *infer.Frame, e ast.Expr) ast.Expr {
	changed := false
	for range 8 {
		switch n := e.(type) {
		case *ast.BinOp:
			changed = true
			if isParameter(f, n.Y) {
				return n.Y
			}
			e = n.X
			continue
		case *ast.UnaryOp:
			changed, e = true, n.X
			continue
		case *ast.Call:
			if isParameter(f, n) {
				if changed {
					return n
				}
				return nil
			}
			if at, ok := n.Fun.(*ast.Attribute); ok && makesTensor[at.Attr] {
				changed, e = true, at.X
				continue
			}
		}
		return nil
	}
	return nil
}

// makesTensor are methods that return a tensor which is no parameter, on every device.
var makesTensor = query.Words(`exp log tanh sigmoid clamp clip unsqueeze squeeze view reshape expand repeat tile mul add sub div clone detach t transpose permute cuda half`)

func isParameter(f *infer.Frame, e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	return ok && query.CalledSymbol(f, call) == "torch.nn.Parameter"
}

// remade reports whether the field is made a parameter elsewhere in the body.
func remade(p *pass.Pass, f *infer.Frame, field *ast.Attribute) bool {
	for call := range query.In[*ast.Call](f) {
		name := query.CalleeName(call)
		if name == "register_parameter" || name == "register_buffer" {
			return true
		}
		if isParameter(f, call) && len(call.Args) > 0 && query.Reads(call.Args[0], query.Path(field)) {
			return true
		}
	}
	return false
}
