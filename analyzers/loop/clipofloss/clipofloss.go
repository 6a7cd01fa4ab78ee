// Package clipofloss is rule LOOP023, clip-of-loss; rule.md says what it finds.
package clipofloss

import (
	_ "embed"
	"slices"

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

// Analyzer reports clips of gradients that are handed what was computed, in place of parameters.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("clip_grad_norm", "clip_grad_value") {
		x := clipped(v)
		if x == nil || x.Ref != nil {
			continue
		}
		isLoss := slices.ContainsFunc(p.Roles.Backwards, func(b *roles.Backward) bool { return b.Loss == x })
		if query.HasGraph(x) || isLoss && x.Q.Grad != domain.Detached && x.Op != infer.OpParam {
			f := pass.At(v, x)
			f.Evidence = domain.Derived
			p.Report(f)
		}
	}
}

// clipped is the first argument of a call.
func clipped(v *infer.Val) *infer.Val {
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Frame == nil || v.Frame.Val(v.Node) != v {
		return nil
	}
	for _, k := range call.Keywords {
		if k.Name == "parameters" {
			return v.Frame.Val(k.Value)
		}
	}
	if len(call.Args) == 0 {
		return nil
	}
	return v.Frame.Val(call.Args[0])
}
