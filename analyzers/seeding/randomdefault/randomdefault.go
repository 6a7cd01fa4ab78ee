// Package randomdefault is rule SEED001, random-default; rule.md says what it finds.
package randomdefault

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports defaults of parameters that are drawn at random.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, def := range query.Everywhere[*ast.FunctionDef](p.Graph) {
		if def.Params == nil || !p.Trains(f) {
			continue
		}
		for _, param := range def.Params.List {
			if draw := query.DrawIn(f.Module, param.Default); draw != nil {
				p.Report(pass.Finding{At: param.Default, Frame: f, Evidence: domain.Derived})
			}
		}
	}
}
