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
	taken := map[*infer.Frame][]stepped{}
	for _, step := range steps {
		if !step.Unpacked || len(step.Into) < 4 || p.In(step.Frame) == nil || p.In(step.Frame).IsTest() {
			continue
		}
		s := stepped{p, step, step.Frame.Val(step.Into[0]), step.Frame.Val(step.Into[1])}
		if s.next != nil && s.reward != nil {
			taken[step.Frame] = append(taken[step.Frame], s)
		}
	}
	for f := range p.EachFrame {
		if steps := taken[f]; steps != nil {
			look(p, f, steps)
		}
	}
}

// look reports what a body puts together of one of its steps.
func look(p *pass.Pass, f *infer.Frame, steps []stepped) {
	returned := map[ast.Node]bool{} // who is given both takes them apart, and stores what he likes
	query.OwnStmts(f, func(st ast.Stmt) {
		if ret, ok := st.(*ast.Return); ok && ret.X != nil {
			returned[ret.X] = true
		}
	})
	for _, n := range f.Nodes() {
		list := query.PartsOfRow(n)
		if returned[n] {
			continue
		}
		i := slices.IndexFunc(steps, func(s stepped) bool {
			return n.Span().Start >= s.call.Stmt.Span().End && s.tells(list) && s.twice(list)
		})
		if i >= 0 {
			p.Report(pass.Finding{
				At: n, Frame: f, Evidence: domain.Derived,
				Related: p.There(steps[i].call.Place(), "both are the observation behind this step"),
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

// tells reports whether parts are of the transition of this step: the reward is among them, or the action and the flag of the end, where the
// program pays something else.
func (s stepped) tells(parts []ast.Expr) bool {
	var action, ended bool
	for _, e := range parts {
		v := s.call.Frame.Val(e)
		switch x := infer.Strip(v); {
		case x == nil:
		case x == infer.Strip(s.reward):
			return true
		case v.Is(domain.Done | domain.Terminated | domain.Truncated):
			ended = true
		case len(s.call.Node.Args) > 0 && infer.Strip(s.call.Frame.Val(s.call.Node.Args[0])) == x:
			action = true
		}
	}
	return action && ended
}

// twice reports whether two parts of a transition are the next observation: the variable of the state was moved on before the transition
// was stored, or the same variable is named twice, and becomes the state. Where nothing held the state under another name before the step,
// the row begins with what the step brought: it may belong to the action after it.
func (s stepped) twice(parts []ast.Expr) bool {
	var found []ast.Expr
	for _, e := range parts {
		v := s.call.Frame.Val(e)
		if v != nil && infer.Strip(v) == infer.Strip(s.next) && query.Path(e) != "" && !s.kept(e) {
			found = append(found, e)
		}
	}
	if len(found) != 2 {
		return false
	}
	moved := func(e ast.Expr) bool { return query.Path(e) != query.Path(s.call.Into[0]) && s.moved(e) }
	if query.Path(found[0]) == query.Path(found[1]) {
		return s.becomesState()
	}
	return slices.ContainsFunc(found, func(e ast.Expr) bool { return moved(e) && s.heldBefore(e) })
}

// becomesState reports whether the next observation is assigned to another variable that held an observation before the step.
func (s stepped) becomesState() bool {
	return slices.ContainsFunc(s.call.Frame.Nodes(), func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		return ok && len(as.Targets) == 1 && as.Span().Start >= s.call.Stmt.Span().End && query.Path(as.Targets[0]) != query.Path(s.call.Into[0]) &&
			infer.Strip(s.call.Frame.Val(as.Value)) == infer.Strip(s.next) && s.heldBefore(as.Targets[0])
	})
}

// heldBefore reports whether a variable stands in the body before the step, or is a field, which holds something from elsewhere.
func (s stepped) heldBefore(e ast.Expr) bool {
	name, ok := e.(*ast.Name)
	return !ok || slices.ContainsFunc(query.Mentions(s.call.Frame, name.Ident), func(x *ast.Name) bool {
		return x.Span().End <= s.call.Stmt.Span().Start
	})
}

// moved reports whether a variable or field takes the next observation between the step and the place where it is stored.
func (s stepped) moved(stored ast.Expr) bool {
	return s.assigned(stored, func(as *ast.Assign) bool {
		return as.Span().Start >= s.call.Stmt.Span().End && as.Span().End <= stored.Span().Start
	})
}

// kept reports whether a variable is what it was before the step: it was assigned there, and not since. What a method of the environment
// yields before a step and behind it is one value to inference.
func (s stepped) kept(stored ast.Expr) bool {
	return query.Path(stored) != query.Path(s.call.Into[0]) && !s.moved(stored) &&
		s.assigned(stored, func(as *ast.Assign) bool { return as.Span().End <= s.call.Stmt.Span().Start })
}

// assigned reports whether a variable or field is assigned by a statement for which holds.
func (s stepped) assigned(stored ast.Expr, holds func(*ast.Assign) bool) bool {
	return slices.ContainsFunc(s.call.Frame.Nodes(), func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		return ok && len(as.Targets) == 1 && query.Path(as.Targets[0]) == query.Path(stored) && holds(as)
	})
}
