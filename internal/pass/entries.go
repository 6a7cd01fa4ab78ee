package pass

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// entryOf returns the dict display, or the call of dict, that a key stands in, and what the
// key holds there; nil where the mention is no such key.
func entryOf(m Mention) (dict, value ast.Expr) {
	switch d := m.Parent().(type) {
	case *ast.Dict:
		for i, k := range d.Keys {
			if k != nil && ast.Node(k) == m.Node {
				return d, d.Values[i]
			}
		}
	case *ast.Call:
		if name, ok := d.Fun.(*ast.Name); ok && name.Ident == "dict" && m.How == Passed {
			return d, m.Value
		}
	}
	return nil, nil
}

// unreadEntry reports whether m is a key of a dict with a number that is read nowhere: the
// program follows the dict wherever it goes, and takes it by other keys only.
func (r *readers) unreadEntry(m Mention) bool {
	dict, value := entryOf(m)
	if dict == nil || !isSetNumber(value) {
		return false
	}
	for _, x := range r.mentions {
		if SettingName(x.Name) != SettingName(m.Name) || x.Logged {
			continue
		}
		if entry, _ := entryOf(x); entry == nil && (x.How == Attr || x.How == Key) {
			return false
		}
	}
	if r.outOfSight(m) {
		return false
	}
	made := r.valuesOf(m, dict)
	for _, v := range made {
		d, ok := v.Ref.(*infer.DictRef)
		if !ok || d.Open || r.handedOn()[d] {
			return false
		}
	}
	return len(made) > 0 && !r.p.MentionedElsewhere(m.Module, SettingName(m.Name), r.modules)
}

// outOfSight reports whether the dict of an entry may be had, as a whole, by what does not know it by its value: a function that nobody
// is seen to call has it as a default, an object that nobody is seen to make has it as an attribute, another file takes it by its name.
func (r *readers) outOfSight(m Mention) bool {
	for i, n := range m.Parents {
		switch n := n.(type) {
		case *ast.Param:
			var in ast.Node = m.Func
			if j := slices.IndexFunc(m.Parents[i:], isLambda); j >= 0 {
				in = m.Parents[i+j]
			}
			return in == nil || !takenByKeys(in, n.Name, i == 1)
		case *ast.Lambda: // it makes the dict for whoever calls it, as a field's factory does
			return true
		case *ast.Assign:
			return slices.ContainsFunc(n.Targets, func(t ast.Expr) bool { return r.askedElsewhere(m, t) })
		case *ast.AnnAssign:
			return r.askedElsewhere(m, n.Target)
		}
	}
	return false
}

func isLambda(n ast.Node) bool { _, is := n.(*ast.Lambda); return is }

// takenByKeys reports whether all that a function does with a parameter is to take entries by keys that stand there. What is taken so of
// a container of dicts is a dict again, whose way is not known; direct says that the parameter is the dict itself.
func takenByKeys(in ast.Node, name string, direct bool) bool {
	by := true
	var visit func(above []ast.Node, n ast.Node)
	visit = func(above []ast.Node, n ast.Node) {
		if x, ok := n.(*ast.Name); ok && x.Ident == name {
			by = by && direct && isKeyed(x, above)
		}
		above = append(above, n)
		ast.Children(n, func(c ast.Node) { visit(above, c) })
	}
	visit(nil, in)
	return by
}

// isKeyed reports whether an expression is asked for an entry by a key that stands there; above are the nodes over it, outermost first.
func isKeyed(e ast.Expr, above []ast.Node) bool {
	if len(above) < 2 {
		return false
	}
	over, next := above[len(above)-1], above[len(above)-2]
	switch n := over.(type) {
	case *ast.Subscript:
		_, ok := n.Index.(*ast.String)
		return ok && n.X == e
	case *ast.Compare: // as `"key" in options`
		return true
	case *ast.Attribute:
		call, ok := next.(*ast.Call)
		if !ok || call.Fun != ast.Expr(n) || len(call.Args) == 0 {
			return false
		}
		_, ok = call.Args[0].(*ast.String)
		return ok && (n.Attr == "get" || n.Attr == "pop" || n.Attr == "setdefault")
	}
	return false
}

// askedElsewhere reports whether a place that an assignment binds to the dict of an entry is read, as a whole, where it is not known to be that
// dict: an attribute of that name, of whatever object, or a variable of the module that another file names.
func (r *readers) askedElsewhere(m Mention, target ast.Expr) bool {
	name := ""
	switch t := target.(type) {
	case *ast.Attribute:
		name = t.Attr
	case *ast.Name:
		name = t.Ident
		if m.Func != nil {
			return false
		}
		if m.Class == nil {
			return r.p.MentionedElsewhere(m.Module, name, r.modules)
		}
	default:
		return false
	}
	return r.p.MentionedElsewhere(m.Module, name, r.modules) || r.attrAsked(name)
}

