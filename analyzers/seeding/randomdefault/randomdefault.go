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
		if def.Params == nil || !p.Trains(f) || calledOnce(p, def) {
			continue
		}
		for _, param := range def.Params.List {
			if draw := query.DrawIn(f.Module, param.Default); draw != nil {
				p.Report(pass.Finding{At: param.Default, Frame: f, Evidence: domain.Derived})
			}
		}
	}
}

// calledOnce reports whether a function is called once in a process: as a command of click or typer, or at one place of a script, outside of loops.
func calledOnce(p *pass.Pass, def *ast.FunctionDef) bool {
	for _, d := range def.Decorators {
		if call, ok := d.(*ast.Call); ok && query.CalleeName(call) == "command" {
			return true
		}
	}
	calls, once := map[ast.Node]bool{}, true
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Def != def {
			continue
		}
		for site := range f.Sites {
			calls[site.Node] = true
			once = once && site.Caller.Func == nil && len(query.Around(query.Place{Frame: site.Caller, Node: site.Node})) == 0
		}
	}
	return once && len(calls) == 1
}
