package infer

import (
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

func callDict(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	d := in.dictAt(f, n)
	for _, k := range a.kw {
		in.add(d, k.name, k.val)
	}
	for _, p := range a.pos {
		in.update(d, p)
	}
	d.Open = d.Open || a.open
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), a.all()...)
	v.Ref = d
	return v
}

func callDefaultdict(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	d := heapAt(f, n, in.openDict)
	if len(a.pos) == 1 {
		if r, ok := a.pos[0].Ref.(*LibRef); ok && r.Name == "builtins.list" && d.Elem == nil {
			d.Elem = callList(in, f, s, n, callArgs{})
			d.lists = true
		}
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other))
	v.Ref = d
	return v
}

// callNamedtuple makes a record class out of a list of names.
func callNamedtuple(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	names := a.arg(1, "field_names")
	if names == nil {
		return nil
	}
	c := heapAt(f, n, func() *ClassRef {
		c := &ClassRef{Module: f.Module, Attrs: map[string]*Val{}, Record: true}
		for _, name := range fieldNames(names) {
			c.Fields = append(c.Fields, Field{Name: name, Node: n})
		}
		return c
	})
	v := in.val(f, s, n, OpClass, domain.Of(domain.Other))
	v.Ref = c
	return v
}

// fieldNames reads "a b", "a, b", ["a", "b"] or [("a", T), ...].
func fieldNames(v *Val) []string {
	if text, ok := v.Str(); ok {
		return strings.Fields(strings.ReplaceAll(text, ",", " "))
	}
	r, ok := v.Ref.(*SeqRef)
	if !ok {
		return nil
	}
	var names []string
	for _, e := range r.Elems {
		if p, ok := e.Ref.(*SeqRef); ok && len(p.Elems) > 0 {
			e = p.Elems[0]
		}
		if name, ok := e.Str(); ok {
			names = append(names, name)
		}
	}
	return names
}

// callField is dataclasses.field(default=...).
func callField(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if d := a.get("default"); d != nil {
		return d
	}
	if d := a.get("default_factory"); d != nil {
		return in.callVal(f, s, n, d, callArgs{})
	}
	return nil
}

// callReplace is dataclasses.replace(record, field=value).
func callReplace(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	r, ok := a.pos[0].Ref.(*Instance)
	if !ok {
		return a.pos[0]
	}
	return in.replaced(f, s, n, a.pos[0], r, a)
}

// replaced is a record with some fields set anew.
func (in *interp) replaced(f *Frame, s *state, n ast.Node, x *Val, r *Instance, a callArgs) *Val {
	obj := heapAt(f, n, func() *Instance { return in.newInstance(r.Class) })
	for _, k := range slices.Sorted(maps.Keys(r.Attrs)) {
		if v := a.get(k); v == nil {
			obj.Attrs[k] = in.join(obj.Attrs[k], r.Attrs[k])
		}
	}
	for _, k := range a.kw {
		obj.Attrs[k.name] = in.join(obj.Attrs[k.name], k.val)
	}
	v := in.val(f, s, n, OpNew, x.Q, a.after(x)...)
	v.Ref = obj
	return v
}

func callAsdict(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	r, ok := a.pos[0].Ref.(*Instance)
	if !ok {
		return nil
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), a.pos...)
	d := in.newDict()
	for _, k := range slices.Sorted(maps.Keys(r.Attrs)) {
		d.set(k, r.Attrs[k])
	}
	v.Ref = d
	return v
}

// callFields is dataclasses.fields(record): the fields, of which the names are known.
func callFields(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) != 1 {
		return nil
	}
	var c *ClassRef
	switch r := a.pos[0].Ref.(type) {
	case *Instance:
		c = r.Class
	case *ClassRef:
		c = r
	}
	if c == nil || len(c.Fields) == 0 {
		return nil
	}
	list := &SeqRef{owner: in}
	for _, x := range c.Fields {
		name := in.val(f, s, n, OpConst, domain.Of(domain.Text))
		name.Const = x.Name
		list.Elems = append(list.Elems, in.tuple(f, s, n, &SeqRef{Elems: []*Val{name}, Names: []string{"name"}, owner: in}))
	}
	return in.tuple(f, s, n, list)
}

// callInstanceOf is a command-line parser that fills a record from its defaults.
func callInstanceOf(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	c := a.arg(0, "config_class")
	if c == nil {
		return nil
	}
	if r, ok := c.Ref.(*ClassRef); ok {
		return in.genericInstance(r)
	}
	return nil
}
