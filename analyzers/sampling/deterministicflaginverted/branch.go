package deterministicflaginverted

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Branches are read from the syntax. A call with a constant for the flag evaluates one
// branch only, so the other has no values.

// leaves reports whether a block ends by leaving the function.
func leaves(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false // not understood
	}
	switch body[len(body)-1].(type) {
	case *ast.Return, *ast.Raise:
		return true
	}
	return false
}

func nodes(body []ast.Stmt) []ast.Node {
	var out []ast.Node
	for _, st := range body {
		out = append(out, st)
	}
	return out
}

// walk visits the nodes below a list, without the bodies of nested functions.
func walk(list []ast.Node, visit func(ast.Node)) {
	for _, top := range list {
		ast.Walk(top, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FunctionDef, *ast.Lambda, *ast.ClassDef:
				return false
			}
			visit(n)
			return true
		})
	}
}

// drawIn returns a call of a method that draws.
func drawIn(list []ast.Node) *ast.Call {
	var found *ast.Call
	walk(list, func(n ast.Node) {
		if call, ok := n.(*ast.Call); ok && found == nil && isCallOf(call, "sample", "rsample") {
			found = call
		}
	})
	return found
}

// isCallOf reports whether a call is of a method of one of these names.
func isCallOf(call *ast.Call, methods ...string) bool {
	at, ok := call.Fun.(*ast.Attribute)
	return ok && slices.Contains(methods, at.Attr)
}

// receiver returns the object whose method is called.
func receiver(call *ast.Call) ast.Expr { return call.Fun.(*ast.Attribute).X }

// centreIn reports whether the centre of the distribution that draw samples is read, or,
// if that is known to be a distribution, an argmax taken. What has a sample and a mean
// is a distribution.
func (c *checker) centreIn(list []ast.Node, draw *ast.Call) bool {
	dist := receiver(draw)
	known := c.isDistribution(dist)
	found := false
	walk(list, func(n ast.Node) {
		at, ok := n.(*ast.Attribute)
		switch {
		case !ok:
		case at.Attr == "argmax":
			found = found || known || c.same(at.X, dist)
		case at.Attr == "mean", at.Attr == "mode", at.Attr == "loc":
			found = found || c.same(at.X, dist)
		}
	})
	return found
}

// isDistribution reports whether an object of the function is known to be a
// distribution, or has its log-probabilities or its entropy asked for.
func (c *checker) isDistribution(x ast.Expr) bool {
	found := false
	walk(nodes(c.fn.Body), func(n ast.Node) {
		e, ok := n.(ast.Expr)
		if !ok || found {
			return
		}
		if call, ok := e.(*ast.Call); ok && isCallOf(call, "log_prob", "log_probs", "entropy") {
			found = c.same(receiver(call), x)
		}
		for _, f := range c.frames {
			found = found || f.Val(e).Is(domain.Distribution) && c.same(e, x)
		}
	})
	return found
}

// same reports whether two expressions of the function are one object: they have one
// value, or, where a branch was not evaluated, are the same variable, attribute or call.
func (c *checker) same(a, b ast.Expr) bool {
	for _, f := range c.frames {
		if x, y := f.Val(a), f.Val(b); x != nil && y != nil && c.p.See(x).Same(c.p.See(y)) {
			return true
		}
	}
	switch a := a.(type) {
	case *ast.Name:
		b, ok := b.(*ast.Name)
		return ok && a.Ident == b.Ident
	case *ast.Number:
		b, ok := b.(*ast.Number)
		return ok && a.Text == b.Text
	case *ast.Attribute:
		b, ok := b.(*ast.Attribute)
		return ok && a.Attr == b.Attr && c.same(a.X, b.X)
	case *ast.Call:
		b, ok := b.(*ast.Call)
		return ok && c.same(a.Fun, b.Fun) && slices.EqualFunc(a.Args, b.Args, c.same) && slices.EqualFunc(a.Keywords, b.Keywords, c.sameKeyword)
	}
	return false
}

func (c *checker) sameKeyword(a, b *ast.Keyword) bool {
	return a.Name == b.Name && c.same(a.Value, b.Value)
}
