// Package argumentignored is rule VAL062, argument-ignored; rule.md says what it finds.
package argumentignored

import (
	_ "embed"

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

// Analyzer reports arguments that stand for an attribute, are resolved against it, and are never read: the attribute is.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, st := range query.Everywhere[*ast.If](p.Graph) {
		check(p, f, st)
	}
	for f, st := range query.Everywhere[*ast.Assign](p.Graph) {
		check(p, f, st)
	}
}

func check(p *pass.Pass, f *infer.Frame, st ast.Stmt) {
	if f.Func == nil || f.Func.Def == nil || f.Func.Def.Params == nil {
		return
	}
	name, attr := resolved(st)
	if name == "" || !isParam(f, name) {
		return
	}
	if use := attributeInstead(p, f, st, name, attr); use != nil {
		p.Report(pass.Finding{At: use, Frame: f, Evidence: domain.Derived})
	}
}

// resolved reads a statement by which an argument gets the value of an attribute where none was passed:
//
//	x = self.x if x is None else x;  x = x or self.x;  if x is None: x = self.x
func resolved(n ast.Node) (name string, attr *ast.Attribute) {
	if cond, ok := n.(*ast.If); ok && len(cond.Then) == 1 && len(cond.Else) == 0 {
		as, ok := cond.Then[0].(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			return "", nil
		}
		x, isName := as.Targets[0].(*ast.Name)
		at, isAttr := as.Value.(*ast.Attribute)
		if isName && isAttr && isNone(cond.Cond, x.Ident) {
			return x.Ident, at
		}
		return "", nil
	}
	as, ok := n.(*ast.Assign)
	if !ok || len(as.Targets) != 1 {
		return "", nil
	}
	x, ok := as.Targets[0].(*ast.Name)
	if !ok {
		return "", nil
	}
	var one, other ast.Expr
	switch v := as.Value.(type) {
	case *ast.IfExp:
		one, other = v.Then, v.Else
	case *ast.BoolOp:
		if len(v.Values) == 2 && v.Or {
			one, other = v.Values[0], v.Values[1]
		}
	}
	for range 2 {
		kept, isName := one.(*ast.Name)
		at, isAttr := other.(*ast.Attribute)
		if isName && isAttr && kept.Ident == x.Ident {
			return x.Ident, at
		}
		one, other = other, one
	}
	return "", nil
}

// isNone reports whether a condition is that a variable is None.
func isNone(cond ast.Expr, name string) bool {
	c, ok := cond.(*ast.Compare)
	if !ok || len(c.Ys) != 1 {
		return false
	}
	x, isName := c.X.(*ast.Name)
	_, isConst := c.Ys[0].(*ast.Constant)
	return isName && isConst && x.Ident == name && c.Ops[0] == ast.Is
}

func isParam(f *infer.Frame, name string) bool {
	for _, p := range f.Func.Def.Params.List {
		if p.Name == name {
			return true
		}
	}
	return false
}

// attributeInstead returns where the attribute is read behind a statement that resolved the argument, if the argument is
// read nowhere.
func attributeInstead(p *pass.Pass, f *infer.Frame, st ast.Node, name string, attr *ast.Attribute) ast.Node {
	for _, x := range query.Mentions(f, name) {
		if !st.Span().Covers(x.Span()) {
			return nil
		}
	}
	text := p.In(f).Text(attr)
	for _, n := range f.Nodes() { // an attribute that is set here may be meant
		if as, ok := n.(*ast.Assign); ok {
			for _, t := range as.Targets {
				if p.In(f).Text(t) == text {
					return nil
				}
			}
		}
	}
	for _, n := range f.Nodes() {
		at, ok := n.(*ast.Attribute)
		if ok && at.Span().Start >= st.Span().End && p.In(f).Text(at) == text && f.Val(at) != nil {
			return at
		}
	}
	return nil
}
