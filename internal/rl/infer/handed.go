package infer

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// handOver puts into the argument of a trainer's method, which is a batch, what the trainer of the library puts into it. A subclass
// that makes its batches itself may put in something else.
func (in *interp) handOver(c *ClassRef, fn *FuncRef, args []*Val) {
	h := in.handsTo(c, fn.Def.Name)
	if h == nil || h.Position >= len(args) || slices.ContainsFunc(h.Unless, func(name string) bool { return c.Lookup(name) != nil }) {
		return
	}
	v := *args[h.Position]
	d := in.openDict()
	for _, key := range slices.Sorted(maps.Keys(h.Batch)) {
		part := in.newVal(Val{Q: in.operate(h.Batch[key], (*Val).operand, &v), Op: OpItem + "." + key, In: []*Val{&v}})
		if slices.Contains(h.Optional, key) {
			part = in.newVal(Val{Q: part.Q, Op: OpPhi, In: []*Val{part, in.none()}})
		}
		d.set(key, part)
	}
	v.Q, v.Ref = domain.Of(domain.Other), d
	args[h.Position] = in.newVal(v)
}

// handsTo is what a trainer of a library hands to a method of a class that derives from it; nil where that is not known.
func (in *interp) handsTo(c *ClassRef, method string) *library.Hands {
	for _, a := range c.mro() {
		for _, b := range a.LibBases {
			if lib := in.table.Class(b); lib != nil && lib.HandsTo(method) != nil {
				return lib.HandsTo(method)
			}
		}
	}
	return nil
}
