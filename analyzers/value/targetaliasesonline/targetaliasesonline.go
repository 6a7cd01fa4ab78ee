// Package targetaliasesonline is rule VAL004, target-aliases-online; rule.md says what it finds.
package targetaliasesonline

import (
	_ "embed"
	"slices"
	"strings"

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

// copied is where weights are copied from one of a pair to the other, and what takes them.
type copied struct {
	at query.Place
	to *infer.Val
}

func run(p *pass.Pass) {
	shallow(p)
	copies := map[pair][]copied{}
	for _, t := range p.Roles.Transfers() {
		to, from := handedIn(p, t.ToAt), handedIn(p, t.FromAt)
		if to.Known() && from.Known() && to.Frame == from.Frame {
			names := pair{textOf(to), textOf(from)}
			if names.to != names.from {
				copies[names] = append(copies[names], copied{to, t.To.Val})
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
		means := func(c copied) bool {
			if _, isVar := as.Targets[0].(*ast.Name); isVar && query.SameBody(f, c.at.Frame) && isOver(query.Place{Frame: f, Node: as}, c.at) {
				return false
			}
			return sameScope(f, c.at.Frame, as.Targets[0]) || isGlobal(p, f, c.at.Frame, names) && c.to != nil && c.to.Ref != nil && c.to.Ref == f.Val(as.Value).Ref
		}
		if f.Val(as.Value).Is(domain.Module) && slices.ContainsFunc(copies[names], means) && !rebound(p, f, as, names) {
			p.Report(pass.Finding{At: as.Value, Frame: f, Evidence: domain.Derived})
		}
	}
}

// shallow reports networks that copy.copy makes, and that weights are to go into: it shares the parameters.
func shallow(p *pass.Pass) {
	for _, t := range p.Roles.Transfers() {
		to, from := t.To.Strip(), t.From.Strip()
		if !to.Known() || to.Op != "copy.copy" || !from.Known() || from.Op == "copy.copy" || from.Ref != to.Ref {
			continue
		}
		f := pass.At(to.Val)
		f.Evidence, f.Message = domain.Derived, "`copy.copy` shares the parameters: the target is the network in training"
		f.Help, f.Related = "copy the network: `copy.deepcopy(...)`", p.There(query.PlaceOf(t.At.Val), "weights are copied to it here")
		p.Report(f)
	}
}

// handedIn is the expression that callers hand in where at is a parameter, which tells what the network is called.
func handedIn(p *pass.Pass, at query.Place) query.Place {
	for range maxCalls {
		e, ok := at.Node.(ast.Expr)
		if !ok {
			break
		}
		arg, f := p.Graph.Argument(at.Frame, e)
		if arg == nil || len(slices.Collect(at.Frame.Sites)) != 1 {
			break
		}
		at = query.Place{Frame: f, Node: arg}
	}
	return at
}

// maxCalls bounds the calls through which a network is handed.
const maxCalls = 4

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

// isGlobal reports whether both names mean in a function what they mean in the module around it: no function binds them anew.
func isGlobal(p *pass.Pass, module, f *infer.Frame, names pair) bool {
	if module.Func != nil || f.Func == nil || f.Func.Class != nil || module.Module != f.Module {
		return false
	}
	for _, text := range []string{names.to, names.from} {
		name, _, _ := strings.Cut(text, ".")
		for g := range p.Graph.EachFrame {
			if g.Module == f.Module && g.Func != nil && binds(g, name) {
				return false
			}
		}
	}
	return true
}

// binds reports whether a function has a parameter or a variable of its own that is called so, or says that it binds the module's.
func binds(f *infer.Frame, name string) bool {
	if f.Func.Def != nil && slices.ContainsFunc(f.Func.Def.Params.List, func(p *ast.Param) bool { return p.Name == name }) {
		return true
	}
	return slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Global:
			return slices.Contains(n.Names, name)
		case *ast.Import, *ast.ImportFrom:
			return false
		}
		return query.Binds(n, name)
	})
}

// rebound reports whether one of the two names is bound to something else behind the assignment, or the target in
// another branch of a condition around it, or where there is such a condition in another method: what it is then depends.
func rebound(p *pass.Pass, f *infer.Frame, as *ast.Assign, names pair) bool {
	choice := branch(p.In(f), as)
	if choice != nil && madeElsewhere(p, f, as, names) {
		return true
	}
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

// isOver reports whether a statement stands behind a copy in one body, and no loop comes back to it: nothing is copied any more.
func isOver(st, copy query.Place) bool {
	return st.Node.Span().Start > copy.Node.Span().End && !slices.ContainsFunc(query.Around(st), func(l query.Loop) bool { return l.Stmt.Span().Covers(copy.Node.Span()) })
}

// madeElsewhere reports whether another method of the class binds the target to something that is no other name.
func madeElsewhere(p *pass.Pass, f *infer.Frame, as *ast.Assign, names pair) bool {
	found := false
	for g := range p.Graph.EachFrame {
		if found || !sameScope(f, g, as.Targets[0]) {
			continue
		}
		query.Targets(g.Body(), func(t ast.Expr, by ast.Stmt) {
			value := query.AssignedTo(t, by)
			found = found || value != nil && !isPlace(value) && textOf(query.Place{Frame: g, Node: t}) == names.to
		})
	}
	return found
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
