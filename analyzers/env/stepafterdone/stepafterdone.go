// Package stepafterdone is rule ENV010, step-after-done; rule.md says what it finds.
package stepafterdone

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

// Analyzer reports loops that step an environment on after the end of an episode.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Endless() {
		return
	}
	steps, _ := p.Roles.EnvCalls()
	for _, step := range steps {
		loops := p.Roles.Nest(step.Place())
		if step.Env == "" || len(loops) == 0 || p.In(step.Frame) == nil || !p.Roles.EndsOnce(p.See(query.Receiver(step.Frame, step.Node))) {
			continue
		}
		outermost := loops[0]
		if p.Roles.MayReset(outermost, step.Place(), step.Env) || !p.Roles.Updates(outermost) || !goesOn(p, step, loops) {
			continue
		}
		p.Report(pass.Finding{
			At: step.Node, Frame: step.Frame, Evidence: domain.Derived,
			Related: p.There(query.Place{Frame: outermost.Frame, Node: head(outermost.Stmt)}, "nothing in this loop resets the environment"),
		})
	}
}

// head is what stands in the first line of a loop.
func head(st ast.Stmt) ast.Node {
	if l, ok := st.(*ast.For); ok {
		return l.Iter
	}
	if l, ok := st.(*ast.While); ok {
		return l.Cond
	}
	return st
}

// longest is the number of steps that an episode may well have.
const longest = 1000

// goesOn reports whether the loops take steps beyond the end of an episode: the innermost one ends with the episode, and
// the one around it begins another; or none is ever left, and the rounds are more than an episode has.
func goesOn(p *pass.Pass, step roles.EnvCall, loops []query.Loop) bool {
	inner := loops[len(loops)-1]
	flags := flagsOf(step, inner)
	if endsWith(inner, step.Frame == inner.Frame, flags) {
		return len(loops) > 1 && !mayLeave(loops[len(loops)-2], inner.Stmt)
	}
	if _, own := infer.RefOf(query.Receiver(step.Frame, step.Node)).(*infer.Instance); own {
		return false // it may hold several environments
	}
	rounds := int64(1)
	for _, l := range loops {
		if mayLeave(l, nil) || !repeats(l.Stmt) {
			return false
		}
		n, setting, ok := l.Rounds()
		if !ok || setting {
			n = longest
		}
		rounds *= min(max(n, 1), longest)
	}
	return rounds >= longest
}

// repeats reports whether a loop goes on whatever happens: it counts, or its condition always holds.
func repeats(st ast.Stmt) bool {
	w, ok := st.(*ast.While)
	if !ok {
		return true
	}
	switch c := w.Cond.(type) {
	case *ast.Constant:
		return true
	case *ast.Number:
		return true
	case *ast.Compare: // of a count with a bound
		return len(c.Ops) == 1 && (c.Ops[0] == ast.Lt || c.Ops[0] == ast.LtE)
	}
	return false
}

// flagsOf are the variables that say in a loop whether the episode is over: what step yields third and fourth, and what is
// computed from it. Loops go by variables, so these are compared by name.
func flagsOf(step roles.EnvCall, l query.Loop) map[string]bool {
	flags := map[string]bool{}
	for i, e := range step.Into {
		if name, ok := e.(*ast.Name); ok && step.Unpacked && (i == 2 || i == 3 && len(step.Into) > 4) {
			flags[name.Ident] = true
		}
	}
	for range 3 {
		query.Targets([]ast.Stmt{l.Stmt}, func(t ast.Expr, by ast.Stmt) {
			name, ok := t.(*ast.Name)
			as, assigns := by.(*ast.Assign)
			if ok && assigns && readsAny(as.Value, flags) && as != step.Stmt && !calls(as.Value) {
				flags[name.Ident] = true
			}
		})
	}
	return flags
}

func calls(e ast.Expr) bool {
	_, ok := e.(*ast.Call)
	return ok
}

func readsAny(n ast.Node, names map[string]bool) bool {
	found := false
	ast.Walk(n, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		found = found || ok && names[x.Ident]
		return !found
	})
	return found
}

// endsWith reports whether a loop is left when an episode ends: by its condition, or by break under one.
func endsWith(l query.Loop, own bool, flags map[string]bool) bool {
	if !own {
		return false
	}
	if w, ok := l.Stmt.(*ast.While); ok && readsAny(w.Cond, flags) {
		return true
	}
	found := false
	ast.InspectStmts(l.Body(), func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.For, *ast.While, *ast.FunctionDef, *ast.ClassDef:
			return false
		case *ast.If:
			if len(st.Then) > 0 && readsAny(st.Cond, flags) {
				_, leaves := st.Then[len(st.Then)-1].(*ast.Break)
				found = found || leaves
			}
		}
		return !found
	})
	return found
}

// mayLeave reports whether the rounds of a loop may end early: by break, return or an exception, other than in the inner one.
func mayLeave(l query.Loop, inner ast.Stmt) bool {
	found := false
	ast.InspectStmts(l.Body(), func(st ast.Stmt) bool {
		switch st.(type) {
		case *ast.Break, *ast.Return, *ast.Raise:
			found = true
		case *ast.FunctionDef, *ast.ClassDef:
			return false
		case *ast.For, *ast.While:
			return st != inner
		}
		return !found
	})
	return found
}
