// Package targetaliasesonline is rule VAL004, target-aliases-online; rule.md says what it finds.
package targetaliasesonline

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports networks that the program keeps up to date as copies, and that are made second names of what they
// are copied from.
var Analyzer = pass.Rule(Doc, run)

// pair is what takes weights, and from what, as Python spells both.
type pair struct{ to, from string }

func run(p *pass.Pass) {
	copies := map[pair][]query.Place{}
	for _, t := range p.Roles.Transfers() {
		if t.ToAt.Known() && t.FromAt.Known() && t.ToAt.Frame == t.FromAt.Frame {
			names := pair{textOf(t.ToAt), textOf(t.FromAt)}
			if names.to != names.from {
				copies[names] = append(copies[names], t.ToAt)
			}
		}
	}
	if len(copies) == 0 {
		return
	}
	for f, as := range query.Everywhere[*ast.Assign](p.Graph) {
		if len(as.Targets) != 1 || !isPlace(as.Targets[0]) || !isPlace(as.Value) {
			continue
		}
		names := pair{textOf(query.Place{Frame: f, Node: as.Targets[0]}), textOf(query.Place{Frame: f, Node: as.Value})}
		copied := slices.ContainsFunc(copies[names], func(at query.Place) bool { return sameScope(f, at.Frame, as.Targets[0]) })
		if copied && f.Val(as.Value).Is(domain.Module) && !rebound(p, f, as, names) {
			p.Report(pass.Finding{At: as.Value, Frame: f, Evidence: domain.Derived})
		}
	}
}

func textOf(at query.Place) string {
	if at.Frame.Module.AST == nil {
		return ""
	}
	return at.Frame.Module.AST.Source(at.Node)
}

// isPlace reports whether an expression only names something: a variable, or an attribute of one.
func isPlace(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Name:
		return true
	case *ast.Attribute:
		return isPlace(e.X)
	}
	return false
}

// sameScope reports whether a name means the same in two bodies: in one body, or on objects of one class.
func sameScope(f, g *infer.Frame, e ast.Expr) bool {
	if f == g || query.SameBody(f, g) {
		return true
	}
	_, isAttr := e.(*ast.Attribute)
	return isAttr && f.Func != nil && g.Func != nil && f.Func.Class != nil && f.Func.Class == g.Func.Class && f.Module == g.Module
}

// rebound reports whether one of the two names is bound to something else behind the assignment, or the target in
// another branch of a condition around it: what it is then depends.
func rebound(p *pass.Pass, f *infer.Frame, as *ast.Assign, names pair) bool {
	choice := branch(p.In(f), as)
	for _, n := range f.Nodes() {
		other, ok := n.(*ast.Assign)
		if !ok || other == as {
			continue
		}
		for _, t := range other.Targets {
			text := textOf(query.Place{Frame: f, Node: t})
			later := other.Span().Start > as.Span().Start && (text == names.to || text == names.from)
			if later || text == names.to && choice != nil && choice.Span().Covers(other.Span()) {
				return true
			}
		}
	}
	return false
}

// branch is the outermost condition around a statement, or nil.
func branch(src *pass.Source, st ast.Stmt) (out ast.Node) {
	for n := src.Parent(st); n != nil; n = src.Parent(n) {
		switch n.(type) {
		case *ast.If:
			out = n
		case *ast.FunctionDef, *ast.ClassDef:
			return out
		}
	}
	return out
}
