// Package donenotreset is rule ENV008, done-not-reset; rule.md says what it finds.
package donenotreset

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

// Analyzer reports episodes that run only once, since what ends them is set before the loop over episodes.
var Analyzer = pass.Rule(Doc, run)

// What a loop assigns and reads is a question of Python's variables, so their names are compared; what they are called
// says nothing.
func run(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	seen := map[query.Loop]bool{}
	for _, step := range steps {
		if loops := query.Around(step.Place()); len(loops) > 1 && p.In(step.Frame) != nil {
			inner := loops[len(loops)-1]
			if !seen[inner] {
				seen[inner] = true
				check(p, step, loops[len(loops)-2], inner)
			}
		}
	}
}

// check reports the assignment before the outer loop of the one flag that lets the inner loop run.
func check(p *pass.Pass, step roles.EnvCall, outer, inner query.Loop) {
	st, ok := inner.Stmt.(*ast.While)
	if !ok {
		return
	}
	flags := negated(st.Cond)
	if len(flags) == 0 || breaks(st.Body) {
		return
	}
	body := outer.Stmt
	if _, resets := p.Roles.ResetsIn(outer, step); !resets || !goesOn(outer.Body(), st) {
		return // one episode is played, or played on, as behind an error
	}
	for _, flag := range flags {
		if within(body, st, flag) || !assigned(st.Body, flag) || isOfOthers(p, step.Frame, flag) {
			return // set anew for each episode, or not what ends one
		}
	}
	if at := before(step.Frame, body, flags[0]); at != nil {
		p.Report(pass.Finding{
			At: at, Frame: step.Frame, Evidence: domain.Derived,
			Related: []pass.Related{{Source: p.In(step.Frame), Node: st.Cond, Message: "false from the second episode on"}},
		})
	}
}

// goesOn reports whether another round may follow the inner loop: no block around it leaves the outer one behind it.
func goesOn(block []ast.Stmt, inner ast.Stmt) bool {
	i := slices.IndexFunc(block, func(st ast.Stmt) bool { return st.Span().Covers(inner.Span()) })
	if i < 0 {
		return true
	}
	for _, st := range block[i+1:] {
		switch st.(type) {
		case *ast.Return, *ast.Break, *ast.Raise:
			return false
		}
	}
	if t, ok := block[i].(*ast.Try); ok && leaves(t.Else) {
		return false // only an episode that an error broke off is followed by another
	}
	return block[i] == inner || !slices.ContainsFunc(ast.Blocks(block[i]), func(b []ast.Stmt) bool { return !goesOn(b, inner) })
}

// leaves reports whether a block leaves a loop at its end.
func leaves(block []ast.Stmt) bool {
	if len(block) == 0 {
		return false
	}
	switch block[len(block)-1].(type) {
	case *ast.Return, *ast.Break:
		return true
	}
	return false
}

// isOfOthers reports whether another function declares a variable its own to write, by global or nonlocal.
func isOfOthers(p *pass.Pass, own *infer.Frame, flag string) bool {
	found := false
	for f := range p.EachFrame {
		if f == own || f.Func == nil {
			continue
		}
		query.OwnStmts(f, func(st ast.Stmt) {
			switch st := st.(type) {
			case *ast.Global:
				found = found || slices.Contains(st.Names, flag)
			case *ast.Nonlocal:
				found = found || slices.Contains(st.Names, flag)
			}
		})
	}
	return found
}

// negated are the variables of `not done` and `not (terminated or truncated)`; none for other conditions.
func negated(cond ast.Expr) []string {
	switch n := cond.(type) {
	case *ast.UnaryOp:
		if n.Op != ast.Not {
			return nil
		}
		if name, ok := n.X.(*ast.Name); ok {
			return []string{name.Ident}
		}
		if or, ok := n.X.(*ast.BoolOp); ok && or.Or {
			return idents(or.Values)
		}
	case *ast.BoolOp:
		if n.Or {
			return nil
		}
		var out []string
		for _, v := range n.Values {
			list := negated(v)
			if list == nil {
				return nil
			}
			out = append(out, list...)
		}
		return out
	case *ast.Compare:
		if c, ok := n.Ys[0].(*ast.Constant); ok && len(n.Ys) == 1 && c.Kind == ast.False && (n.Ops[0] == ast.Eq || n.Ops[0] == ast.Is) {
			return idents([]ast.Expr{n.X})
		}
	}
	return nil
}

func idents(list []ast.Expr) []string {
	var out []string
	for _, e := range list {
		name, ok := e.(*ast.Name)
		if !ok {
			return nil
		}
		out = append(out, name.Ident)
	}
	return out
}

// breaks reports whether a body may leave its own loop other than by its condition.
func breaks(body []ast.Stmt) bool {
	found := false
	ast.InspectStmts(body, func(st ast.Stmt) bool {
		switch st.(type) {
		case *ast.Break:
			found = true
		case *ast.For, *ast.While, *ast.FunctionDef, *ast.ClassDef:
			return false // a break in there is another loop's
		}
		return true
	})
	return found
}

func assigned(body []ast.Stmt, name string) bool {
	found := false
	query.Targets(body, func(t ast.Expr, _ ast.Stmt) {
		x, ok := t.(*ast.Name)
		found = found || ok && x.Ident == name
	})
	return found
}

// within reports whether the outer loop sets the flag outside of the inner one, or asks for it in order to end.
func within(outer, inner ast.Stmt, flag string) bool {
	found := false
	ast.Walk(outer, func(n ast.Node) bool {
		if n == ast.Node(inner) || found {
			return false
		}
		switch n := n.(type) {
		case *ast.Name:
			found = n.Ident == flag
		case *ast.Global:
			found = true
		}
		return !found
	})
	return found
}

// bound is what an assignment gives a variable: b of x, done = a, b.
func bound(t, value ast.Expr, name string) ast.Expr {
	switch t := t.(type) {
	case *ast.Name:
		if t.Ident == name {
			return value
		}
	case *ast.Tuple:
		if v, ok := value.(*ast.Tuple); ok && len(v.Elts) == len(t.Elts) {
			for i, e := range t.Elts {
				if x, ok := e.(*ast.Name); ok && x.Ident == name {
					return v.Elts[i]
				}
			}
		}
	}
	return nil
}

// before is the value that the flag has when the outer loop begins, if it is false and was assigned in the same body.
func before(f *infer.Frame, outer ast.Stmt, flag string) ast.Expr {
	var at ast.Expr
	query.OwnStmts(f, func(st ast.Stmt) {
		as, ok := st.(*ast.Assign)
		if !ok || as.Span().Start >= outer.Span().Start {
			return
		}
		for _, t := range as.Targets {
			if value := bound(t, as.Value, flag); value != nil {
				at = value
			}
		}
	})
	if at == nil {
		return nil
	}
	truth, known := infer.Truth(f.Val(at))
	if !known || truth {
		return nil
	}
	return at
}
