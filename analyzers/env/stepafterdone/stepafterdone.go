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
		if handedOut(p, step) {
			continue
		}
		outermost := loops[0]
		resets, may := p.Roles.ResetsIn(outermost, step)
		if may || !p.Roles.Updates(outermost) || !goesOn(p, step, loops) {
			continue
		}
		related := p.There(query.Place{Frame: outermost.Frame, Node: head(outermost.Stmt)}, "nothing in this loop resets the environment")
		if len(resets) > 0 {
			related = append(p.There(query.Place{Frame: outermost.Frame, Node: head(outermost.Stmt)}, "nothing in this loop resets the environment for these steps"),
				p.There(resets[0], "this begins an episode that is played to its end right behind it")...)
		}
		p.Report(pass.Finding{At: step.Node, Frame: step.Frame, Evidence: domain.Derived, Related: related})
	}
}

// handedOut reports whether a program takes the method that resets the environment of a step without calling it there, as
// `begin = env.reset` does: what calls it then is not followed.
func handedOut(p *pass.Pass, step roles.EnvCall) bool {
	called := map[ast.Expr]bool{}
	for _, call := range p.Calls() {
		called[call.Fun] = true
	}
	for _, at := range query.Everywhere[*ast.Attribute](p.Graph) {
		if at.Attr == "reset" && !called[at] && query.Path(at.X) == step.Env {
			return true
		}
	}
	return false
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
	flags := step.Flags(inner.Stmt)
	if endsWith(inner, step.Frame == inner.Frame, flags) {
		return len(loops) > 1 && !loops[len(loops)-2].MayLeave(inner.Stmt)
	}
	if _, own := infer.RefOf(query.Receiver(step.Frame, step.Node)).(*infer.Instance); own {
		return false // it may hold several environments
	}
	rounds := int64(1)
	for _, l := range loops {
		if l.MayLeave(nil) || !repeats(l.Stmt) {
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

// endsWith reports whether a loop is left when an episode ends: by its condition, or by break under one.
func endsWith(l query.Loop, own bool, flags map[string]bool) bool {
	if !own {
		return false
	}
	if w, ok := l.Stmt.(*ast.While); ok && query.ReadsAny(w.Cond, flags) {
		return true
	}
	found := false
	ast.InspectStmts(l.Body(), func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.For, *ast.While, *ast.FunctionDef, *ast.ClassDef:
			return false
		case *ast.If:
			if len(st.Then) > 0 && query.ReadsAny(st.Cond, flags) {
				_, leaves := st.Then[len(st.Then)-1].(*ast.Break)
				found = found || leaves
			}
		}
		return !found
	})
	return found
}
