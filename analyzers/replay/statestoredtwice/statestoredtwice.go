// Package statestoredtwice is rule OFF080, state-stored-twice; rule.md says what it finds.
package statestoredtwice

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

// Analyzer reports transitions in which one observation stands for the state before the step and for the one behind it.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	paid := map[*infer.Frame]map[*infer.Val]stepped{} // by what the step pays, as it stands there
	for _, step := range steps {
		if !step.Unpacked || len(step.Into) < 4 || p.In(step.Frame) == nil || p.In(step.Frame).IsTest() {
			continue
		}
		s := stepped{p, step, step.Frame.Val(step.Into[0]), step.Frame.Val(step.Into[1])}
		if s.next == nil || s.reward == nil {
			continue
		}
		if paid[step.Frame] == nil {
			paid[step.Frame] = map[*infer.Val]stepped{}
		}
		paid[step.Frame][infer.Strip(s.reward)] = s
	}
	for f := range p.EachFrame {
		if by := paid[f]; by != nil {
			look(p, f, by)
		}
	}
}

// look reports what a body puts together of one of its steps.
func look(p *pass.Pass, f *infer.Frame, paid map[*infer.Val]stepped) {
	for _, n := range f.Nodes() {
		list := parts(n)
		i := slices.IndexFunc(list, func(e ast.Expr) bool { _, ok := paid[infer.Strip(f.Val(e))]; return ok })
		if i < 0 {
			continue
		}
		s := paid[infer.Strip(f.Val(list[i]))]
		if n.Span().Start >= s.call.Stmt.Span().End && s.twice(list) {
			p.Report(pass.Finding{
				At: n, Frame: f, Evidence: domain.Derived,
				Related: p.There(s.call.Place(), "both are the observation behind this step"),
			})
		}
	}
}

// stepped is a step of an environment with the observation and the reward that it yields.
type stepped struct {
	p            *pass.Pass
	call         roles.EnvCall
	next, reward *infer.Val
}

// parts are what a call or display puts together.
func parts(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.Tuple:
		return n.Elts
	case *ast.List:
		return n.Elts
	case *ast.Dict:
		return n.Values
	case *ast.Call:
		if query.Loggers[query.CalleeName(n)] {
			return nil
		}
		if len(n.Keywords) == 0 {
			return n.Args
		}
		out := slices.Clone(n.Args)
		for _, k := range n.Keywords {
			out = append(out, k.Value)
		}
		return out
	}
	return nil
}

// twice reports whether two parts of a transition are the next observation: the variable of the state was moved on before the transition
// was stored, or the same variable is named twice.
func (s stepped) twice(parts []ast.Expr) bool {
	var found []ast.Expr
	for _, e := range parts {
		v := s.call.Frame.Val(e)
		if v != nil && infer.Strip(v) == infer.Strip(s.next) && query.Path(e) != "" {
			found = append(found, e)
		}
	}
	if len(found) != 2 {
		return false
	}
	moved := func(e ast.Expr) bool { return query.Path(e) != query.Path(s.call.Into[0]) && s.moved(e) }
	return query.Path(found[0]) == query.Path(found[1]) || slices.ContainsFunc(found, moved)
}

// moved reports whether a variable or field takes the next observation between the step and the place where it is stored.
func (s stepped) moved(stored ast.Expr) bool {
	return slices.ContainsFunc(s.call.Frame.Nodes(), func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		return ok && len(as.Targets) == 1 && query.Path(as.Targets[0]) == query.Path(stored) &&
			as.Span().Start >= s.call.Stmt.Span().End && as.Span().End <= stored.Span().Start
	})
}
