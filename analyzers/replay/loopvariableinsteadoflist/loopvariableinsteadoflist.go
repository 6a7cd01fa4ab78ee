// Package loopvariableinsteadoflist is rule OFF001, loop-variable-instead-of-list; rule.md says what it finds.
package loopvariableinsteadoflist

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

// Analyzer reports variables of a loop that are read behind it, where the list is meant that the loop filled with
// them.
var Analyzer = pass.Rule(Doc, run)

// append1 is one x.append(y) of two variables in a loop.
type append1 struct {
	loop       *ast.For
	list, item string
}

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Def == nil {
			continue // the variables of a module may be read elsewhere
		}
		fills := appendsOf(p, f)
		if len(fills) < 2 {
			continue
		}
		for _, a := range fills {
			if isNeverRead(p, f, a.list) && slices.ContainsFunc(fills, func(b append1) bool {
				return b.loop == a.loop && b.list != a.list && b.item != a.item && !isNeverRead(p, f, b.list)
			}) {
				if use := readBehind(p, f, a); use != nil {
					p.Report(pass.Finding{At: use, Frame: f, Evidence: domain.Derived})
				}
			}
		}
	}
}

// appendsOf are the lists of a body that loops fill with what they bind in each round.
func appendsOf(p *pass.Pass, f *infer.Frame) (out []append1) {
	for _, n := range f.Nodes() {
		loop, ok := n.(*ast.For)
		if !ok {
			continue
		}
		for _, st := range loop.Body {
			ex, ok := st.(*ast.ExprStmt)
			if !ok {
				continue
			}
			if list, item, ok := appended(ex.X); ok && boundIn(loop, item) && !isTotal(loop, item) && !boundIn(loop, list) {
				out = append(out, append1{loop, list, item})
			}
		}
	}
	return out
}

// appended reads x.append(y) or x.append([y]).
func appended(e ast.Expr) (list, item string, ok bool) {
	call, ok := e.(*ast.Call)
	if !ok || len(call.Args) != 1 {
		return "", "", false
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || at.Attr != "append" {
		return "", "", false
	}
	to, ok := at.X.(*ast.Name)
	if !ok {
		return "", "", false
	}
	arg := call.Args[0]
	if one, ok := arg.(*ast.List); ok && len(one.Elts) == 1 {
		arg = one.Elts[0]
	}
	of, ok := arg.(*ast.Name)
	if !ok {
		return "", "", false
	}
	return to.Ident, of.Ident, true
}

// isTotal reports whether a loop carries a variable on from round to round: behind the loop it is the total, and the list holds its stages.
func isTotal(loop *ast.For, name string) bool {
	total := false
	query.Targets(loop.Body, func(t ast.Expr, by ast.Stmt) {
		if query.Path(t) != name {
			return
		}
		_, adds := by.(*ast.AugAssign)
		value := query.AssignedTo(t, by)
		total = total || adds || value != nil && query.Reads(value, name)
	})
	return total
}

// boundIn reports whether a loop binds a variable in each round.
func boundIn(loop *ast.For, name string) bool {
	found := false
	ast.Walk(loop, func(n ast.Node) bool {
		found = found || query.Binds(n, name)
		return !found
	})
	return found
}

// isNeverRead reports whether nothing is done with a list of a body but to make it and to append to it.
func isNeverRead(p *pass.Pass, f *infer.Frame, list string) bool {
	made := false
	for _, n := range f.Nodes() {
		if as, ok := n.(*ast.Assign); ok && query.Binds(as, list) {
			made = true
		}
	}
	if !made {
		return false
	}
	uses := 0
	for range query.Mentions(f, list) {
		uses++
	}
	for _, n := range f.Nodes() {
		switch n := n.(type) {
		case *ast.Assign:
			if query.Binds(n, list) {
				uses--
			}
		case *ast.ExprStmt:
			if to, _, ok := appended(n.X); ok && to == list {
				uses--
			}
		}
	}
	return uses == 0
}

// readBehind returns where the item of a list is read behind the loop that filled it, and was not bound anew before.
func readBehind(p *pass.Pass, f *infer.Frame, a append1) ast.Node {
	end := a.loop.Span().End
	first := ^uint32(0)
	for _, n := range f.Nodes() {
		if n.Span().Start >= end && query.Binds(n, a.item) {
			first = min(first, n.Span().Start)
		}
	}
	for _, use := range query.Mentions(f, a.item) {
		if at := use.Span().Start; at >= end && at < first && f.Val(use) != nil && isBehind(p, f, a.loop, use) {
			return use
		}
	}
	return nil
}

// isBehind reports whether a place is in the same list of statements as a loop, or in a block of it: no way comes there
// but through the loop.
func isBehind(p *pass.Pass, f *infer.Frame, loop *ast.For, use ast.Node) bool {
	parent := p.In(f).Parent(loop)
	return parent != nil && parent.Span().Covers(use.Span())
}
