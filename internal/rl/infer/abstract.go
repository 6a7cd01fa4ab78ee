package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// # Abstract classes
//
// An annotation says type[C] of what is called, and the methods of C, a class of networks, only
// raise NotImplementedError: which class it is is read from a setting, or looked up in a registry.
// What is made is an object of a class that derives from C and has all methods. Those that this
// module and the modules that it imports define are known; what all of them do is what is done. Of
// an argument that is only said to be an object of C nothing follows: whoever calls may have another.

// maxConcrete is the number of classes beyond which it is not asked what all of them do.
const maxConcrete = 4

// derives notes whether a class of networks is abstract, and, of one that is not, from which
// abstract ones it derives.
func (in *interp) derives(c *ClassRef) {
	c.abstract = isDerivedModule(c) && slices.ContainsFunc(c.mro(), func(a *ClassRef) bool {
		for name, v := range a.Attrs {
			if fn, ok := v.Ref.(*FuncRef); ok && isAbstract(fn) && c.Lookup(name) == v {
				return true
			}
		}
		return false
	})
	m := in.cfg.Module
	if c.abstract || c.Module != m {
		return
	}
	for _, a := range c.mro() {
		if !a.abstract || slices.Contains(m.derived[a], c) {
			continue
		}
		if m.derived == nil {
			m.derived = map[*ClassRef][]*ClassRef{}
			m.derivers = append(m.derivers, m)
		}
		m.derived[a] = append(m.derived[a], c)
	}
}

// isAbstract reports whether a method says nothing but that subclasses have it.
func isAbstract(fn *FuncRef) bool {
	if !isStub(fn) {
		return false
	}
	for _, d := range fn.Def.Decorators {
		if name, _ := lastName(d); name == "abstractmethod" {
			return true
		}
	}
	return slices.ContainsFunc(fn.Def.Body, func(st ast.Stmt) bool { _, ok := st.(*ast.Raise); return ok })
}

// concrete are the classes that an abstract one may stand for; none where the class is not
// abstract, or where there are too many.
func (in *interp) concrete(c *ClassRef) []*ClassRef {
	if !c.abstract {
		return nil
	}
	var out []*ClassRef
	for _, m := range in.cfg.Module.derivers {
		out = append(out, m.derived[c]...)
	}
	if len(out) > maxConcrete {
		return nil
	}
	return out
}
