package infer

import (
	"maps"
	"slices"
)

// # Objects of other modules' classes
//
// An annotation names a class of another module, and the program hands over an object that is not
// seen. That module has made one of unknown arguments, for its own methods. Its fields tell much,
// but it belongs to that module, which others use at the same time: what this module stores in it
// would be lost. So this module has an object of its own, and in the place of each object that the
// constructor made another. They share all layers.

// foreign is an object of a class of another module.
func (in *interp) foreign(c *ClassRef) *Val {
	if v := in.foreigners[c]; v != nil {
		return v
	}
	v := in.newVal(Val{Q: in.instanceQ(c), Op: OpParam})
	if c.generic == nil {
		v.Ref = in.newInstance(c)
		return v
	}
	if in.foreigners == nil {
		in.foreigners = map[*ClassRef]*Val{}
	}
	v.Ref = in.ownOf(c.generic, map[*Instance]*Instance{}, maxCopyDepth)
	in.foreigners[c] = v
	return v
}

// ownOf is an object of this module that starts with what a constructor made of r.
func (in *interp) ownOf(r *Instance, done map[*Instance]*Instance, depth int) *Instance {
	if d := done[r]; d != nil {
		return d
	}
	d := in.newInstance(r.Class)
	d.behind, d.layers, done[r] = r, r.layers, d
	attrs := r.Attrs
	if r == r.Class.generic && r.Class.made != nil {
		attrs = r.Class.made
	}
	for _, k := range slices.Sorted(maps.Keys(attrs)) {
		d.Attrs[k] = in.ownValOf(attrs[k], done, depth-1)
	}
	return d
}

// ownValOf is v with objects of this module in the place of those that it may be.
func (in *interp) ownValOf(v *Val, done map[*Instance]*Instance, depth int) *Val {
	if depth == 0 {
		return v
	}
	w := *v
	switch r := v.Ref.(type) {
	case *Instance:
		w.Ref = in.ownOf(r, done, depth)
	case nil:
		if v.Op != OpPhi {
			return v
		}
		w.In = slices.Clone(v.In)
		for i, x := range w.In {
			if x != nil {
				w.In[i] = in.ownValOf(x, done, depth)
			}
		}
		if slices.Equal(w.In, v.In) {
			return v
		}
	default:
		return v
	}
	return in.newVal(w)
}
