package nodonemask

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// goesOnThrough reports whether the program steps on through every flag, and begins anew by a count: what it runs and reports has no end in a state.
// Environments that begin anew by themselves are begun once, before the loop.
func goesOnThrough(p *pass.Pass) bool {
	steps, resets := p.Roles.EnvCalls()
	flags := map[string]bool{}
	for _, s := range steps {
		if !s.Unpacked || len(s.Into) < 4 {
			return false
		}
		for _, e := range s.Into[2 : len(s.Into)-1] {
			flags[query.Path(e)] = true
		}
	}
	if len(steps) == 0 || !slices.ContainsFunc(resets, func(c roles.EnvCall) bool { return len(query.Around(c.Place())) > 0 }) {
		return false
	}
	delete(flags, "") // of what has no name
	reads := func(f *infer.Frame, n ast.Node) bool {
		found := false
		ast.Walk(n, func(x ast.Node) bool {
			e, ok := x.(ast.Expr)
			found = found || ok && (flags[query.Path(e)] || f.Val(e) != nil && f.Val(e).Is(domain.Done|domain.Terminated|domain.Truncated))
			return !found
		})
		return found
	}
	for range 2 { // what is made of a flag is one
		for f := range p.Graph.EachFrame {
			query.Targets(f.Body(), func(t ast.Expr, by ast.Stmt) {
				if value := query.AssignedTo(t, by); value != nil && query.Path(t) != "" && reads(f, value) {
					flags[query.Path(t)] = true
				}
			})
		}
	}
	for f := range p.Graph.EachFrame {
		if roles.InEnvClass(f) {
			continue
		}
		for _, n := range f.Nodes() {
			if cond := query.BranchesOn(n); cond != nil && reads(f, cond) {
				return false
			}
		}
	}
	return true
}
