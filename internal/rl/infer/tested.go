package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # What is tested for truth
//
// "if done:" raises where done is an array of several flags. So a flag whose truth a body asks for is one flag, and what a step of
// the environment yields beside it is of one environment: its reward is a number, whatever the environment is.

// truths are what a body says of its places by asking for their truth.
type truths struct {
	asked []ast.Expr // whose truth is asked for
	other []ast.Expr // places that are bound to something else than a flag, or the part of one
}

// note takes what a node asks for, and what it binds.
func (t *truths) note(n ast.Node) {
	switch n := n.(type) {
	case *ast.If:
		t.asks(n.Cond)
	case *ast.While:
		t.asks(n.Cond)
	case *ast.IfExp:
		t.asks(n.Cond)
	case *ast.BoolOp:
		for _, x := range n.Values[:len(n.Values)-1] {
			t.asks(x)
		}
	case *ast.UnaryOp:
		if n.Op == ast.Not {
			t.asks(n.X)
		}
	case *ast.Assign:
		if !isFlag(n.Value) {
			t.binds(n.Targets...)
		}
	case *ast.AugAssign:
		t.binds(n.Target)
	case *ast.For:
		t.binds(n.Target)
	case *ast.CompClause:
		t.binds(n.Target)
	}
}

// asks notes the places that a condition is made of.
func (t *truths) asks(cond ast.Expr) {
	for work := []ast.Expr{cond}; len(work) > 0; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		switch x := x.(type) {
		case *ast.Name, *ast.Attribute:
			t.asked = append(t.asked, x)
		case *ast.BoolOp:
			work = append(work, x.Values...)
		case *ast.UnaryOp:
			if x.Op == ast.Not {
				work = append(work, x.X)
			}
		}
	}
}

// binds notes the places of targets; what an assignment takes apart is not meant.
func (t *truths) binds(targets ...ast.Expr) {
	for _, x := range targets {
		switch x := x.(type) {
		case *ast.Name, *ast.Attribute:
			t.other = append(t.other, x)
		}
	}
}

// isFlag reports whether an expression is one flag whatever it is made of: a constant, or what and and or give.
func isFlag(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Constant, *ast.BoolOp:
		return true
	case *ast.Call:
		name, ok := e.Fun.(*ast.Name)
		return ok && name.Ident == "bool"
	}
	return false
}

// numberTruths leaves the slots whose truth is asked for, of those that hold nothing but flags.
func (c *layout) numberTruths() {
	for _, e := range c.truths.asked {
		if slot := c.slotOf(e); slot >= 0 {
			if c.tested == nil {
				c.tested = map[int]bool{}
			}
			c.tested[slot] = true
		}
	}
	for _, e := range c.truths.other {
		delete(c.tested, c.slotOf(e))
	}
	c.truths = truths{}
}

// isTested reports whether the body asks for the truth of one of the places that targets name.
func (c *layout) isTested(targets []ast.Expr) bool {
	for _, t := range targets {
		if c.tested[c.slotOf(t)] {
			return true
		}
	}
	return false
}

// ofOneEnv is what a step of an environment yields, where the truth of its flags is asked for: numbers, one each.
func (in *interp) ofOneEnv(f *Frame, v *Val, targets []ast.Expr) *Val {
	r, ok := v.Ref.(*SeqRef)
	if !ok || len(targets) < 3 || len(r.Elems) != len(targets) || !isOp(v, "step") && v.Op != OpCall+".step" || !f.code.isTested(targets[2:]) {
		return v
	}
	one := *r
	one.Elems = slices.Clone(r.Elems)
	for i, e := range one.Elems {
		if e.Q.Is(domain.Reward|Ends) && !e.Q.Shape.Known() {
			x := *e
			x.Q.Shape = domain.MakeShape()
			one.Elems[i] = in.newVal(x)
		}
	}
	w := *v
	w.Ref = &one
	return in.newVal(w)
}
