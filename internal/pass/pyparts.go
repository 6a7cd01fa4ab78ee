package pass

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/frameworks"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/runconf"
)

// maxParts bounds configurations in configurations.
const maxParts = 6

// add adds a value under its name, and its parts under NAME.PART: the items of a dict, and the keywords of the call of
// a library that made it. Where not all parts are known, those that are not written are unknown.
func (c *callReader) add(r *frameworks.Run, key string, v *infer.Val, at runconf.Span, depth int) {
	s := c.setting(key, v, at)
	r.Add(s)
	if depth > maxParts {
		return
	}
	d, isDict := infer.RefOf(v).(*infer.DictRef)
	if s.Value.Kind == runconf.Unknown && (!isDict || d.Open || d.Elem != nil) || s.Value.Kind == runconf.Made {
		r.Forget(key + ".")
	}
	switch {
	case isDict && !d.Open && d.Elem == nil:
		for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
			c.add(r, key+"."+name, d.Fields[name], c.entry(v, name, at), depth+1)
		}
	case s.Value.Kind == runconf.Made:
		call := c.maker(v)
		if _, row := frameworks.Calls(s.Value.Text, c.imports); row != nil {
			for i, arg := range call.Args[:min(len(call.Args), len(row.Params))] {
				c.add(r, key+"."+row.Params[i], c.calls[call].Val(arg), spanOf(arg), depth+1)
			}
		}
		for _, k := range call.Keywords {
			if k.Name != "" {
				c.add(r, key+"."+k.Name, c.calls[call].Val(k.Value), spanOf(k), depth+1)
			}
		}
	}
}

// entry is where a dict that this module writes has a key, else where the dict is passed.
func (c *callReader) entry(v *infer.Val, name string, passed runconf.Span) runconf.Span {
	d, isDict := nodeOf(v).(*ast.Dict)
	if !isDict || v.Frame == nil || sourceOf(v.Frame.Module) != c.src {
		return passed
	}
	for i, k := range d.Keys {
		if s, ok := k.(*ast.String); ok && s.Value == name {
			return runconf.Span{Start: spanOf(k).Start, End: spanOf(d.Values[i]).End}
		}
	}
	return passed
}

// changed adds what the program assigns to the object behind the call, its attributes and its items: known where that stands in no branch.
func (c *callReader) changed(r *frameworks.Run, call *ast.Call, chained bool) {
	stores := c.stores()
	for f := range c.g.EachFrame {
		for _, st := range stores {
			if !c.isObject(f, st.of, call, chained) {
				continue
			}
			if st.direct && f == c.calls[call] {
				c.add(r, st.name, f.Val(st.value), spanOf(st.whole), 0)
				continue
			}
			r.Add(runconf.Setting{Key: st.name})
			r.Forget(st.name + ".")
		}
	}
}

// store is an attribute or item that is assigned; direct says that it stands in no branch of its function.
type store struct {
	of     ast.Expr
	name   string
	value  ast.Expr
	whole  ast.Node
	direct bool
}

// storesIn are the attributes and items that a module assigns.
func storesIn(m *ast.Module) (out []store) {
	direct := map[ast.Node]bool{}
	straight := func(body []ast.Stmt) {
		for _, st := range body {
			direct[st] = true
		}
	}
	straight(m.Body)
	ast.InspectStmts(m.Body, func(st ast.Stmt) bool {
		var targets []ast.Expr
		var value ast.Expr
		switch st := st.(type) {
		case *ast.FunctionDef:
			straight(st.Body)
		case *ast.Assign:
			targets, value = st.Targets, st.Value
		case *ast.AugAssign:
			targets = []ast.Expr{st.Target}
		case *ast.AnnAssign:
			targets = []ast.Expr{st.Target}
		}
		for _, t := range targets {
			switch t := t.(type) {
			case *ast.Attribute:
				out = append(out, store{t.X, t.Attr, value, st, direct[st] && value != nil})
			case *ast.Subscript:
				if key, ok := t.Index.(*ast.String); ok {
					out = append(out, store{t.X, key.Value, value, st, direct[st] && value != nil})
				}
			}
		}
		return true
	})
	return out
}

