// Package envseedsglobalrng is rule SEED007, env-seeds-global-rng; rule.md says what it finds.
package envseedsglobalrng

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports environments whose methods seed the generators of the whole process.
var Analyzer = pass.Rule(Doc, run)

// seed and reset are the methods by which the protocol of environments passes a seed.
func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Def == nil || f.Func.Name() != "seed" && f.Func.Name() != "reset" || p.In(f) == nil || !roles.IsEnvClass(f.Func.Class) {
			continue
		}
		if !roles.DerivesEnv(f.Func.Class) && !repeated(p, f) || !draws(f) {
			continue
		}
		for call := range query.In[*ast.Call](f) {
			if seed := query.SeedsGlobal(f, call); seed != nil && !f.Val(seed).IsNone() {
				out := pass.Finding{At: call, Frame: f, Evidence: domain.Derived}
				if !repeated(p, f) {
					out.Severity = finding.Note // each may run in a process of its own
				}
				p.Report(out)
				break
			}
		}
	}
}

// repeated reports whether a method is called more than once: in a loop, or at two places.
func repeated(p *pass.Pass, f *infer.Frame) bool {
	sites := 0
	for site := range f.Sites {
		if sites++; sites > 1 || len(p.Roles.Nest(query.Place{Frame: site.Caller, Node: site.Node})) > 0 {
			return true
		}
	}
	return false
}

// draws reports whether the class takes its own random numbers from a shared generator, in any method.
func draws(f *infer.Frame) bool {
	found := false
	ast.Walk(f.Func.Class.Def, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok && !found {
			found = query.SharedDraw(f.Module, call)
		}
		return !found
	})
	return found
}
