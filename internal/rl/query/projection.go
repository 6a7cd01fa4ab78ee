package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Numbers that are shared out between two neighbours
//
// What lies between two whole numbers is shared out by how far it is from either: the upper neighbour gets p (b - floor b), the lower one
// p (ceil b - b). Where b is whole both are 0, and p is lost; the projection of a categorical distribution of returns
// (Bellemare et al. 2017, algorithm 1) has that case at every atom that the shift leaves in place.

// SharedOut is a pair of such shares.
type SharedOut struct {
	Lower, Upper Seen       // the products: of the distance from above, and from below
	Ceil         Seen       // ceil(b) - b
	Of           *infer.Val // b
}

// SharedOut are those of the module of which nothing asks whether the neighbours are one.
func (g *Graph) SharedOut() []SharedOut {
	above, below := g.distances("ceil", 0), g.distances("floor", 1)
	var out []SharedOut
	for _, u := range above {
		for _, l := range below {
			if u.of != l.of || isNudged(u.of) || g.comparesNeighbours(u.rounded, l.rounded) || g.asksWhole(u.of, u.at, l.at) {
				continue
			}
			if mass, x, y := sharedMass(g, u.at, l.at); mass {
				out = append(out, SharedOut{Lower: g.See(x), Upper: g.See(y), Ceil: g.See(u.at), Of: u.of})
			}
		}
	}
	return out
}

// distance is the difference of a number and what it is rounded to.
type distance struct {
	at, of, rounded *infer.Val
}

// distances are the differences of numbers and what a function rounds them to, which is the operand of that number.
func (g *Graph) distances(round string, operand int) (out []distance) {
	for _, v := range g.Made("sub") {
		if len(v.In) < 2 || v.Frame == nil || v.Frame.Stale() {
			continue
		}
		rounded := unconverted(v.In[operand])
		if of := roundedBy(rounded, round); of != nil && of == unconverted(v.In[1-operand]) {
			out = append(out, distance{v, of, rounded})
		}
	}
	return out
}

// roundedBy is what a function of this name was given to yield v; torch and numpy both have it, and tensors.
func roundedBy(v *infer.Val, name string) *infer.Val {
	if v == nil || len(v.In) == 0 {
		return nil
	}
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Frame == nil || CalleeName(call) != name {
		return nil
	}
	if len(call.Args) == 0 { // b.ceil()
		return unconverted(Receiver(v.Frame, call))
	}
	return unconverted(v.Frame.Val(call.Args[0]))
}

// unconverted is v before its type was changed, or its range cut.
func unconverted(v *infer.Val) *infer.Val {
	for range 6 {
		v = infer.Strip(v)
		if v == nil || len(v.In) == 0 || !v.IsOp("to", "long", "int", "float", "double", "type", "astype", "clamp", "clip", "int64", "float32") {
			return v
		}
		v = v.In[0]
	}
	return v
}

// isNudged reports whether a small number is added to v: it is hardly ever whole.
func isNudged(v *infer.Val) bool {
	return v.IsOp("add", "sub") && slices.ContainsFunc(v.In, func(in *infer.Val) bool {
		c, ok := in.Float()
		return ok && c != 0 && c > -0.1 && c < 0.1
	})
}

// comparesNeighbours reports whether the program compares the two numbers that something was rounded to, or changes one of them
// in place.
func (g *Graph) comparesNeighbours(u, l *infer.Val) bool {
	return slices.ContainsFunc(g.Made("eq", "ne", "gt", "lt", "ge", "le", "where", "isclose"), func(v *infer.Val) bool {
		of := func(x *infer.Val) bool {
			return slices.ContainsFunc(v.In, func(in *infer.Val) bool { return unconverted(in) == x })
		}
		return of(u) || of(l)
	})
}

// asksWhole reports whether the program asks whether a number is whole: it compares it, or its distance to a neighbour, for equality, or takes its
// fraction.
func (g *Graph) asksWhole(of, above, below *infer.Val) bool {
	given := func(v *infer.Val, to ...*infer.Val) bool {
		return slices.ContainsFunc(v.In, func(in *infer.Val) bool { return slices.Contains(to, unconverted(in)) })
	}
	return slices.ContainsFunc(g.Made("eq", "ne", "isclose"), func(v *infer.Val) bool { return given(v, of, above, below) }) ||
		slices.ContainsFunc(g.Made("mod", "remainder", "fmod", "frac"), func(v *infer.Val) bool { return given(v, of) })
}

// sharedMass reports whether both distances are multiplied by one number.
func sharedMass(g *Graph, u, l *infer.Val) (ok bool, x, y *infer.Val) {
	for _, x := range g.UsesOf(u) {
		for _, y := range g.UsesOf(l) {
			if x.IsOp("mul") && y.IsOp("mul") && !g.isTakenAway(x) && !g.isTakenAway(y) && infer.SameSource(otherThan(x, u), otherThan(y, l)) {
				return true, x, y
			}
		}
	}
	return false, nil, nil
}

// isTakenAway reports whether a share is subtracted from something, so that what both shares leave is known.
func (g *Graph) isTakenAway(share *infer.Val) bool {
	return slices.ContainsFunc(g.UsesOf(share), func(u *infer.Val) bool {
		return u.IsOp("sub") && len(u.In) > 1 && infer.Strip(u.In[1]) == infer.Strip(share)
	})
}

// otherThan is the other operand of a product.
func otherThan(product, v *infer.Val) *infer.Val {
	if len(product.In) < 2 {
		return nil
	}
	if product.In[0] == v {
		return product.In[1]
	}
	return product.In[0]
}
