// Package resetseedinloop is rule ENV005, reset-seed-in-loop; rule.md says what it finds.
package resetseedinloop

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

// Analyzer reports environments that are reset with the same seed for every episode.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	steps, resets := p.Roles.EnvCalls()
	for _, c := range resets {
		seed := seedOf(c.Node)
		if seed == nil || c.Env == "" || p.In(c.Frame) == nil {
			continue
		}
		if loop := episodes(c, steps); loop != nil && fixed(c.Frame, seed, loop) && !ignored(c) {
			p.Report(pass.Finding{At: c.Node, Frame: c.Frame, Evidence: domain.Derived})
		}
	}
}

// ignored reports whether the environment is the program's own, and its reset does nothing with the seed: then the episodes differ.
func ignored(c roles.EnvCall) bool {
	at, ok := c.Node.Fun.(*ast.Attribute)
	if !ok {
		return false
	}
	env, ok := infer.RefOf(c.Frame.Val(at.X)).(*infer.Instance)
	if !ok {
		return false
	}
	reset, ok := infer.RefOf(env.Class.Lookup("reset")).(*infer.FuncRef)
	return ok && reset.Def != nil && roles.IgnoresSeed(reset.Def)
}

func seedOf(call *ast.Call) ast.Expr {
	for _, k := range call.Keywords {
		if k.Name == "seed" {
			return k.Value
		}
	}
	return nil
}

// episodes is the loop around a reset in whose rounds the same environment is stepped, and not made.
func episodes(c roles.EnvCall, steps []roles.EnvCall) ast.Stmt {
	loops := query.Around(c.Place())
	if len(loops) == 0 {
		return nil
	}
	loop := loops[len(loops)-1].Stmt
	stepped := false
	for _, s := range steps {
		stepped = stepped || s.Frame == c.Frame && s.Env == c.Env && loop.Span().Covers(s.Node.Span())
	}
	if !stepped {
		return nil
	}
	made := false
	query.Targets([]ast.Stmt{loop}, func(t ast.Expr, _ ast.Stmt) { made = made || query.Path(t) == c.Env })
	if made {
		return nil
	}
	return loop
}

// fixed reports whether a seed is a constant or a setting that nothing in the loop changes.
func fixed(f *infer.Frame, seed ast.Expr, loop ast.Stmt) bool {
	path := query.Path(seed)
	if _, number := seed.(*ast.Number); path == "" && !number {
		return false
	}
	if v := f.Val(seed); v == nil || v.IsNone() || v.Op == infer.OpPhi || v.Op == infer.OpIterate {
		return false
	}
	changed := false
	query.Targets([]ast.Stmt{loop}, func(t ast.Expr, _ ast.Stmt) {
		changed = changed || path != "" && query.Path(t) == path
	})
	return !changed
}