// isObject reports whether an expression is what a call returned, or, where methods hand back their object, what methods
// handed back that were called on it one after the other.
func (c *callReader) isObject(f *infer.Frame, e ast.Expr, object *ast.Call, chained bool) bool {
	for range 40 {
		v := f.Val(e)
		if isFrom(v, object) {
			return true
		}
		call, ok := nodeOf(v).(*ast.Call)
		if !chained || !ok || c.calls[call] == nil {
			return false
		}
		at, ok := call.Fun.(*ast.Attribute)
		if !ok {
			return false
		}
		f, e = c.calls[call], at.X
	}
	return false
}

// method adds the arguments of a method that is called on the object, as METHOD.PARAMETER; of several calls nothing is known, unless the object
// is one that methods set up piece by piece.
func (c *callReader) method(r *frameworks.Run, name string, params []string, object *ast.Call, chained bool) {
	found := c.on(object, name, chained)
	if len(found) > 1 && !chained {
		return
	}
	for _, call := range found {
		if c.guard(call) == c.guard(object) {
			c.arguments(r, name+".", params, call)
			continue
		}
		for _, k := range call.Keywords {
			r.Add(runconf.Setting{Key: name + "." + k.Name})
		}
	}
}

// updated adds the items of the dicts that the object is updated by.
func (c *callReader) updated(r *frameworks.Run, object *ast.Call) {
	for _, call := range append(c.on(object, "update", true), c.on(object, "update_from_dict", true)...) {
		var v *infer.Val
		if len(call.Args) == 1 && c.guard(call) == c.guard(object) {
			v = c.calls[call].Val(call.Args[0])
		}
		d, ok := infer.RefOf(v).(*infer.DictRef)
		if !ok || d.Open || d.Elem != nil {
			r.Open = true
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
			c.add(r, name, d.Fields[name], c.entry(v, name, spanOf(call.Args[0])), 0)
		}
	}
}

// replaced forgets what a copy of the object has instead, and what setattr sets: which of the two objects a run takes is not asked.
func (c *callReader) replaced(r *frameworks.Run, object *ast.Call) {
	for _, call := range c.order {
		name := c.name(call)
		if len(call.Args) == 0 || name != "dataclasses.replace" && name != "copy.replace" && name != "builtins.setattr" || !c.isObject(c.calls[call], call.Args[0], object, false) {
			continue
		}
		if key, ok := attributeOf(call); ok {
			r.Add(runconf.Setting{Key: key})
		}
		for _, k := range call.Keywords {
			r.Add(runconf.Setting{Key: k.Name})
			r.Open = r.Open || k.Name == ""
		}
	}
}

// rewritten reports whether any attribute of the object may be set: by setattr with a name that is not written there, or through its dict.
func (c *callReader) rewritten(object *ast.Call) bool {
	return slices.ContainsFunc(c.order, func(call *ast.Call) bool {
		of := ast.Expr(nil)
		switch at, ok := call.Fun.(*ast.Attribute); {
		case ok && at.Attr == "update":
			switch dict := at.X.(type) {
			case *ast.Attribute:
				if dict.Attr == "__dict__" {
					of = dict.X
				}
			case *ast.Call:
				if len(dict.Args) == 1 && c.calls[dict] != nil && c.name(dict) == "builtins.vars" {
					of = dict.Args[0]
				}
			}
		case len(call.Args) == 3 && c.name(call) == "builtins.setattr":
			if _, ok := attributeOf(call); !ok {
				of = call.Args[0]
			}
		}
		return of != nil && c.isObject(c.calls[call], of, object, false)
	})
}

// attributeOf is the name that a call of setattr gives.
func attributeOf(call *ast.Call) (string, bool) {
	if len(call.Args) != 3 {
		return "", false
	}
	s, ok := call.Args[1].(*ast.String)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// on are the calls of a method of an object, in the order in which they are made.
func (c *callReader) on(object *ast.Call, name string, chained bool) (out []*ast.Call) {
	for _, call := range c.order {
		if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == name && c.isObject(c.calls[call], at.X, object, chained) {
			out = append(out, call)
		}
	}
	slices.SortStableFunc(out, func(a, b *ast.Call) int { return int(a.Span().End) - int(b.Span().End) })
	return out
}

// guard is the condition under which a call is made.
func (c *callReader) guard(call *ast.Call) *infer.Guard {
	if v := c.calls[call].Val(call); v != nil {
		return v.Guard
	}
	return nil
}
