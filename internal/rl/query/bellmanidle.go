package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// IdleFlags are the variables and parameters of a body that hold flags at the end of episodes and are never read, but
// perhaps to convert them: a batch was unpacked, and this part of it does nothing. Where nothing is known of a
// part it goes by the variable's name.
func (g *Graph) IdleFlags(f *infer.Frame) []Place {
	if f == nil || f.Func == nil && len(f.Body()) == 0 {
		return nil
	}
	var out []Place
	bound := map[string]ast.Node{}
	if f.Func != nil && f.Func.Def != nil && f.Func.Def.Params != nil {
		var names []string
		for _, p := range f.Func.Def.Params.List {
			names = append(names, p.Name)
		}
		for i, p := range f.Func.Def.Params.List {
			if i < len(f.Params) && (nameIs(p.Name, ends) || f.Params[i].Is(ends) || isShortFlag(p.Name, names)) {
				bound[p.Name] = p
			}
		}
	}
	for _, n := range f.Nodes() {
		if st, ok := n.(*ast.Assign); ok {
			for _, t := range st.Targets {
				var names []string
				eachTarget(t, st.Value, func(n *ast.Name, _ ast.Expr) { names = append(names, n.Ident) })
				eachTarget(t, st.Value, func(n *ast.Name, value ast.Expr) {
					if _, ok := bound[n.Ident]; !ok && (nameIs(n.Ident, ends) || isShortFlag(n.Ident, names) || g.isFlagAt(f, n) || nameIs(keyIn(value), ends)) && (value == nil || taken(value)) {
						bound[n.Ident] = n
					}
				})
			}
		}
	}
	for name, n := range bound {
		if !isRead(f, name) {
			out = append(out, Place{f, n})
		}
	}
	return out
}

// isShortFlag reports whether a name is that of the flag where a transition is written in letters: s, a, r, s2, d.
func isShortFlag(name string, beside []string) bool {
	return strings.ToLower(name) == "d" && slices.ContainsFunc(beside, func(n string) bool { return strings.ToLower(n) == "r" }) &&
		slices.ContainsFunc(beside, func(n string) bool { return strings.ToLower(n) == "s" })
}

// IdleRowFlags are the variables that the loops around a place bind to a flag of each row, and that nothing reads in the
// loop's body or behind it.
func (g *Graph) IdleRowFlags(at Place) []Place {
	var out []Place
	for _, l := range Around(at) {
		loop, ok := l.Stmt.(*ast.For)
		if !ok {
			continue
		}
		eachTarget(loop.Target, nil, func(n *ast.Name, _ ast.Expr) {
			if nameIs(n.Ident, ends|domain.Mask) || g.isFlagAt(l.Frame, n) {
				if !readFrom(l.Frame, loop, n.Ident) {
					out = append(out, Place{l.Frame, n})
				}
			}
		})
	}
	return out
}

// readFrom reports whether a variable that a loop binds is read in its body, or further below.
func readFrom(f *infer.Frame, loop *ast.For, name string) bool {
	return slices.ContainsFunc(Mentions(f, name), func(n *ast.Name) bool {
		return n.Span().Start >= loop.Iter.Span().End
	})
}

// isFlagAt reports whether a variable holds the flag of the end of an episode, or 1 less that flag.
func (g *Graph) isFlagAt(f *infer.Frame, n ast.Node) bool {
	v := f.Val(n)
	if v == nil || v.Is(ends) {
		return v != nil
	}
	x := g.See(v).Strip()
	return x.Known() && x.IsOneMinus() && x.Input(1).Is(ends)
}

// taken reports whether an expression takes something out of a batch, perhaps to convert it.
func taken(e ast.Expr) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Attribute, *ast.Subscript:
			found = true
		case *ast.BinOp, *ast.Compare, *ast.BoolOp:
			found = false
			return false
		}
		return true
	})
	return found
}

// eachTarget calls visit for the variables of a target, with the expression that is assigned to each alone; nil where a
// call or batch is taken apart.
func eachTarget(t, value ast.Expr, visit func(n *ast.Name, value ast.Expr)) {
	var elts []ast.Expr
	switch t := t.(type) {
	case *ast.Name:
		visit(t, value)
	case *ast.Tuple:
		elts = t.Elts
	case *ast.List:
		elts = t.Elts
	}
	values, _ := value.(*ast.Tuple)
	for i, e := range elts {
		n, ok := e.(*ast.Name)
		switch {
		case !ok:
		case values != nil && len(values.Elts) == len(elts):
			visit(n, values.Elts[i])
		default:
			visit(n, nil)
		}
	}
}

// keyIn is the key or field under which an expression takes something out of a batch, or "".
func keyIn(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Attribute:
		return e.Attr
	case *ast.Subscript:
		if key, ok := e.Index.(*ast.String); ok {
			return key.Value
		}
	}
	return ""
}

// isRead reports whether a variable is read in a body, or in a function inside it, other than to be converted into
// itself.
func isRead(f *infer.Frame, name string) bool {
	read := false
	ast.WalkStmts(f.Body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			stored := false
			for _, t := range n.Targets {
				x, ok := t.(*ast.Name)
				stored = stored || ok && x.Ident == name
				if !ok {
					read = read || readsInTarget(t, name)
				}
			}
			if !stored {
				read = read || mentions(n.Value, name)
			}
			return false
		case *ast.Name:
			read = read || n.Ident == name
		}
		return !read
	})
	return read
}

// readsInTarget reports whether a target reads a variable, as x[done] does.
func readsInTarget(t ast.Expr, name string) bool {
	switch t := t.(type) {
	case *ast.Tuple:
		for _, e := range t.Elts {
			if readsInTarget(e, name) {
				return true
			}
		}
		return false
	case *ast.Name:
		return false
	}
	return mentions(t, name)
}

// mentions reports whether an expression reads a variable.
func mentions(e ast.Node, name string) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Ident == name {
			found = true
		}
		return !found
	})
	return found
}
