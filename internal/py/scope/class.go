package scope

import "github.com/rlvet/rlvet/internal/py/ast"

// ClassInfo is the table of a class's members as its own body shows them;
// inherited members are found through Bases.
type ClassInfo struct {
	Node  *ast.ClassDef
	Scope *Scope
	// Methods are the functions defined directly in the body, in source order;
	// conditional and overloaded definitions appear more than once.
	Methods []*ast.FunctionDef
	// Attrs are the other variables of the body: class attributes, dataclass fields, nested classes.
	Attrs []*Var
	// SelfAttrs are the places that assign an attribute of the instance (or, in a
	// class method, of the class) through a method's first parameter.
	SelfAttrs []SelfAttr
}

// SelfAttr is one assignment to self.Name.
type SelfAttr struct {
	Name   string
	Target *ast.Attribute
	// Owner is the statement or with item that assigns; Kind says how.
	Owner ast.Node
	Kind  BindingKind
	// Value is the assigned expression where the attribute gets exactly it, else nil.
	Value ast.Expr
	// Method is the method whose first parameter is the target's base.
	Method *ast.FunctionDef
}

// selfStore is a store to an attribute of a name, which may turn out to be self.
type selfStore struct {
	base   *ast.Name
	target *ast.Attribute
	Binding
}

// Name returns the class's qualified name, module included.
func (c *ClassInfo) Name() string { return c.Scope.QualName() }

// Bases returns the base expressions as written.
func (c *ClassInfo) Bases() []ast.Expr { return c.Node.Bases }

// Method returns the definition that calling or reading the method runs: the
// last of that name that is no setter, deleter or overload; nil where none is.
func (c *ClassInfo) Method(name string) *ast.FunctionDef {
	for i := len(c.Methods) - 1; i >= 0; i-- {
		if m := c.Methods[i]; m.Name == name && !isAccessory(m) {
			return m
		}
	}
	return nil
}

// isAccessory reports whether a definition only serves another of its name.
func isAccessory(m *ast.FunctionDef) bool {
	for _, d := range m.Decorators {
		switch d := d.(type) {
		case *ast.Attribute:
			if d.Attr == "setter" || d.Attr == "deleter" || d.Attr == "overload" {
				return true
			}
		case *ast.Name:
			if d.Ident == "overload" {
				return true
			}
		}
	}
	return false
}

// Attr returns the class-level variable of that name that is no method, or nil.
func (c *ClassInfo) Attr(name string) *Var {
	for _, v := range c.Attrs {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// ClassOf returns the table of a class definition of this module, or nil.
func (in *Info) ClassOf(n *ast.ClassDef) *ClassInfo {
	if s := in.ScopeFor(n); s != nil {
		return s.Class
	}
	return nil
}

// ClassByName returns the table of the class with that qualified name, or nil;
// of several the last, as at the end of the module.
func (in *Info) ClassByName(qualified string) *ClassInfo { return in.classes()[qualified] }

func (in *Info) classesByName() map[string]*ClassInfo {
	byName := map[string]*ClassInfo{}
	for _, c := range in.Classes {
		byName[c.Name()] = c
	}
	return byName
}

// MethodClass returns the class of which a function is a method, or nil.
func (in *Info) MethodClass(fn *ast.FunctionDef) *ClassInfo {
	if s := in.ScopeFor(fn); s != nil {
		return s.Class
	}
	return nil
}

// SelfClass returns the class of whose methods the name is the first parameter:
// the class of self. It is nil for other names and in static methods.
func (in *Info) SelfClass(n *ast.Name) *ClassInfo {
	if v := in.VarOf(n); v != nil {
		return v.selfClass()
	}
	return nil
}

// selfClass returns the class of which v is the self (or cls) parameter, or nil.
func (v *Var) selfClass() *ClassInfo {
	s := v.Scope
	if s.Kind != Function || s.Class == nil || s.param0 != v.index || isStatic(s.Node.(*ast.FunctionDef)) {
		return nil
	}
	return s.Class
}

func isStatic(fn *ast.FunctionDef) bool {
	for _, d := range fn.Decorators {
		if n, ok := d.(*ast.Name); ok && n.Ident == "staticmethod" {
			return true
		}
	}
	return false
}

// store notes an assignment to an attribute of a plain name, within a function.
func (b *builder) store(target *ast.Attribute, d Binding) {
	if base, ok := target.X.(*ast.Name); ok && len(b.Classes) > 0 && b.cur.Kind != Module && b.cur.Kind != Class {
		b.stores = append(b.stores, selfStore{base, target, d})
	}
}

// finishClasses fills the class tables once all names are resolved.
func (b *builder) finishClasses() {
	for _, c := range b.Classes {
		for _, v := range c.Scope.Locals() {
			attribute := false
			for _, binding := range v.Bindings {
				attribute = attribute || binding.Kind != FunctionDef
			}
			if attribute {
				c.Attrs = append(c.Attrs, v)
			}
		}
	}
	for _, s := range b.Scopes {
		if fn, ok := s.Node.(*ast.FunctionDef); ok && s.Class != nil {
			s.Class.Methods = append(s.Class.Methods, fn)
		}
	}
	for _, st := range b.stores {
		v := b.VarOf(st.base)
		if v == nil {
			continue
		}
		if c := v.selfClass(); c != nil {
			c.SelfAttrs = append(c.SelfAttrs, SelfAttr{
				Name: st.target.Attr, Target: st.target, Owner: st.Owner, Kind: st.Kind,
				Value: st.Value, Method: v.Scope.Node.(*ast.FunctionDef),
			})
		}
	}
}
