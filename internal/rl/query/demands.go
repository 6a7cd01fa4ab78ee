package query

import (
	"slices"
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What a program demands
//
// A program checks what it goes on with where it likes: beside the computation, or in a function that validates an argument and raises.

// demand is the condition of a check of a program, and whether it raises where that holds; else where it does not.
type demand struct {
	cond   *infer.Val
	raises bool
	// beside are the other conditions without which it does not raise: a == "rloo" in `if a == "rloo" and n < 2: raise`.
	beside []*infer.Val
}

// demands are those of the program. Each quotient that may be divided by zero asks for them.
func (g *Graph) demands() []demand {
	g.demanded.once.Do(func() {
		for f := range g.EachFrame {
			for _, n := range f.Nodes() {
				switch n := n.(type) {
				case *ast.Assert:
					g.demanded.add(f, n.Cond, false)
				case *ast.If:
					if slices.ContainsFunc(n.Then, func(st ast.Stmt) bool { _, is := st.(*ast.Raise); return is }) {
						g.demanded.add(f, n.Cond, true)
					}
				}
			}
		}
	})
	return g.demanded.list
}

// demanded are the demands of a program once they were asked for.
type demanded struct {
	once sync.Once
	list []demand
}

// add adds a check, and each part of one that is put together of several.
func (d *demanded) add(f *infer.Frame, test ast.Expr, raises bool) {
	if cond := f.Val(test); cond != nil {
		d.list = append(d.list, demand{cond, raises, nil})
	}
	several, ok := test.(*ast.BoolOp)
	if !ok {
		return
	}
	for i, part := range several.Values {
		cond := f.Val(part)
		if cond == nil {
			continue
		}
		one := demand{cond, raises, nil}
		if several.Or != raises {
			for j, other := range several.Values {
				if v := f.Val(other); j != i && v != nil {
					one.beside = append(one.beside, v)
				}
			}
		}
		d.list = append(d.list, one)
	}
}

// Demands reports whether the program raises by what the elements of x are, itself or in a function that x is handed to.
func (g *Graph) Demands(x *infer.Val) bool {
	return slices.ContainsFunc(g.demands(), func(d demand) bool { return g.restsOnElements(d.cond, x) })
}

// nearDemand bounds how far a condition may lie from what it asks for: what was computed long before decides much that is checked later.
const nearDemand = 16

// restsOnElements reports whether a condition is computed with the elements of x. That they are finite says nothing more of them.
func (g *Graph) restsOnElements(cond, x *infer.Val) bool {
	found := false
	infer.Walk(cond, nearDemand, func(c *infer.Val) bool {
		found = found || slices.ContainsFunc(g.See(c).Callers(), func(s Seen) bool { return infer.SameSource(s.Val, x) })
		return !found && !asksElse(c)
	})
	return found
}

// asksElse reports whether an operation yields nothing of the elements of a tensor but their number or whether they are finite. How many
// different ones there are says more.
func asksElse(c *infer.Val) bool {
	return c.IsOp(SizeOps...) && !(len(c.In) > 0 && isDistinct(c.In[0])) || c.IsOp("is", "isnot", "isnan", "isinf", "isfinite")
}

// isDistinct reports whether v are the different elements of something.
func isDistinct(v *infer.Val) bool {
	if v == nil {
		return false
	}
	call, ok := v.Node.(*ast.Call)
	if !ok {
		comp, ok := v.Node.(*ast.Comp)
		return ok && comp.Kind == ast.SetComp
	}
	name := CalleeName(call)
	return name == "set" || name == "unique" || name == "unique_consecutive" || name == "Counter"
}
