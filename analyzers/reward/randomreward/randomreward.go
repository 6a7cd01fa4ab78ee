// Package randomreward is rule RWD008, random-reward; rule.md says what it finds.
package randomreward

import (
	_ "embed"
	"strings"

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

// Analyzer reports rewards that are drawn at random.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, sc := range p.Scored() {
		f := sc.Frame
		if p.In(f) == nil {
			continue
		}
		for _, e := range query.Rewards(f, sc) {
			if draw := drawn(f, e); draw != nil {
				p.Report(pass.Finding{At: e, Frame: f, Evidence: domain.Derived})
				break
			}
		}
	}
}

// drawn is a draw that is a term or factor of a reward. Draws that functions are tried on, as tests of what a model wrote are, are none.
func drawn(f *infer.Frame, e ast.Expr) (draw ast.Node) {
	infer.Walk(f.Val(e), 64, func(v *infer.Val) bool {
		if call, ok := v.Node.(*ast.Call); ok && v.Frame != nil && draws(v.Frame, call) {
			draw = call
		}
		return draw == nil && (v.Op == infer.OpPhi || v.Op == infer.OpNarrow || query.IsConversion(v) || v.IsOp("add", "sub", "mul", "div", "neg", "pow", "min", "max", "abs", "item", "clip", "round"))
	})
	return draw
}

func draws(f *infer.Frame, call *ast.Call) bool {
	name := query.CalledSymbol(f, call)
	return query.DrawsGlobal(f, call) || strings.HasPrefix(name, "torch.rand") && name != "torch.random.manual_seed" || name == "torch.normal"
}
