// Package resetignoresseed is rule SEED008, reset-ignores-seed; rule.md says what it finds.
package resetignoresseed

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

// Analyzer reports environments that take a seed, do nothing with it, and draw from the shared generators.
var Analyzer = pass.Rule(Doc, run)

// seed is the parameter by which the protocol of environments passes a seed to reset.
func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Def == nil || f.Func.Name() != "reset" || f.Func.Class == nil || p.In(f) == nil || !roles.DerivesEnv(f.Func.Class) {
			continue
		}
		up := roles.HandsSeedUp(f.Func.Def)
		if up && !reachesLibrary(f.Func.Class, maxBases) || !up && !roles.IgnoresSeed(f.Func.Def) {
			continue
		}
		if at := draw(p, f); at != nil {
			out := pass.Finding{At: at, Frame: f, Evidence: domain.Derived}
			if up {
				out.Message = "the seed goes to `self.np_random`, and this draws from another generator"
				out.Help = "draw from `self.np_random`"
			}
			p.Report(out)
		}
	}
}

// maxBases bounds the way up through the bases of a class.
const maxBases = 8

// reachesLibrary reports whether the seed that super().reset() of a class is given comes to a library's environment, and does nothing before:
// a base of the program, or one that is not known, may seed the shared generators.
func reachesLibrary(c *infer.ClassRef, depth int) bool {
	if depth == 0 || slices.ContainsFunc(c.LibBases, func(b string) bool { return !roles.IsEnvBase(b) }) {
		return false
	}
	return !slices.ContainsFunc(c.Bases, func(b *infer.ClassRef) bool {
		if own := b.Attrs["reset"]; own != nil {
			reset, ok := own.Ref.(*infer.FuncRef)
			if !ok || reset.Def == nil || !roles.HandsSeedUp(reset.Def) {
				return true
			}
		}
		return !reachesLibrary(b, depth-1)
	})
}

// draw is the first call in a body that draws from a shared generator.
func draw(p *pass.Pass, f *infer.Frame) ast.Node {
	for call := range query.In[*ast.Call](f) {
		if query.DrawsGlobal(f, call) {
			return call
		}
	}
	return nil
}
