// Package capacitybelowstart is rule OFF023, capacity-below-start; rule.md says what it finds.
package capacitybelowstart

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

// Analyzer reports conditions on the length of a buffer that it can never reach.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, c := range query.Everywhere[*ast.Compare](p.Graph) {
		if len(c.Ops) != 1 || len(c.Ys) != 1 || !p.Trains(f) {
			continue
		}
		if capacity, bound, ok := compared(p, f, c); ok && !checks(f, c) {
			p.Report(pass.Finding{
				At: c, Frame: f, Evidence: domain.Derived,
				Related: p.There(query.PlaceOf(capacity), "the buffer keeps fewer elements than "+bound),
			})
		}
	}
}

// checks reports whether a comparison states what a buffer never holds: an assertion, or a test under which elements are only taken out or an
// exception is raised.
func checks(f *infer.Frame, c *ast.Compare) bool {
	only := func(test ast.Expr, body []ast.Stmt) bool {
		return test.Span().Covers(c.Span()) && !slices.ContainsFunc(body, func(st ast.Stmt) bool {
			switch st := st.(type) {
			case *ast.Raise, *ast.Delete:
				return false
			case *ast.ExprStmt:
				return !takesOut[query.CalleeName(st.X)]
			case *ast.Assign:
				return !takesOut[query.CalleeName(st.Value)]
			}
			return true
		})
	}
	return slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assert:
			return n.Span().Covers(c.Span())
		case *ast.While:
			return only(n.Cond, n.Body)
		case *ast.If:
			return only(n.Cond, n.Then)
		}
		return false
	})
}

// takesOut are methods of deques that take elements out.
var takesOut = query.Words("pop popleft clear remove")

// compared reads len(buffer) > n, and n < len(buffer), with a buffer that drops its oldest elements before it has so many; it
// returns the buffer and how n is written.
func compared(p *pass.Pass, f *infer.Frame, c *ast.Compare) (buffer *infer.Val, bound string, ok bool) {
	length, limit, op := c.X, c.Ys[0], c.Ops[0]
	if lengthOf(f, length) == nil {
		length, limit = limit, length
		op = map[ast.CompareOperator]ast.CompareOperator{ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}[op]
	}
	buffer = lengthOf(f, length)
	if buffer == nil {
		return nil, "", false
	}
	sizes, known := p.See(capacityOf(buffer)).Numbers()
	limits, both := p.See(f.Val(limit)).Numbers()
	if !known || !both {
		return nil, "", false
	}
	for _, size := range sizes {
		for _, n := range limits {
			switch {
			case size < 1: // nobody means to keep nothing: what is made with it is not made
				return nil, "", false
			case op == ast.Gt && n >= size, op == ast.GtE && n > size: // never true
			case op == ast.LtE && n >= size, op == ast.Lt && n > size: // always true
			default:
				return nil, "", false
			}
		}
	}
	return buffer, p.In(f).Text(limit), true
}

// lengthOf is the object whose length an expression asks for.
func lengthOf(f *infer.Frame, e ast.Expr) *infer.Val {
	call, ok := e.(*ast.Call)
	if !ok || query.CalledSymbol(f, call) != "builtins.len" || len(call.Args) != 1 {
		return nil
	}
	v := infer.Strip(f.Val(call.Args[0]))
	if capacityOf(v) == nil {
		return nil
	}
	return v
}

// capacityOf is the maximal length of a deque, nil where it has none.
func capacityOf(v *infer.Val) *infer.Val {
	if v == nil || v.Node == nil || v.Frame == nil {
		return nil
	}
	call, ok := v.Node.(*ast.Call)
	if !ok || query.CalledSymbol(v.Frame, call) != "collections.deque" {
		return nil
	}
	for _, k := range call.Keywords {
		if k.Name == "maxlen" {
			return v.Frame.Val(k.Value)
		}
	}
	if len(call.Args) == 2 {
		return v.Frame.Val(call.Args[1])
	}
	return nil
}
