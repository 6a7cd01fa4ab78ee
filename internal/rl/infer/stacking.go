package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Loops that stack layers
//
// A network is often written as a loop over the sizes of its layers, "for i in range(len(sizes) - 1): layers += [Linear(sizes[i],
// sizes[i + 1]), ReLU()]". Taken as a loop, any layer has any of the sizes; what comes out of the network is the last of them, so a
// critic would not end in one unit. So a loop over sizes that are known, of which the first round adds a layer to a list, is taken
// one by one.

// stacking evaluates such a loop; it reports whether the loop is one.
func (in *interp) stacking(f *Frame, s *state, st *ast.For, iter *Val) bool {
	list := grownBy(st.Body)
	if list == nil {
		return false
	}
	elems := in.countedSizes(iter)
	if elems == nil || !holdsLayers(f, s, list, 0) {
		return false
	}
	in.unroll(f, s, st, elems[:1], 0)
	if !holdsLayers(f, s, list, 1) {
		return false
	}
	in.unroll(f, s, st, elems[1:], 1)
	return true
}

// grownBy is the list that a loop's body adds to, "layers.append(x)" or "layers += [x]"; nil where there is none, and where the body has
// more than such steps, assignments and conditions.
func grownBy(body []ast.Stmt) *ast.Name {
	var list *ast.Name
	steps := body
	for len(steps) > 0 {
		st := steps[0]
		steps = steps[1:]
		switch st := st.(type) {
		case *ast.Assign:
		case *ast.AugAssign:
			if name, ok := st.Target.(*ast.Name); ok && st.Op == ast.Add {
				list = name
			}
		case *ast.ExprStmt:
			if name := appendedTo(st.X); name != nil {
				list = name
			}
		case *ast.If:
			steps = slices.Concat(st.Then, st.Else, steps)
		default:
			return nil
		}
	}
	return list
}

// appendedTo is the variable x of "x.append(...)" or "x.extend(...)"; nil for anything else.
func appendedTo(e ast.Expr) *ast.Name {
	call, ok := e.(*ast.Call)
	if !ok {
		return nil
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || at.Attr != "append" && at.Attr != "extend" {
		return nil
	}
	name, _ := at.X.(*ast.Name)
	return name
}

// holdsLayers reports whether the variable is a list of which the end is known to be of layers, of so many at least.
func holdsLayers(f *Frame, s *state, list *ast.Name, least int) bool {
	slot := f.code.slotOf(list)
	if slot < 0 {
		return false
	}
	r, ok := RefOf(s.get(slot)).(*SeqRef)
	return ok && r.tail != nil && len(r.tail.vals) >= least
}

// countedSizes are what a loop over sizes binds: the sizes themselves, pairs of neighbours, or positions up to their number. It is nil for
// any other loop.
func (in *interp) countedSizes(iter *Val) []*Val {
	r, ok := iter.Ref.(*SeqRef)
	switch {
	case !ok:
		return nil
	case r.Elems == nil:
		return in.positionsOf(r.Elem)
	}
	if len(r.Elems) == 0 || len(r.Elems) > maxElems {
		return nil
	}
	for _, e := range r.Elems {
		pair, tuple := e.Ref.(*SeqRef)
		if !tuple {
			pair = &SeqRef{Elems: []*Val{e}}
		}
		for _, x := range pair.Elems {
			if x.Ref != nil || x.Is(domain.Text) {
				return nil
			}
		}
	}
	return r.Elems
}

// positionsOf are the positions that range() yields where its bounds are numbers and the lengths of lists of known elements.
func (in *interp) positionsOf(elem *Val) []*Val {
	if elem == nil || elem.Op != "builtins.range" || len(elem.In) == 0 || len(elem.In) > 2 {
		return nil
	}
	low, high, counted := int64(0), int64(0), false
	for i, x := range elem.In {
		n, ofList, ok := lengthOf(x, maxNesting)
		if !ok {
			return nil
		}
		counted = counted || ofList
		if low = high; i == 0 {
			low = 0
		}
		high = n
	}
	if !counted || high <= low || high-low > maxElems {
		return nil
	}
	var out []*Val
	for i := low; i < high; i++ {
		v := in.newVal(*elem)
		v.Const, v.Q.Range = i, domain.RangeOf(float64(i))
		out = append(out, v)
	}
	return out
}

// lengthOf is a number that is computed of the length of a list of known elements.
func lengthOf(v *Val, depth int) (n int64, ofList, ok bool) {
	if n, ok = v.Int(); !ok || v.Op == OpConfig {
		return 0, false, false
	}
	for list := []*Val{v}; len(list) > 0 && depth > 0; depth-- {
		x := list[0]
		list = list[1:]
		switch {
		case x == nil || len(x.In) == 0 || x.In[0] == nil:
		case x.Op == "size":
			_, ofList = x.In[0].Ref.(*SeqRef)
			return n, ofList, true
		case isOp(x, "sub", "add"):
			list = append(list, x.In...)
		}
	}
	return n, false, true
}
