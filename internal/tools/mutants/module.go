package main

import (
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// module is a program in which bugs are planted, with what operators ask of it.
type module struct {
	*ast.Module
	above map[ast.Node]ast.Node
	block map[ast.Stmt][]ast.Stmt // the statements of a block from a statement on, itself included
}

func newModule(tree *ast.Module) *module {
	m := &module{Module: tree, above: map[ast.Node]ast.Node{}, block: map[ast.Stmt][]ast.Stmt{}}
	ast.WalkModule(tree, func(n ast.Node) bool {
		ast.Children(n, func(c ast.Node) { m.above[c] = n })
		if s, ok := n.(ast.Stmt); ok {
			for _, body := range ast.Blocks(s) {
				m.noteBlock(body)
			}
		}
		return true
	})
	m.noteBlock(tree.Body)
	return m
}

func (m *module) noteBlock(body []ast.Stmt) {
	for i, s := range body {
		m.block[s] = body[i:]
	}
}

// mutants returns the places of an operator, each as the edits that plant its bug.
func (m *module) mutants(op operator) (out [][]edit.Edit) {
	ast.WalkModule(m.Module, func(n ast.Node) bool {
		if edits := op.plant(m, n); len(edits) > 0 {
			out = append(out, edits)
		}
		return true
	})
	return out
}

// put replaces a node.
func (m *module) put(n ast.Node, text string) []edit.Edit {
	return []edit.Edit{{Start: int(n.Span().Start), End: int(n.Span().End), New: text}}
}

// swap exchanges the texts of two nodes.
func (m *module) swap(a, b ast.Node) []edit.Edit {
	return append(m.put(a, m.operand(b)), m.put(b, m.operand(a))...)
}

// operand is the text of a node, in parentheses where what stands around it could take it
// apart: a node's span is without its own.
func (m *module) operand(n ast.Node) string {
	switch n.(type) {
	case *ast.BinOp, *ast.UnaryOp, *ast.BoolOp, *ast.Compare, *ast.IfExp, *ast.Lambda:
		return "(" + m.Source(n) + ")"
	}
	return m.Source(n)
}

// word is what a name, attribute, call or entry is called: its last word.
func word(n ast.Node) string {
	for range 100 {
		switch e := n.(type) {
		case *ast.Name:
			return e.Ident
		case *ast.Attribute:
			return e.Attr
		case *ast.Call:
			n = e.Fun
		case *ast.Subscript:
			if key, ok := e.Index.(*ast.String); ok {
				return key.Value
			}
			n = e.X
		default:
			return ""
		}
	}
	return ""
}

// says reports whether a word in the node matches.
func says(n ast.Node, pattern *regexp.Regexp) bool {
	found := false
	ast.Walk(n, func(x ast.Node) bool {
		switch x.(type) {
		case *ast.Name, *ast.Attribute, *ast.Subscript:
			found = found || pattern.MatchString(word(x))
		}
		return !found
	})
	return found
}

// calls reports the call of one of some functions or methods, with the value that it is
// about: the receiver of x.exp(), the first argument of torch.exp(x).
func calls(n ast.Node, names ...string) (call *ast.Call, of ast.Expr, ok bool) {
	call, ok = n.(*ast.Call)
	if !ok {
		return nil, nil, false
	}
	name := word(call.Fun)
	ok = false
	for _, want := range names {
		ok = ok || name == want
	}
	at, isAttr := call.Fun.(*ast.Attribute)
	switch {
	case !ok:
		return nil, nil, false
	case isAttr && !isLibrary(at.X):
		return call, at.X, true
	case len(call.Args) > 0:
		return call, call.Args[0], true
	}
	return call, nil, true
}

// rest are the arguments behind the value that a call is about.
func rest(call *ast.Call, of ast.Expr) []ast.Expr {
	if len(call.Args) > 0 && call.Args[0] == of {
		return call.Args[1:]
	}
	return call.Args
}

func isLibrary(e ast.Expr) bool {
	switch word(e) {
	case "torch", "np", "numpy", "F", "nn", "functional", "copy", "utils", "verl_F", "core_algos":
		return true
	}
	return false
}

// statement is the statement around a node.
func (m *module) statement(n ast.Node) ast.Stmt {
	for n != nil {
		if s, ok := n.(ast.Stmt); ok {
			return s
		}
		n = m.above[n]
	}
	return nil
}

// target is what the statement around a node assigns, or the function that it returns from.
func (m *module) target(n ast.Node) string {
	switch s := m.statement(n).(type) {
	case *ast.Assign:
		return word(s.Targets[0])
	case *ast.AugAssign:
		return word(s.Target)
	case *ast.AnnAssign:
		return word(s.Target)
	case *ast.Return:
		return m.function(s)
	}
	return ""
}

// function is the name of the function around a node.
func (m *module) function(n ast.Node) string {
	for n != nil {
		if f, ok := n.(*ast.FunctionDef); ok {
			return f.Name
		}
		n = m.above[n]
	}
	return ""
}

// expression returns the expression of a statement that is nothing else.
func expression(n ast.Node) ast.Expr {
	if s, ok := n.(*ast.ExprStmt); ok {
		return s.X
	}
	return nil
}

// next are the statements behind one in its block, a few at most.
func (m *module) next(s ast.Stmt, most int) []ast.Stmt {
	if len(m.block[s]) == 0 {
		return nil
	}
	behind := m.block[s][1:]
	return behind[:min(len(behind), most)]
}

// mentions reports whether a statement's text has a word.
func (m *module) mentions(s ast.Node, text string) bool { return strings.Contains(m.Source(s), text) }

// product takes x * y apart, either way round: the factor that holds, and the other.
func product(n ast.Node, is func(ast.Expr) bool) (factor, other ast.Expr, ok bool) {
	b, isBin := n.(*ast.BinOp)
	if !isBin || b.Op != ast.Mult {
		return nil, nil, false
	}
	switch {
	case is(b.Y) && !is(b.X):
		return b.Y, b.X, true
	case is(b.X) && !is(b.Y):
		return b.X, b.Y, true
	}
	return nil, nil, false
}

// oneMinus takes 1 - x apart.
func oneMinus(n ast.Node) (ast.Expr, bool) {
	b, ok := n.(*ast.BinOp)
	if !ok || b.Op != ast.Sub {
		return nil, false
	}
	one, ok := b.X.(*ast.Number)
	return b.Y, ok && (one.Text == "1" || one.Text == "1.0" || one.Text == "1.")
}
