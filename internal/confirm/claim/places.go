package claim

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Place is something of a program that a run can watch.
type Place struct {
	ast.Span
	// Form says how it is written: "/", "call exp", "name", "assignment", "parameter". The pages of
	// rules name the forms that their probes watch.
	Form string
	// Name is what it is called, "" where it has no name of its own; Argument is the keyword by
	// which a call gets it, or "divisor", "" elsewhere.
	Name, Argument string
	// Whole is set for what a statement does as a whole: the value that it assigns, returns or evaluates.
	Whole bool
}

// Places lists what can be watched in a program, by where it begins; of what begins at one
// place the wider comes first.
func Places(m *ast.Module) []Place {
	c := &collector{imported: imported(m)}
	for _, s := range m.Body {
		c.statement(s)
	}
	slices.SortStableFunc(c.list, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), -cmp.Compare(a.End, b.End))
	})
	return c.list
}

type collector struct {
	list     []Place
	imported map[string]bool // names that imports bind; true for what can only be a module
}

// imported are the names that imports bind at the top of a program.
func imported(m *ast.Module) map[string]bool {
	out := map[string]bool{}
	add := func(aliases []*ast.Alias, module bool) {
		for _, a := range aliases {
			name, _, _ := strings.Cut(a.Name, ".")
			out[cmp.Or(a.AsName, name)] = module
		}
	}
	for _, s := range m.Body {
		switch s := s.(type) {
		case *ast.Import:
			add(s.Names, true)
		case *ast.ImportFrom:
			add(s.Names, false)
		}
	}
	return out
}

// root is the name that a chain of attributes begins with, "" where it begins with none.
func root(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Attribute:
			e = x.X
		case *ast.Name:
			return x.Ident
		default:
			return ""
		}
	}
}

func (c *collector) add(span ast.Span, form, name string, whole bool) {
	c.list = append(c.list, Place{Span: span, Form: form, Name: name, Whole: whole})
}

// statement lists what a statement holds: first what it does as a whole.
func (c *collector) statement(s ast.Stmt) {
	var targets []ast.Expr
	var whole ast.Expr
	switch s := s.(type) {
	case *ast.Assign:
		targets, whole = s.Targets, s.Value
	case *ast.AnnAssign:
		targets, whole = []ast.Expr{s.Target}, s.Value
	case *ast.Return:
		whole = s.X
	case *ast.ExprStmt:
		whole = s.X
	case *ast.AugAssign:
		c.add(s.Span(), s.Op.String()+"=", nameOf(s.Target), true)
		targets = []ast.Expr{s.Target}
	case *ast.FunctionDef:
		c.add(s.Params.Span(), "parameters", s.Name, false)
	}
	ast.Children(s, func(n ast.Node) {
		e, _ := n.(ast.Expr)
		switch {
		case e != nil && slices.Contains(targets, e):
			c.target(s, e)
		default:
			c.node(n, e != nil && e == whole)
		}
	})
}

// target lists what is assigned to, and the expressions in it that are read.
func (c *collector) target(s ast.Stmt, e ast.Expr) {
	_, augmented := s.(*ast.AugAssign)
	switch t := e.(type) {
	case *ast.Tuple:
		for _, elt := range t.Elts {
			c.target(s, elt)
		}
		return
	case *ast.List:
		for _, elt := range t.Elts {
			c.target(s, elt)
		}
		return
	case *ast.Starred:
		return
	}
	if !augmented {
		c.add(e.Span(), "assignment", nameOf(e), false)
	}
	ast.Children(e, func(n ast.Node) { c.node(n, false) })
}

// node lists an expression, a parameter or a part of a statement, and what is in it.
func (c *collector) node(n ast.Node, whole bool) {
	switch n := n.(type) {
	case ast.Stmt:
		c.statement(n)
		return
	case *ast.Param:
		c.add(n.Span(), "parameter", n.Name, false)
	case *ast.Keyword:
		c.argument(n.Value, n.Name)
		return
	case ast.Expr:
		if c.imported[root(n)] {
			return
		}
		if form := FormOf(n); form != "" {
			c.add(n.Span(), form, nameOf(n), whole)
		}
	}
	if call, ok := n.(*ast.Call); ok {
		c.called(call.Fun)
	}
	quotient, _ := n.(*ast.BinOp)
	ast.Children(n, func(below ast.Node) {
		if quotient != nil && quotient.Op == ast.Div && below == ast.Node(quotient.Y) {
			c.argument(quotient.Y, "divisor")
			return
		}
		if call, ok := n.(*ast.Call); !ok || below != ast.Node(call.Fun) {
			c.node(below, false)
		}
	})
}

// argument lists an expression that a call or an operator gets under a name.
func (c *collector) argument(e ast.Expr, name string) {
	first := len(c.list)
	c.node(e, false)
	if len(c.list) > first {
		c.list[first].Argument = name
	}
}

// called lists what is in the function of a call: of x.exp() the x, since x.exp is no value that
// anybody means.
func (c *collector) called(fun ast.Expr) {
	switch f := fun.(type) {
	case *ast.Name:
		c.add(f.Span(), "function", "", false)
	case *ast.Attribute:
		if _, bound := c.imported[root(f.X)]; !bound {
			c.node(f.X, false)
		}
	default:
		c.node(fun, false)
	}
}

// FormOf says how an expression is written, "" where no run can watch it.
func FormOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Name:
		return "name"
	case *ast.Attribute:
		return "attribute"
	case *ast.Subscript:
		return "subscript"
	case *ast.Slice:
		return "slice"
	case *ast.Call:
		return "call " + nameOf(e.Fun)
	case *ast.BinOp:
		return e.Op.String()
	case *ast.UnaryOp:
		return "unary " + e.Op.String()
	case *ast.Compare:
		return e.Ops[0].String()
	case *ast.BoolOp:
		return "and, or"
	case *ast.IfExp:
		return "if else"
	case *ast.Lambda:
		return "lambda"
	case *ast.Number, *ast.String, *ast.FString, *ast.Constant:
		return "constant"
	case *ast.Tuple, *ast.List, *ast.Set, *ast.Dict:
		return "display"
	case *ast.Comp:
		return "comprehension"
	case *ast.Await:
		return "await"
	}
	return ""
}

// nameOf is the last name of what is called, read or assigned.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Name:
		return e.Ident
	case *ast.Attribute:
		return e.Attr
	case *ast.Subscript:
		return nameOf(e.X)
	case *ast.Call:
		return nameOf(e.Fun)
	}
	return ""
}
