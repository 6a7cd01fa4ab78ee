// Package learnrestartscounters is rule LOOP061, learn-restarts-counters; rule.md says what it finds.
package learnrestartscounters

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports loops over learn() that begin each round at step 0.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if query.CalleeName(call) != "learn" || query.Keyword(call, "reset_num_timesteps") != nil || query.HasOpenArgs(call) {
			continue
		}
		at, ok := call.Fun.(*ast.Attribute)
		if !ok {
			continue
		}
		class := query.Algorithm(f.Val(at.X))
		loops := query.Around(query.Place{Frame: f, Node: call})
		if class == "" || len(loops) == 0 || leaves(loops[len(loops)-1].Stmt) || madeIn(loops[len(loops)-1], at.X) {
			continue
		}
		out := pass.Finding{At: call, Frame: f, Evidence: domain.Derived}
		if class == "DQN" || class == "QRDQN" {
			out.Severity = finding.Error
			out.Why = "each round explores at random anew, since epsilon starts at 1 again"
		}
		p.Report(out)
	}
}

// leaves reports whether a loop ends in its first round.
func leaves(loop ast.Stmt) bool {
	body := ast.Blocks(loop)[0]
	switch body[len(body)-1].(type) {
	case *ast.Break, *ast.Return, *ast.Raise:
		return true
	}
	return false
}

// madeIn reports whether the loop makes the model anew, or takes it from what it goes through.
func madeIn(loop query.Loop, model ast.Expr) bool {
	name, found := query.Path(model), false
	if name == "" {
		return true
	}
	query.Targets([]ast.Stmt{loop.Stmt}, func(t ast.Expr, by ast.Stmt) {
		if query.Path(t) == name && !isLearn(by) {
			found = true
		}
	})
	return found
}

// isLearn reports whether a statement keeps what learn returns, which is the model itself.
func isLearn(st ast.Stmt) bool {
	as, ok := st.(*ast.Assign)
	return ok && query.CalleeName(as.Value) == "learn"
}
