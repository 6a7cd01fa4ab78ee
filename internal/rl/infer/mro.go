package infer

import "slices"

// maxAncestors bounds the ancestors of a class that are searched.
const maxAncestors = 64

// linearize orders a class and its ancestors as Python searches them: left to
// right, and a common ancestor after all that derive from it.
func linearize(c *ClassRef) []*ClassRef {
	all := []*ClassRef{c}
	for _, b := range c.Bases {
		all = append(all, b.mro()...)
	}
	last := make(map[*ClassRef]int, len(all))
	for i, a := range all {
		last[a] = i
	}
	order := all[:0]
	for i, a := range all {
		if last[a] == i && len(order) < maxAncestors {
			order = append(order, a)
		}
	}
	return slices.Clip(order)
}

// mro is the method resolution order: the class, then its ancestors among the
// classes of the program.
func (c *ClassRef) mro() []*ClassRef {
	if c.order == nil {
		return []*ClassRef{c}
	}
	return c.order
}

// Lookup finds an attribute of the class or of its ancestors; nil where none of
// those that the program defines has it.
func (c *ClassRef) Lookup(name string) *Val {
	for _, a := range c.mro() {
		if v := a.Attrs[name]; v != nil {
			return v
		}
	}
	return nil
}

// Derives reports whether the class has the library class among its ancestors.
func (c *ClassRef) Derives(lib string) bool {
	return slices.ContainsFunc(c.mro(), func(a *ClassRef) bool { return slices.Contains(a.LibBases, lib) })
}

// lookup finds an attribute behind Class in the order of the object's own class,
// and the class that has it.
func (r *SuperRef) lookup(name string) (v *Val, owner *ClassRef) {
	order := r.Class.mro()
	if o := classOf(r.Self); o != nil && slices.Contains(o.mro(), r.Class) {
		order = o.mro()
	}
	for _, a := range order[slices.Index(order, r.Class)+1:] {
		if v := a.Attrs[name]; v != nil {
			return v, a
		}
	}
	return nil, nil
}

// classOf is the class of an object, a class itself in a class method, else nil.
func classOf(v *Val) *ClassRef {
	if v == nil {
		return nil
	}
	switch r := v.Ref.(type) {
	case *Instance:
		return r.Class
	case *DictRef:
		return r.class
	case *ClassRef:
		return r
	}
	return nil
}

// isDict reports whether objects of the class are dicts.
func (c *ClassRef) isDict() bool {
	return c.Derives("builtins.dict") || c.Derives("collections.OrderedDict") || c.Derives("typing.Dict")
}

// Inherits reports whether c is a class of the program or one of its subclasses.
func (c *ClassRef) Inherits(from *ClassRef) bool { return slices.Contains(c.mro(), from) }
