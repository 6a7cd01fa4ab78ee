package infer

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

func (in *interp) importModule(from *Module, level int, dotted string) *Module {
	if in.cfg.Importer == nil {
		return nil
	}
	m := in.cfg.Importer.Import(from, level, dotted)
	if m == nil || m.Frame == nil || m == in.cfg.Module {
		return nil
	}
	in.imported(m)
	return m
}

func (in *interp) moduleVal(m *Module) *Val {
	return in.newVal(Val{Q: domain.Of(domain.Other), Op: OpModule, Ref: &ModuleRef{Module: m}})
}

// importStmt is "import a.b" (binds a) and "import a.b as c" (binds a.b).
func (in *interp) importStmt(f *Frame, s *state, st *ast.Import) {
	for _, a := range st.Names {
		name := a.Name
		if a.AsName == "" {
			name, _, _ = strings.Cut(name, ".")
		}
		v := in.symbol(f.Module, 0, name, "")
		slot := f.code.slot(a.Bound())
		if a.AsName == "" && name != a.Name {
			in.reachable(f.Module, a.Name) // a.b is reached through a
		}
		f.assign(s, slot, in.either(s.get(slot), v))
	}
}

// reachable notes the module that a dotted name means, for the case that the
// packages above it have no module of their own: folders without __init__.py.
func (in *interp) reachable(from *Module, dotted string) {
	if m := in.importModule(from, 0, dotted); m != nil {
		if in.spaces == nil {
			in.spaces = map[string]*Module{}
		}
		in.spaces[dotted] = m
	}
}

// libAttr is an attribute of a library's symbol, or of a package that has no module.
func (in *interp) libAttr(r *LibRef, name string) *Val {
	dotted := r.Name + "." + name
	if m := in.spaces[dotted]; m != nil {
		return in.moduleVal(m)
	}
	return in.lib(dotted)
}

func (in *interp) importFrom(f *Frame, s *state, st *ast.ImportFrom) {
	for _, a := range st.Names {
		if a.Name == "*" {
			in.importStar(f, s, st)
			continue
		}
		v := in.symbol(f.Module, st.Level, st.Module, a.Name)
		slot := f.code.slot(a.Bound())
		f.assign(s, slot, in.either(s.get(slot), v))
	}
}

// either keeps an earlier import of the same name where the new one is not
// known: "try: import gymnasium as gym / except ImportError: import gym".
func (in *interp) either(old, v *Val) *Val {
	if old != nil && v.Ref == nil {
		return old
	}
	return v
}

// symbol is what importing a name yields; name is empty for the module itself.
// What is not part of the program is a library symbol: its qualified name is all
// that is needed.
func (in *interp) symbol(from *Module, level int, module, name string) *Val {
	if m := in.importModule(from, level, module); m != nil {
		if name == "" {
			return in.moduleVal(m)
		}
		if v := m.Global(name); v != nil {
			return v
		}
	}
	if level == 0 && name != "" && module == in.cfg.Module.Name && from == in.cfg.Module { // a script imports itself
		if v := in.res.Frames[0].lookupFinal(name); v != nil {
			return v
		}
	}
	if name != "" {
		dotted := strings.TrimPrefix(module+"."+name, ".")
		if m := in.importModule(from, level, dotted); m != nil {
			return in.moduleVal(m)
		}
		if level > 0 {
			return in.newVal(Val{Q: domain.Unknown, Op: OpUnknown})
		}
		return in.lib(dotted)
	}
	return in.lib(module)
}

func (in *interp) importStar(f *Frame, s *state, st *ast.ImportFrom) {
	m := in.importModule(f.Module, st.Level, st.Module)
	if m == nil || f.Func != nil || f.class != nil { // a star may stand in a module only
		return
	}
	for i, p := range m.Frame.code.places {
		if p.name == "" || strings.HasPrefix(p.name, "_") {
			continue
		}
		if v := m.Frame.final.get(i); v != nil {
			f.assign(s, f.code.slot(p.name), v)
		}
	}
}
