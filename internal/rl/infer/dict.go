package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

func (in *interp) newDict() *DictRef { return &DictRef{Fields: map[string]*Val{}, owner: in} }

// openDict is a dict of which not all keys are known.
func (in *interp) openDict() *DictRef {
	d := in.newDict()
	d.Open = true
	return d
}

// dictAt returns the dict that node allocates in f.
func (in *interp) dictAt(f *Frame, n ast.Node) *DictRef { return heapAt(f, n, in.newDict) }

// set replaces the value of a key.
func (d *DictRef) set(key string, v *Val) {
	if _, ok := d.Fields[key]; !ok {
		d.order = append(d.order, key)
	}
	d.Fields[key] = v
}

// add joins a value into that of a key.
func (in *interp) add(d *DictRef, key string, v *Val) { d.set(key, in.join(d.Fields[key], v)) }

// each returns a dict of the same keys with other values.
func (in *interp) each(d *DictRef, change func(*Val) *Val) *DictRef {
	c := in.newDict()
	c.Elem, c.Open, c.class = d.Elem, d.Open, d.class
	for _, k := range d.order {
		c.set(k, change(d.Fields[k]))
	}
	return c
}

// isExact reports whether the known keys are all keys, and few enough to be
// followed one by one.
func (d *DictRef) isExact() bool {
	return !d.Open && d.Elem == nil && len(d.order) > 0 && len(d.order) <= maxElems
}

var dictMethods = map[string]bool{
	"get": true, "items": true, "values": true, "keys": true, "update": true, "pop": true, "setdefault": true, "copy": true, "clear": true,
}

// dictMethod is a method of dict; nil where the name is none.
func (in *interp) dictMethod(f *Frame, s *state, n ast.Node, recv *Val, d *DictRef, name string, a callArgs) *Val {
	if v := d.method(name); v != nil {
		return in.callAttr(f, s, n, v, recv, d.class, a)
	}
	return in.plainDictMethod(f, s, n, recv, d, name, a)
}

// method is what the class of a dict has under a name; nil for a plain dict.
func (d *DictRef) method(name string) *Val {
	if d.class == nil {
		return nil
	}
	return d.class.Lookup(name)
}

// plainDictMethod is dictMethod of dict itself.
func (in *interp) plainDictMethod(f *Frame, s *state, n ast.Node, recv *Val, d *DictRef, name string, a callArgs) *Val {
	d = in.filled(d)
	if v := d.Fields[name]; v != nil && !dictMethods[name] {
		return in.callVal(f, s, n, v, a)
	}
	switch name {
	case "get", "pop", "setdefault":
		if len(a.pos) == 0 {
			return nil
		}
		if k, ok := a.pos[0].Str(); ok && d.Fields[k] != nil {
			return d.Fields[k]
		}
		if len(a.pos) == 2 {
			if name == "setdefault" {
				in.setField(d, a.pos[0], a.pos[1])
			}
			if !d.Open && d.Elem == nil {
				return a.pos[1]
			}
		}
		return in.dictIndex(f, s, n, recv, d, a.pos[0])
	case "__getitem__":
		if len(a.pos) == 1 {
			return in.dictIndex(f, s, n, recv, d, a.pos[0])
		}
	case "__setitem__":
		if len(a.pos) == 2 {
			in.setField(d, a.pos[0], a.pos[1])
			return in.none()
		}
	case "update", "__init__":
		for _, p := range a.pos {
			in.update(d, p)
		}
		for _, k := range a.kw {
			if d.owner == in {
				in.add(d, k.name, k.val)
			}
		}
		return in.none()
	case "items":
		if d.isExact() {
			return in.eachItem(f, s, n, recv, d)
		}
		key := in.val(f, s, n, OpIterate, domain.Of(domain.Text), recv)
		t := in.tuple(f, s, n, &SeqRef{Elems: []*Val{key, in.anyField(f, s, n, recv, d)}, owner: in})
		return in.listOf(f, s, n, t, a)
	case "values":
		if d.isExact() {
			return in.list(f, s, n, recv, inOrder(d))
		}
		return in.listOf(f, s, n, in.anyField(f, s, n, recv, d), a)
	case "keys":
		if d.isExact() {
			return in.list(f, s, n, recv, in.keysOf(d))
		}
		return in.listOf(f, s, n, in.val(f, s, n, OpIterate, domain.Of(domain.Text), recv), a)
	case "copy":
		v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), recv)
		v.Ref = in.each(d, func(x *Val) *Val { return x })
		return v
	}
	return nil
}

// anyField is the join of all entries.
func (in *interp) anyField(f *Frame, s *state, n ast.Node, recv *Val, d *DictRef) *Val {
	out := d.Elem
	for _, k := range d.order {
		out = in.join(out, d.Fields[k])
	}
	return in.joinOr(f, s, n, out, recv)
}

// eachItem is d.items() where the keys are known: one pair a field, so that a
// loop over them can keep the fields apart.
func (in *interp) eachItem(f *Frame, s *state, n ast.Node, recv *Val, d *DictRef) *Val {
	var pairs []*Val
	for _, k := range d.order {
		pairs = append(pairs, in.tuple(f, s, n, &SeqRef{Elems: []*Val{in.constant(k), d.Fields[k]}, owner: in}))
	}
	return in.list(f, s, n, recv, pairs)
}

// keysOf are the known keys as values.
func (in *interp) keysOf(d *DictRef) []*Val {
	out := make([]*Val, len(d.order))
	for i, k := range d.order {
		out[i] = in.constant(k)
	}
	return out
}

// inOrder are the values of the known keys.
func inOrder(d *DictRef) []*Val {
	out := make([]*Val, len(d.order))
	for i, k := range d.order {
		out[i] = d.Fields[k]
	}
	return out
}

// list is a list of known elements that was made from x.
func (in *interp) list(f *Frame, s *state, n ast.Node, x *Val, elems []*Val) *Val {
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), append([]*Val{x}, elems...)...)
	v.Ref = &SeqRef{Elems: elems, List: true, owner: in}
	return v
}

// update merges the entries of another mapping into d.
func (in *interp) update(d *DictRef, v *Val) {
	if d.owner != in {
		return
	}
	r, ok := v.Ref.(*DictRef)
	if !ok {
		in.updatePairs(d, v)
		return
	}
	d.Elem = in.join(d.Elem, r.Elem)
	d.Open = d.Open || r.Open
	if !in.copies(len(r.order)) {
		d.Open = true
		return
	}
	for _, k := range r.order {
		in.add(d, k, r.Fields[k])
	}
}

// updatePairs merges [("a", x), ("b", y)] into d.
func (in *interp) updatePairs(d *DictRef, v *Val) {
	l, ok := v.Ref.(*SeqRef)
	d.Open = d.Open || !ok || l.Elems == nil
	if !ok {
		return
	}
	for _, e := range append(slices.Clone(l.Elems), l.Elem) {
		if e == nil {
			continue
		}
		if p, ok := e.Ref.(*SeqRef); ok && len(p.Elems) == 2 {
			in.setField(d, p.Elems[0], p.Elems[1])
		} else {
			d.Open = true
		}
	}
}

// setField joins a value into that of a key, or into the values of unknown keys.
func (in *interp) setField(d *DictRef, idx, v *Val) {
	if d.owner != in {
		in.register(d, idx, v)
		return
	}
	if k, ok := idx.Str(); ok {
		in.add(d, k, v)
		return
	}
	d.Elem = in.join(d.Elem, v)
	d.Open = true
}
