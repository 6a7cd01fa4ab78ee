// Package layermadeinforward is rule LOOP028, layer-made-in-forward; rule.md says what it finds.
package layermadeinforward

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports layers with weights that every forward pass makes anew.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if !p.Trains(f) || f.Func == nil || f.Func.Name() != "forward" || f.Func.Class == nil || !f.Func.Class.Derives("torch.nn.Module") {
			continue
		}
		for call := range query.In[*ast.Call](f) {
			o, ok := infer.RefOf(f.Val(call)).(*infer.LibObject)
			if ok && f.Val(call).Frame == f && f.Val(call).Node == call && roles.HasWeights(o) && query.CalleeName(call) != "from_pretrained" && f.Val(call).Guard == nil && isApplied(p, f, call) {
				p.Report(pass.Finding{At: call, Frame: f, Evidence: domain.Derived})
			}
		}
	}
}

// isApplied reports whether the layer that a call makes is applied in the same body, and kept and changed nowhere: the call
// is called itself, or the only variable that holds it is.
func isApplied(p *pass.Pass, f *infer.Frame, made *ast.Call) bool {
	name, direct, kept := "", false, false
	for _, n := range f.Nodes() {
		switch n := n.(type) {
		case *ast.Call:
			direct = direct || isMadeIn(n.Fun, made)
		case *ast.Assign:
			if n.Value == ast.Expr(made) || isMadeIn(n.Value, made) {
				if x, ok := n.Targets[0].(*ast.Name); ok && len(n.Targets) == 1 {
					name = x.Ident
				} else {
					kept = true
				}
			}
		}
	}
	if direct || kept || name == "" {
		return direct && !kept
	}
	called, moved, bound, named := 0, 0, 0, 0
	for _, n := range f.Nodes() {
		switch n := n.(type) {
		case *ast.Call:
			if query.Path(n.Fun) == name {
				called++
			}
		case *ast.Attribute:
			if query.Path(n.X) == name && leaves[n.Attr] {
				moved++
			}
		case *ast.Assign:
			if query.Path(n.Targets[0]) == name {
				bound++
			}
		case *ast.Name:
			if n.Ident == name {
				named++
			}
		}
	}
	return called > 0 && called+moved+bound == named // named for anything else, it may be kept or given weights
}

// leaves are methods that leave the weights of a layer as they are.
var leaves = query.Words("to cuda train")

// isMadeIn reports whether an expression is the call that made the layer, or that layer moved: nn.Linear(4, 2).to(device).
func isMadeIn(e ast.Expr, made *ast.Call) bool {
	for range 4 {
		if e == ast.Expr(made) {
			return true
		}
		call, ok := e.(*ast.Call)
		if !ok {
			return false
		}
		at, ok := call.Fun.(*ast.Attribute)
		if !ok || at.Attr != "to" && at.Attr != "cuda" && at.Attr != "double" {
			return false
		}
		e = at.X
	}
	return false
}