// attrAsked reports whether an attribute of a name is read, as a whole, where its value is not known to be a dict that is followed.
func (r *readers) attrAsked(name string) bool {
	return slices.ContainsFunc(r.p.MentionsOf(name), func(x Mention) bool {
		if x.Logged || x.How != Attr && x.How != Key {
			return false
		}
		above := slices.Clone(x.Parents)
		slices.Reverse(above)
		e, ok := x.Node.(ast.Expr)
		if !ok || x.How == Attr && isKeyed(e, above) {
			return false
		}
		known := r.valuesOf(x, e)
		return x.How == Key || len(known) == 0 || slices.ContainsFunc(known, func(v *infer.Val) bool { return len(dictsOf(v, 4)) == 0 })
	})
}

// handedOn are the dicts of which not each place that reads them says by its text which
// key it takes.
func (r *readers) handedOn() map[*infer.DictRef]bool {
	if r.handed != nil {
		return r.handed
	}
	r.handed = map[*infer.DictRef]bool{}
	held := map[infer.Ref]bool{} // what an evaluation has for an argument
	for f := range r.p.EachFrame {
		for _, v := range f.Params {
			if v != nil {
				held[v.Ref] = true
			}
		}
	}
	for f := range r.p.EachFrame {
		for _, n := range f.Nodes() {
			switch n := n.(type) {
			case *ast.Call:
				if isLogCall(n) {
					continue
				}
			case *ast.FunctionDef:
				r.handDefaults(f, n, n.Params)
			case *ast.Lambda:
				r.handDefaults(f, n, n.Params)
			}
			ast.Children(n, func(c ast.Node) {
				if e, ok := c.(ast.Expr); ok {
					for _, d := range dictsOf(f.Val(e), 4) {
						if !r.byKey(f, n, e) && !(held[d] && r.called(f, n)) {
							r.handed[d] = true
						}
					}
				}
			})
		}
	}
	return r.handed
}

// handDefaults notes the dicts that a function has for a parameter where a call leaves it out, and does more with than to take keys.
func (r *readers) handDefaults(f *infer.Frame, fn ast.Node, params *ast.Params) {
	if params == nil {
		return
	}
	for _, p := range params.List {
		if p.Default == nil {
			continue
		}
		if _, written := p.Default.(*ast.Dict); written { // outOfSight asks
			continue
		}
		if ds := dictsOf(f.Val(p.Default), 4); len(ds) > 0 && !takenByKeys(fn, p.Name, true) {
			for _, d := range ds {
				r.handed[d] = true
			}
		}
	}
}

// dictsOf are the dicts that a value may be.
func dictsOf(v *infer.Val, depth int) (out []*infer.DictRef) {
	if v == nil || depth == 0 {
		return nil
	}
	if d, ok := v.Ref.(*infer.DictRef); ok {
		out = append(out, d)
	}
	if v.Op == infer.OpPhi || v.Op == infer.OpNarrow {
		for _, x := range v.In {
			out = append(out, dictsOf(x, depth-1)...)
		}
	}
	return out
}

// byKey reports whether the node above a dict keeps it, or takes a key that stands there.
func (r *readers) byKey(f *infer.Frame, above ast.Node, e ast.Expr) bool {
	switch n := above.(type) {
	case *ast.ExprStmt, *ast.IfExp, *ast.If:
		return true
	case *ast.Assign:
		for _, t := range n.Targets {
			if at, ok := t.(*ast.Attribute); ok {
				if _, own := infer.RefOf(f.Val(at.X)).(*infer.Instance); own && !r.attrAsked(at.Attr) {
					continue
				}
			}
			name, ok := t.(*ast.Name)
			if !ok {
				return ast.Expr(e) == t
			}
			if f.Func == nil && f != f.Module.Frame && r.attrAsked(name.Ident) { // in the body of a class
				return false
			}
		}
		return true
	case *ast.AnnAssign:
		_, ok := n.Target.(*ast.Name)
		return ok
	case *ast.Subscript:
		_, ok := n.Index.(*ast.String)
		return ok && n.X == e
	case *ast.Call: // x.get("key") is seen at x.get
		return n.Fun == e
	case *ast.Compare:
		_, ok := n.X.(*ast.String)
		return ok
	case *ast.Attribute:
		call := r.callOf(f, n)
		if call == nil || call.Fun != ast.Expr(n) || len(call.Args) == 0 {
			return false
		}
		_, ok := call.Args[0].(*ast.String)
		return ok && (n.Attr == "get" || n.Attr == "pop" || n.Attr == "setdefault")
	}
	return false
}

// called reports whether n is the call of a function or class of the program.
func (r *readers) called(f *infer.Frame, n ast.Node) bool {
	call, _ := n.(*ast.Call)
	if k, ok := n.(*ast.Keyword); ok && k.Name != "" {
		call = r.callOf(f, k)
	}
	if call == nil {
		return false
	}
	v := f.Val(call)
	if v == nil || r.p.IsOpaque(v) {
		return false
	}
	switch infer.RefOf(f.Val(call.Fun)).(type) {
	case *infer.FuncRef, *infer.BoundRef, *infer.ClassRef:
		return true
	}
	return false
}

// callOf is the call that a node of a frame stands in directly, or nil.
func (r *readers) callOf(f *infer.Frame, n ast.Node) *ast.Call {
	src := r.p.In(f)
	if src == nil {
		return nil
	}
	call, _ := src.Parent(n).(*ast.Call)
	return call
}
