// Package inplacebeforebackward is rule GRAD017, in-place-before-backward; rule.md says
// what it finds.
package inplacebeforebackward

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports results that backward() needs unchanged and that are modified in place.
var Analyzer = pass.Rule(Doc, run)

// savers keep their result for backward: the derivative of exp(x) is exp(x).
var savers = []string{
	"exp", "sigmoid", "tanh", "softmax", "log_softmax", "relu", "sqrt", "rsqrt", "reciprocal", "expm1", "ReLU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax",
}

func run(p *pass.Pass) {
	if len(p.Roles.Backwards) == 0 {
		return
	}
	for u := range p.Each {
		if y := changed(u); y != nil && saved(p, y) && minimised(p, u) && !query.Unrecorded(u.Frame) && !deployed(u) {
			report(p, u, y)
		}
	}
}

// changed returns the value that an operation writes into, or nil.
func changed(u *infer.Val) *infer.Val {
	if len(u.In) == 0 || u.In[0] == nil {
		return nil
	}
	switch n := u.Node.(type) {
	case *ast.AugAssign:
		return u.In[0]
	case *ast.Subscript:
		if u.Op == infer.OpStore {
			return u.In[0]
		}
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		if ok && u.Fn != nil && u.Fn.InPlace && strings.HasSuffix(at.Attr, "_") && !u.IsOp(infer.OpRequiresGrad, "detach") {
			return u.In[0]
		}
	}
	return nil
}

// saved reports whether y is the result of an operation that saved it, has a graph, and is
// not a view or copy.
func saved(p *pass.Pass, y *infer.Val) bool {
	for range 8 { // what a function of the program returns is what it computed
		if y.Op != infer.OpCall || len(y.In) == 0 || y.In[0] == nil || y.In[0].Frame == nil {
			break
		}
		y = y.In[0]
	}
	return y.Q.Grad == domain.Attached && y.Lib != infer.LibNumpy && y.Fn != nil && y.IsOp(savers...) && y.Ref == nil
}

// minimised reports whether backward() goes through the modified tensor, and so to the
// operation that saved it.
func minimised(p *pass.Pass, u *infer.Val) bool {
	return slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return query.GraphHolds(l.Value.Val, u) })
}

// deployed reports whether u runs only where its module does not train.
func deployed(u *infer.Val) bool {
	return u.Guarded(func(g *infer.Guard) bool {
		cond, holds := g.Cond, g.Sense
		if cond != nil && cond.IsOp("not") && len(cond.In) > 0 {
			cond, holds = cond.In[0], !holds
		}
		return cond != nil && !holds && strings.HasSuffix(cond.Op, ".training")
	})
}

func report(p *pass.Pass, u, y *infer.Val) {
	src := p.In(u.Frame)
	if src == nil || u.Node == nil {
		return
	}
	f := pass.At(u, y)
	f.Evidence = domain.Derived
	if item, ok := u.Node.(*ast.Subscript); ok { // y[i] = ...
		f.At = item.X
	}
	if text := outOfPlace(src, u.Node); text != "" {
		f.Fix = &pass.Fix{Message: "Compute a new tensor", Edits: src.Replace(u.Node, text)}
	}
	p.Report(f)
}

// named are the in-place methods that also have a form that returns a new tensor.
var named = []string{"add_", "sub_", "mul_", "div_", "pow_", "clamp_", "clip_", "masked_fill_", "relu_", "sigmoid_", "tanh_", "exp_", "neg_"}

// outOfPlace is the statement that assigns a new tensor to the name, or "".
func outOfPlace(src *pass.Source, n ast.Node) string {
	switch n := n.(type) {
	case *ast.AugAssign:
		name := src.Text(n.Target)
		op := src.AST.Text[n.OpLoc.Start:n.OpLoc.End]
		if _, ok := n.Target.(*ast.Name); ok {
			return fmt.Sprintf("%s = %s %s %s", name, name, op, src.Operand(n.Value))
		}
	case *ast.Call:
		at, _ := n.Fun.(*ast.Attribute)
		_, statement := src.Parent(n).(*ast.ExprStmt)
		if name, ok := at.X.(*ast.Name); ok && statement && slices.Contains(named, at.Attr) {
			rest := src.AST.Text[at.AttrLoc.End:n.Span().End]
			return fmt.Sprintf("%s = %s.%s%s", name.Ident, name.Ident, strings.TrimSuffix(at.Attr, "_"), rest)
		}
	}
	return ""
}
