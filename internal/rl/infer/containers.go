package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// seqMethod is a method of list, tuple or deque; nil where the name is none.
func (in *interp) seqMethod(f *Frame, s *state, n ast.Node, recv *Val, l *SeqRef, name string, a callArgs) *Val {
	switch name {
	case "append", "appendleft", "add":
		if len(a.pos) == 1 && l.owner == in {
			in.blur(l)
			l.Elem = in.join(l.Elem, a.pos[0])
		}
		return in.none()
	case "insert":
		if len(a.pos) == 2 && l.owner == in {
			in.blur(l)
			l.Elem = in.join(l.Elem, a.pos[1])
		}
		return in.none()
	case "extend":
		if len(a.pos) == 1 {
			in.extend(l, a.pos[0])
		}
		return in.none()
	case "pop", "popleft":
		if e := in.seqElem(l); e != nil {
			return e
		}
		return in.opaque(f, s, n, OpItem, recv)
	case "copy", "reverse", "sort", "clear", "remove":
		return recv
	case "index", "count":
		return in.size(f, s, n, recv, domain.UnknownDim)
	}
	return nil
}

var dictMethods = map[string]bool{
	"get": true, "items": true, "values": true, "keys": true, "update": true, "pop": true, "setdefault": true, "copy": true, "clear": true,
}

// dictMethod is a method of dict; nil where the name is none.
func (in *interp) dictMethod(f *Frame, s *state, n ast.Node, recv *Val, d *DictRef, name string, a callArgs) *Val {
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
	case "update":
		for _, p := range a.pos {
			in.update(d, p)
		}
		for _, k := range a.kw {
			if d.owner == in {
				d.Fields[k.name] = in.join(d.Fields[k.name], k.val)
			}
		}
		return in.none()
	case "items":
		if v := in.eachItem(f, s, n, d, a); v != nil {
			return v
		}
		key := in.val(f, s, n, OpIterate, domain.Of(domain.Text), recv)
		t := in.tuple(f, s, n, &SeqRef{Elems: []*Val{key, in.anyField(f, s, n, recv, d)}, owner: in})
		return in.listOf(f, s, n, t, a)
	case "values":
		return in.listOf(f, s, n, in.anyField(f, s, n, recv, d), a)
	case "keys":
		return in.listOf(f, s, n, in.val(f, s, n, OpIterate, domain.Of(domain.Text), recv), a)
	case "copy":
		c := &DictRef{Fields: map[string]*Val{}, Elem: d.Elem, Open: d.Open, owner: in}
		for k, v := range d.Fields {
			c.Fields[k] = v
		}
		v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), recv)
		v.Ref = c
		return v
	}
	return nil
}

// anyField is the join of all entries.
func (in *interp) anyField(f *Frame, s *state, n ast.Node, recv *Val, d *DictRef) *Val {
	out := d.Elem
	for _, k := range sortedKeys(d.Fields) {
		out = in.join(out, d.Fields[k])
	}
	return in.joinOr(f, s, n, out, recv)
}

// eachItem is d.items() where the keys are known: one pair a field, so that a
// loop over them can keep the fields apart.
func (in *interp) eachItem(f *Frame, s *state, n ast.Node, d *DictRef, a callArgs) *Val {
	if d.Open || d.Elem != nil || len(d.Fields) == 0 || len(d.Fields) > maxElems {
		return nil
	}
	r := &SeqRef{List: true, owner: in}
	for _, k := range sortedKeys(d.Fields) {
		pair := &SeqRef{Elems: []*Val{in.constant(k), d.Fields[k]}, owner: in}
		r.Elems = append(r.Elems, in.tuple(f, s, n, pair))
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), r.Elems...)
	v.Ref = r
	return v
}
