// Package wrongindexvariable is rule LOOP017, wrong-index-variable; rule.md says what it finds.
package wrongindexvariable

import (
	_ "embed"
	"maps"
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

// Analyzer reports rows that are taken by another loop's variable, and loops over a batch that ignore where they are.
var Analyzer = pass.Rule(Doc, run)

// Which loop binds a variable is a question of Python's scopes, so variables are compared by their names; what they are
// called says nothing.
func run(p *pass.Pass) {
	left := map[*infer.Frame]map[string]*ast.For{} // of frames with loops
	for f, loop := range query.Everywhere[*ast.For](p.Graph) {
		if p.Trains(f) {
			left[f] = nil
			ignored(p, f, loop)
		}
	}
	for f, at := range query.Everywhere[*ast.Subscript](p.Graph) {
		byName, loops := left[f]
		if _, ok := at.Index.(*ast.Name); !ok || !loops {
			continue
		}
		if byName == nil {
			byName = leftBy(f)
			left[f] = byName
		}
		stale(p, f, at, byName)
	}
}

// stale reports x[i] in a loop that takes the rows of other tensors by its own index, where i is what an earlier loop left.
func stale(p *pass.Pass, f *infer.Frame, at *ast.Subscript, left map[string]*ast.For) {
	i, ok := at.Index.(*ast.Name)
	if !ok || left[i.Ident] == nil || left[i.Ident].Span().End > at.Span().Start {
		return
	}
	loops := query.Around(query.Place{Frame: f, Node: at})
	if len(loops) == 0 {
		return
	}
	own := rowsBy(loops[len(loops)-1].Body(), i.Ident)
	if own == nil || !sameRows(f, at, own) || inComprehension(f, at, i.Ident) {
		return
	}
	p.Report(pass.Finding{
		At: at, Frame: f, Evidence: domain.Derived,
		Related: append(p.There(query.Place{Frame: f, Node: left[i.Ident].Target}, "this loop has ended, and the variable is what its last round left"),
			p.There(query.Place{Frame: f, Node: own}, "other rows are taken by this index")...),
	})
}

// inComprehension reports whether a comprehension around a place binds the variable itself.
func inComprehension(f *infer.Frame, at *ast.Subscript, name string) bool {
	for comp := range query.Comprehensions(query.Place{Frame: f, Node: at}) {
		if slices.ContainsFunc(comp.Clauses, func(c *ast.CompClause) bool { return query.Reads(c.Target, name) }) {
			return true
		}
	}
	return false
}

// leftBy are the loops of a frame's body that leave a variable, by the variable: none but loops bind it, none of them is left
// early, and of several it is the one that ends last.
func leftBy(f *infer.Frame) map[string]*ast.For {
	left := map[string]*ast.For{}
	otherwise := map[string]bool{}
	if f.Func != nil && f.Func.Def == nil {
		return left
	}
	query.Targets(f.Body(), func(t ast.Expr, by ast.Stmt) {
		name := query.Path(t)
		l, ok := by.(*ast.For)
		switch {
		case !ok || breaks(l.Body):
			otherwise[name] = true
		case left[name] == nil || left[name].Span().End < l.Span().End:
			left[name] = l
		}
	})
	maps.DeleteFunc(left, func(name string, _ *ast.For) bool { return otherwise[name] })
	return left
}

func breaks(body []ast.Stmt) bool {
	found := false
	ast.WalkStmts(body, func(n ast.Node) bool {
		_, is := n.(*ast.Break)
		found = found || is
		return !found
	})
	return found
}

// rowsBy is an index, other than a variable, by which a loop takes the rows of at least two tensors, and which the loop binds.
func rowsBy(body []ast.Stmt, not string) ast.Expr {
	bound := map[string]bool{}
	query.Targets(body, func(t ast.Expr, _ ast.Stmt) { bound[query.Path(t)] = true })
	count := map[string]map[string]bool{}
	var found ast.Expr
	ast.WalkStmts(body, func(n ast.Node) bool {
		s, ok := n.(*ast.Subscript)
		if !ok {
			return true
		}
		if idx, ok := s.Index.(*ast.Name); ok && idx.Ident != not && bound[idx.Ident] && query.Path(s.X) != "" {
			if count[idx.Ident] == nil {
				count[idx.Ident] = map[string]bool{}
			}
			count[idx.Ident][query.Path(s.X)] = true
			if len(count[idx.Ident]) > 1 {
				found = s
			}
		}
		return true
	})
	return found
}

// sameRows reports whether two places take rows of tensors, by all that is known.
func sameRows(f *infer.Frame, at *ast.Subscript, own ast.Expr) bool {
	other, ok := own.(*ast.Subscript)
	return ok && query.IsTensorLike(f.Val(at.X)) && query.IsTensorLike(f.Val(other.X)) && f.Val(other).Ref == nil && query.Path(at.X) != ""
}

// ignored reports a loop over a batch in steps, in which a network is given the same rows in each round.
func ignored(p *pass.Pass, f *infer.Frame, l *ast.For) {
	i, ok := l.Target.(*ast.Name)
	call, isCall := l.Iter.(*ast.Call)
	if !ok || !isCall || query.CalleeName(call) != "range" || len(call.Args) != 3 || i.Ident == "_" || slices.ContainsFunc(l.Body, func(st ast.Stmt) bool { return query.Reads(st, i.Ident) }) {
		return
	}
	for _, st := range l.Body {
		kept := keptBy(st)
		if kept == nil || !invariant(l.Body, kept) || changedBeside(f, l.Body, st, kept) {
			continue
		}
		if v := f.Val(kept); v != nil && query.IsTensorLike(v) && (p.Roles.OfNetwork(v) || givenRows(l.Body)) {
			p.Report(pass.Finding{
				At: kept, Frame: f, Evidence: domain.Derived,
				Message: "each round of this loop takes the same rows",
				Why:     "the loop goes over the batch in pieces and keeps one piece many times, so what is kept belongs to other rows",
				Help:    "take the rows from the loop's variable on: `x[i:i + size]`",
				Related: p.There(query.Place{Frame: f, Node: l.Target}, "this variable is not used"),
			})
			return
		}
	}
}

// keptBy is what a statement appends to a list.
func keptBy(st ast.Stmt) ast.Expr {
	e, ok := st.(*ast.ExprStmt)
	if !ok {
		return nil
	}
	call, ok := e.X.(*ast.Call)
	if !ok || query.CalleeName(call) != "append" || len(call.Args) != 1 {
		return nil
	}
	return call.Args[0]
}

// draws are calls that yield something else each time, whatever they are given.
var draws = query.Words(`sample rsample rand randn randint randperm choice permutation multinomial dropout next pop get step reset generate act train next_batch get_batch read receive recv randn_like rand_like normal uniform shuffle`)

// invariant reports whether an expression is computed in each round from the same: of what a body binds only what is bound by the
// statements before, and nothing is drawn. What is bound further down comes from the round before, as a start that moves on.
func invariant(body []ast.Stmt, e ast.Expr) bool {
	made := map[string][]ast.Node{}
	query.Targets(body, func(t ast.Expr, by ast.Stmt) {
		name := query.Path(t)
		if as, ok := by.(*ast.Assign); ok && name != "" {
			made[name] = append(made[name], as.Value)
		} else {
			made[name] = append(made[name], nil) // more than an assignment
		}
	})
	same, seen := true, map[string]bool{}
	for work := []ast.Node{e}; same && len(work) > 0; work = work[1:] {
		ast.Walk(work[0], func(n ast.Node) bool {
			if call, ok := n.(*ast.Call); ok && draws[query.CalleeName(call)] {
				same = false
			}
			x, ok := n.(*ast.Name)
			if !ok || seen[x.Ident] {
				return same
			}
			seen[x.Ident] = true
			for i, v := range made[x.Ident] {
				if v == nil || i == 0 && v.Span().Start > x.Span().Start {
					same = false
				} else {
					work = append(work, v)
				}
			}
			return same
		})
	}
	return same
}

// changedBeside reports whether a call that a body makes for its effects concerns a name of an expression, or the expression itself
// calls a method that sets attributes of its object: then each round may compute something else.
func changedBeside(f *infer.Frame, body []ast.Stmt, own ast.Stmt, e ast.Expr) bool {
	names := map[string]bool{}
	changed := false
	ast.Walk(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Name:
			names[x.Ident] = true
		case *ast.Call:
			changed = changed || setsAttrs(f.Val(x.Fun))
		}
		return true
	})
	ast.WalkStmts(body, func(n ast.Node) bool {
		st, ok := n.(*ast.ExprStmt)
		if !ok || ast.Stmt(st) == own {
			return true
		}
		call, ok := st.X.(*ast.Call)
		if !ok || query.CalleeName(call) == "print" || query.CalleeName(call) == "append" {
			return true
		}
		ast.Walk(call, func(n ast.Node) bool {
			x, ok := n.(*ast.Name)
			changed = changed || ok && names[x.Ident]
			return true
		})
		return true
	})
	return changed
}

// setsAttrs reports whether a method of the program, or the call of one of its objects, sets an attribute.
func setsAttrs(callee *infer.Val) bool {
	if object, ok := infer.RefOf(callee).(*infer.Instance); ok && object.Class != nil {
		callee = object.Class.Lookup("__call__")
	}
	sets := false
	if method, ok := infer.RefOf(callee).(*infer.FuncRef); ok && method.Def != nil {
		query.Targets(method.Def.Body, func(t ast.Expr, _ ast.Stmt) {
			_, attr := t.(*ast.Attribute)
			sets = sets || attr
		})
	}
	return sets
}

// givenRows reports whether a call in a body gets rows of a tensor by an index: a method or network that is not known.
func givenRows(body []ast.Stmt) bool {
	found := false
	isRows := func(e ast.Expr) {
		if s, ok := e.(*ast.Subscript); ok {
			_, named := s.Index.(*ast.Name)
			found = found || named
		}
	}
	ast.WalkStmts(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			for _, a := range call.Args {
				isRows(a)
			}
			for _, k := range call.Keywords {
				isRows(k.Value)
			}
		}
		return !found
	})
	return found
}
