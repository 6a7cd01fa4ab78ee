// Package loadresultdropped is rule LOOP060, load-result-dropped; rule.md says what it finds.
package loadresultdropped

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

// Analyzer reports loads of models whose result goes nowhere.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if p.In(f) == nil {
			continue
		}
		query.Dropped(f, func(call *ast.Call) {
			at, ok := call.Fun.(*ast.Attribute)
			if !ok || at.Attr != "load" {
				return
			}
			on := f.Val(at.X)
			class, model := query.AlgorithmClass(on), query.Algorithm(on)
			if class == "" && model == "" && !isVecNormalize(on) {
				return
			}
			out := pass.Finding{At: call, Frame: f, Evidence: domain.Derived}
			if model != "" {
				out.Help = "write `" + p.In(f).Text(at.X) + ".set_parameters(...)`, or assign what `load()` returns"
				if len(call.Args) == 1 && len(call.Keywords) == 0 {
					out.Fix = &pass.Fix{Message: "Load into the model", Edits: []pass.Edit{{Span: at.AttrLoc, New: "set_parameters"}}}
				}
			}
			p.Report(out)
		})
	}
}

func isVecNormalize(v *infer.Val) bool {
	r, ok := infer.RefOf(v).(*infer.LibRef)
	return ok && infer.BaseOp(r.Name) == "VecNormalize"
}
