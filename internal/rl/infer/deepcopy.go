package infer

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// callCopy is copy.deepcopy: a new object that starts with what the old one
// holds. The layers of a copied network are new objects too, so that it can be
// told by which network a layer is used.
func callCopy(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	return in.copyOf(f, s, n, "copy.deepcopy", a.pos[0])
}

// copyOf is a new object, which op makes of x.
func (in *interp) copyOf(f *Frame, s *state, n ast.Node, op string, x *Val) *Val {
	v := in.val(f, s, n, op, x.Q, x)
	v.Const = x.Const
	if !isNetwork(x.Ref) {
		v.Ref = x.Ref
		return v
	}
	v.Ref = copier{in: in, done: madeAt(f, n), joins: true}.ref(x.Ref, maxCopyDepth)
	return v
}

// anew is the network that a call makes, where another call of the same function
// made r: a new object like it.
func (in *interp) anew(f *Frame, n ast.Node, r Ref) Ref {
	return copier{in: in, done: madeAt(f, n)}.ref(r, maxCopyDepth)
}

// madeAt are the copies that the call at n made before.
func madeAt(f *Frame, n ast.Node) map[Ref]Ref {
	return heapAt(f, n, func() *copied { return &copied{made: map[Ref]Ref{}} }).made
}

// maxCopyDepth bounds the nesting of layers that are copied.
const maxCopyDepth = 6

// copied is what one call made of which objects.
type copied struct{ made map[Ref]Ref }

func (*copied) ref() {}

// callShallowCopy is copy.copy. A module that it copies has a __dict__ of its own and shares with the old one the dicts in it, of parameters and
// of layers: it is a second name of one network. Of anything else it is a new object, as far as this goes.
func callShallowCopy(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	x := a.pos[0]
	if !x.Is(domain.Module) || !isNetwork(x.Ref) {
		return in.copyOf(f, s, n, "copy.copy", x)
	}
	v := in.val(f, s, n, "copy.copy", x.Q, x)
	v.Ref = x.Ref
	return v
}

// isNetwork reports whether a copy of the object is an object of its own.
func isNetwork(r Ref) bool {
	switch r.(type) {
	case *Instance, *LibObject:
		return true
	}
	return false
}

// copier remembers what it copied: two names of one layer are one in the copy.
type copier struct {
	in   *interp
	done map[Ref]Ref
	// joins says that a layer that is one of several is copied, too. Calls that are answered by
	// one evaluation are not told apart by these: their number would exhaust the contexts of methods.
	joins bool
}

func (c copier) ref(r Ref, depth int) Ref {
	if depth == 0 || c.done[r] != nil {
		if d := c.done[r]; d != nil {
			return d
		}
		return r
	}
	switch r := r.(type) {
	case *Instance:
		d := &Instance{Class: r.Class, Attrs: map[string]*Val{}, owner: c.in}
		c.done[r] = d
		c.in.res.Instances = append(c.in.res.Instances, d)
		for _, k := range slices.Sorted(maps.Keys(r.Attrs)) {
			d.Attrs[k] = c.val(r.Attrs[k], depth)
		}
		if r.layers != nil {
			d.layers = c.ref(r.layers, depth).(*SeqRef)
		}
		return d
	case *LibObject:
		d := *r
		d.owner, d.Attrs = c.in, maps.Clone(r.Attrs)
		c.done[r] = &d
		d.Pos = c.vals(r.Pos, depth)
		return &d
	case *SeqRef:
		d := &SeqRef{Elems: c.vals(r.Elems, depth), Elem: c.val(r.Elem, depth), Names: r.Names, List: r.List, blind: c.val(r.blind, depth), owner: c.in}
		return d
	case *DictRef:
		d := c.in.each(r, func(v *Val) *Val { return c.val(v, depth) })
		d.Elem = c.val(r.Elem, depth)
		return d
	}
	return r
}

func (c copier) vals(list []*Val, depth int) []*Val {
	if list == nil {
		return nil
	}
	out := make([]*Val, len(list))
	for i, v := range list {
		out[i] = c.val(v, depth)
	}
	return out
}

// val copies a value that refers to a layer, to one of several, or to a container of layers.
func (c copier) val(v *Val, depth int) *Val {
	if v == nil || depth == 0 {
		return v
	}
	w := *v
	switch {
	case holdsNetwork(v, 3):
		w.Ref = c.ref(v.Ref, depth-1)
	case c.joins && v.Ref == nil && v.Op == OpPhi:
		w.In = c.vals(v.In, depth-1)
	default:
		return v
	}
	return c.in.newVal(w)
}

// holdsNetwork reports whether a value is a layer or a container of layers.
func holdsNetwork(v *Val, depth int) bool {
	if v == nil || depth == 0 {
		return false
	}
	switch r := v.Ref.(type) {
	case *Instance, *LibObject:
		return true
	case *SeqRef:
		for _, e := range r.Elems {
			if holdsNetwork(e, depth-1) {
				return true
			}
		}
		return holdsNetwork(r.Elem, depth-1)
	case *DictRef:
		for _, e := range r.Fields {
			if holdsNetwork(e, depth-1) {
				return true
			}
		}
		return holdsNetwork(r.Elem, depth-1)
	}
	return false
}
