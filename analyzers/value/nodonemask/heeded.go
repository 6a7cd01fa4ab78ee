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
	reads := func(f *infer.Frame, n ast.Node) bool {
		found := false
		ast.Walk(n, func(x ast.Node) bool {
			e, ok := x.(ast.Expr)
			found = found || ok && (flags[query.Path(e)] && query.Path(e) != "" || f.Val(e) != nil && f.Val(e).Is(domain.Done|domain.Terminated|domain.Truncated))
			return !found
		})
		return found
	}
	for range 2 { // what is made of a flag is one
		for f, as := range query.Everywhere[*ast.Assign](p.Graph) {
			for _, t := range as.Targets {
				if query.Path(t) != "" && reads(f, as.Value) {
					flags[query.Path(t)] = true
				}
				both, ok := t.(*ast.Tuple)
				values, alike := as.Value.(*ast.Tuple)
				for i := 0; ok && alike && i < min(len(both.Elts), len(values.Elts)); i++ {
					if reads(f, values.Elts[i]) {
						flags[query.Path(both.Elts[i])] = true
					}
				}
			}
		}
	}
	for f := range p.Graph.EachFrame {
		if f.Func != nil && f.Func.Class != nil && roles.IsEnvClass(f.Func.Class) {
			continue
		}
		for _, n := range f.Nodes() {
			if cond := condition(n); cond != nil && reads(f, cond) {
				return false
			}
		}
	}
	return true
}

// condition is what a branch or a loop asks.
func condition(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.If:
		return n.Cond
	case *ast.While:
		return n.Cond
	case *ast.IfExp:
		return n.Cond
	}
	return nil
}
