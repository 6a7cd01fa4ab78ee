package pass

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Settings that are read without their name
//
// Python goes by names, but not all names stand in the text: `vars(args)` yields all settings at once, `getattr(args, key)` one that
// nobody can tell, `f(**options(parser))` gives a parameter what some helper found under its name, and what is out of sight reads what it
// likes of the whole record that it is given.

// takers are Python's and its libraries' ways to read all settings of a record at once.
var takers = Matching(func(name string) bool {
	return slices.Contains([]string{"vars", "asdict", "__dict__", "fields", "astuple", "model_dump", "to_dict", "_get_kwargs", "_asdict", "__dataclass_fields__"}, name)
})

// askers are those that read a setting by a name that is computed.
var askers = Matching(func(name string) bool { return name == "getattr" || name == "attrgetter" })

// scopes are the ways to have all variables at once.
var scopes = Matching(func(name string) bool { return name == "locals" || name == "globals" })

// takenApart reports whether something may read a setting without naming it: not what is
// called on a record of the program that has no such field.
func (r *readers) takenApart(name string) bool {
	return slices.ContainsFunc(r.p.Mentions(takers), func(m Mention) bool {
		if m.Logged || m.How != Read && m.How != Attr {
			return false
		}
		call := callOver(m)
		if call == nil || len(call.Args) != 1 || call.Fun != m.Node {
			return true
		}
		return r.mayHold(m, call.Args[0], name)
	}) || slices.ContainsFunc(r.p.Mentions(askers), func(m Mention) bool {
		call := callOver(m)
		if m.How != Read && m.How != Attr || call == nil || call.Fun != m.Node {
			return m.How == Read && call != nil // `map(getattr, ...)`
		}
		if a, ok := m.Node.(*ast.Name); ok && a.Ident == "getattr" {
			return len(call.Args) < 2 || !isWritten(call.Args[1]) && r.mayHold(m, call.Args[0], name)
		}
		return !slices.ContainsFunc(call.Args, isWritten)
	}) || r.handedOut() || r.spread(name)
}

func isWritten(e ast.Expr) bool { _, is := e.(*ast.String); return is }

// mayHold reports whether an expression next to a mention may be a record that has a setting of a name.
func (r *readers) mayHold(m Mention, e ast.Expr, name string) bool {
	if isSelf(m, e) && len(m.Class.Bases) == 0 {
		return declares(m.Class, name)
	}
	of := r.valuesOf(m, e)
	return len(of) == 0 || slices.ContainsFunc(of, func(v *infer.Val) bool {
		switch o := v.Ref.(type) {
		case *infer.LibRef, *infer.FuncRef, *infer.SeqRef:
			return false
		case *infer.Instance:
			if o.Class.Record {
				return slices.ContainsFunc(o.Class.Fields, func(x infer.Field) bool { return SettingName(x.Name) == name })
			}
		}
		return true
	})
}

// scopeTaken reports whether a function, or the module, of a variable has all its variables at once somewhere.
func (r *readers) scopeTaken(m Mention) bool {
	return slices.ContainsFunc(r.p.Mentions(scopes), func(x Mention) bool {
		return !x.Logged && x.How == Read && x.Module == m.Module && (x.Name == "globals") == (m.Func == nil) && (m.Func == nil || m.Func == x.Func)
	})
}

// handedOut reports whether a parser, or what it yields, goes as a whole to something out of sight, which may read all of it. What writes it
// down for people reads nothing.
func (r *readers) handedOut() bool {
	if r.out != nil {
		return *r.out
	}
	out := false
	for v := range r.p.Each {
		call, ok := v.Node.(*ast.Call)
		if !ok || !r.p.IsOpaque(v) || isLogCall(call) || v.Frame == nil {
			continue
		}
		if out = slices.ContainsFunc(ast.Given(call), func(e ast.Expr) bool { return isOptions(v.Frame.Val(e)) }); out {
			break
		}
	}
	r.out = &out
	return out
}

// isOptions reports whether a value is a parser of options, or the namespace that one yields.
func isOptions(v *infer.Val) bool {
	if v != nil && v.Op == infer.OpDisplay && len(v.In) > 0 {
		if _, ok := v.Ref.(*infer.DictRef); ok {
			v = v.In[0]
		}
	}
	o, ok := infer.RefOf(v).(*infer.LibObject)
	return ok && o.Name == "argparse.ArgumentParser"
}

// spread reports whether a call gives a parameter of a name what it finds under that name in a mapping of unknown entries.
func (r *readers) spread(name string) bool {
	return slices.ContainsFunc(r.givenMappings(), func(fun *infer.Val) bool { return takesNamed(fun, name) })
}

// givenMappings are what is called with the entries of a mapping that are not known: f in f(**options(parser)).
func (r *readers) givenMappings() []*infer.Val {
	if r.mapped != nil {
		return r.mapped
	}
	r.mapped = []*infer.Val{}
	for f := range r.p.EachFrame {
		for _, n := range f.Nodes() {
			call, ok := n.(*ast.Call)
			if ok && !isLogCall(call) && slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "" && !r.known(f, k.Value) }) {
				r.mapped = append(r.mapped, f.Val(call.Fun))
			}
		}
	}
	return r.mapped
}

// known reports whether the entries of a mapping are known, or come by keywords that stand in the text: those of a function's own `**` parameter.
func (r *readers) known(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	if x, ok := e.(*ast.Name); ok && f.Func != nil && f.Func.Def != nil && f.Func.Def.Params != nil &&
		slices.ContainsFunc(f.Func.Def.Params.List, func(p *ast.Param) bool { return p.Kind == ast.VarKwArgs && p.Name == x.Ident }) {
		return true
	}
	ds := dictsOf(v, 4)
	return len(ds) > 0 && !slices.ContainsFunc(ds, func(d *infer.DictRef) bool { return d.Open || d.Elem != nil })
}

// takesNamed reports whether a function or class of the program that is called has a parameter of a name.
func takesNamed(fun *infer.Val, name string) bool {
	if fun == nil {
		return false
	}
	fn, _ := fun.Ref.(*infer.FuncRef)
	if c, ok := fun.Ref.(*infer.ClassRef); ok {
		if c.Record && slices.ContainsFunc(c.Fields, func(x infer.Field) bool { return SettingName(x.Name) == name }) {
			return true
		}
		if init := c.Lookup("__init__"); init != nil {
			fn, _ = init.Ref.(*infer.FuncRef)
		}
	}
	return fn != nil && fn.Def != nil && fn.Def.Params != nil && slices.ContainsFunc(fn.Def.Params.List, func(p *ast.Param) bool { return p.Name == name })
}

// declares reports whether the body of a class, or a method of it, has a field of a name.
func declares(c *ast.ClassDef, name string) bool {
	found := false
	ast.Walk(c, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			found = found || SettingName(n.Ident) == name
		case *ast.Attribute:
			found = found || SettingName(n.Attr) == name
		}
		return !found
	})
	return found
}
