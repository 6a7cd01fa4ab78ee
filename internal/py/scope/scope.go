// Package scope resolves the names of one Python module.
//
// Purpose: says for every name which variable it means, where that variable is
// bound, and what dotted name (torch.nn.functional.softmax) an expression goes
// by through imports and aliases.
//
// Input: the syntax tree of a module and its dotted name. Output: Info, which
// is read-only and safe for concurrent use.
//
// Limits: resolution is by scope (LEGB), not by control flow: a variable has all
// its bindings, in source order; package cfg narrows them. exec, globals() and
// setattr are not followed. Names that only a star import can supply resolve to
// every module that is star-imported.
package scope

import (
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Kind tells the scopes apart.
type Kind uint8

// The kinds of scopes.
const (
	Module Kind = iota
	Class
	Function
	Lambda
	Comprehension
)

var kindNames = [...]string{"module", "class", "function", "lambda", "comprehension"}

// String returns the kind in words.
func (k Kind) String() string { return kindNames[k] }

// BindingKind says what construct gives a variable its value.
type BindingKind uint8

// The kinds of bindings.
const (
	Import        BindingKind = iota // import a.b [as c]; Node is the *ast.Alias
	FromImport                       // from a import b [as c]; Node is the *ast.Alias
	Assignment                       // x = value, also of x: T = value; Node is the *ast.Name
	Unpacking                        // (x, y) = value, [x, *y] = value
	Augmented                        // x += value
	Annotation                       // x: T without a value
	ForTarget                        // for x in ..., also of a comprehension
	WithTarget                       // with ... as x
	ExceptTarget                     // except E as x; Node is the *ast.Handler
	Parameter                        // Node is the *ast.Param
	FunctionDef                      // Node is the *ast.FunctionDef
	ClassDef                         // Node is the *ast.ClassDef
	Walrus                           // x := value
	MatchTarget                      // case x, case [*x], case {**x}; Node is the pattern
	TypeAlias                        // type x = value
	TypeParameter                    // def f[T](x); Node is the *ast.TypeParam
	Deletion                         // del x
)

var bindingNames = [...]string{
	"import", "from-import", "assignment", "unpacking", "augmented", "annotation", "for", "with",
	"except", "parameter", "function", "class", "walrus", "match", "type-alias", "type-parameter", "deletion",
}

// String returns the kind in words.
func (k BindingKind) String() string { return bindingNames[k] }

// Binding is one place at which a variable gets a value (or loses it).
type Binding struct {
	Kind BindingKind
	// Node carries the name: a Name, Alias, Param, Handler, FunctionDef, ClassDef or pattern.
	Node ast.Node
	// Owner is the statement, comprehension clause, with item or NamedExpr that binds.
	Owner ast.Node
	// Value is the bound expression where the variable gets exactly it: Assignment,
	// Walrus and TypeAlias; nil elsewhere.
	Value ast.Expr
}

// Var is a variable: one name in one scope.
type Var struct {
	Name  string
	Scope *Scope
	// Bindings are in source order; a variable that only "global" declares has none.
	Bindings []Binding
	// Uses are the loads of the variable, of nested scopes too.
	Uses []*ast.Name

	index int32 // in Info.vars
	next  int32 // the next variable of the scope, or 0
	outer int32 // the variable that this one shadows while its scope is built
}

// IsParameter reports whether one of v's bindings is a parameter.
func (v *Var) IsParameter() bool {
	return len(v.Bindings) > 0 && v.Bindings[0].Kind == Parameter
}

// Scope is a region of the program with its own variables.
type Scope struct {
	Kind Kind
	// Node opens the scope: *ast.Module is no node, so it is nil for the module;
	// else *ast.ClassDef, *ast.FunctionDef, *ast.Lambda or *ast.Comp.
	Node   ast.Node
	Parent *Scope
	// Class is set where the scope is a class body, and for methods: the class.
	Class *ClassInfo
	// Globals and Nonlocals are the names declared so in this scope.
	Globals, Nonlocals []string
	// Stars are the star imports of this scope.
	Stars []*ast.ImportFrom

	info        *Info
	id          int32
	first, last int32 // list of variables
	pendingFrom int
	free        []int32
	param0      int32 // the first positional parameter
	indexOnce   sync.Once
	index       map[string]*Var
}

// Locals returns the variables of the scope, in the order of their first
// binding: for a function its parameters and all names that it assigns.
func (s *Scope) Locals() []*Var {
	var vars []*Var
	for i := s.first; i != 0; i = s.info.vars[i].next {
		vars = append(vars, &s.info.vars[i])
	}
	return vars
}

// Lookup returns the variable of that name in this very scope, or nil.
func (s *Scope) Lookup(name string) *Var {
	s.indexOnce.Do(func() {
		s.index = map[string]*Var{}
		for _, v := range s.Locals() {
			s.index[v.Name] = v
		}
	})
	return s.index[name]
}

// Free returns the variables of enclosing functions that the scope, or one
// nested in it, reads or rebinds.
func (s *Scope) Free() []*Var {
	vars := make([]*Var, len(s.free))
	for i, v := range s.free {
		vars[i] = &s.info.vars[v]
	}
	return vars
}

// Enclosing returns the innermost scope of the kind, s included, or nil.
func (s *Scope) Enclosing(kind Kind) *Scope {
	for s != nil && s.Kind != kind {
		s = s.Parent
	}
	return s
}

// QualName returns the scope's name as Python's __qualname__ does, with the
// module's dotted name in front: "train.Agent.act", "train.main.<locals>.step".
func (s *Scope) QualName() string {
	switch node := s.Node.(type) {
	case *ast.FunctionDef:
		return s.Parent.member(node.Name)
	case *ast.ClassDef:
		return s.Parent.member(node.Name)
	case *ast.Lambda:
		return s.Parent.member("<lambda>")
	case *ast.Comp:
		return s.Parent.QualName()
	}
	return s.info.ModName
}

// member returns the qualified name of something that s defines.
func (s *Scope) member(name string) string {
	prefix := s.QualName()
	switch {
	case prefix == "":
		return name
	case s.Kind == Function || s.Kind == Lambda:
		return prefix + ".<locals>." + name
	}
	return prefix + "." + name
}

// Info is what is known about the names of one module.
type Info struct {
	ModName   string
	IsPackage bool
	// Module is the module's scope.
	Module *Scope
	// Scopes lists all scopes in the order in which they open.
	Scopes []*Scope
	// Classes lists all classes of the module, nested ones too, in source order.
	Classes []*ClassInfo

	vars    []Var   // vars[0] is no variable
	scopeOf []int32 // by NodeID: index in Scopes of the scope that evaluates the node
	opens   []int32 // by NodeID: 1 + index in Scopes of the scope that the node opens
	varOf   []int32 // by NodeID: index in vars
	names   qualifiedNames
	classes func() map[string]*ClassInfo
}

// ScopeOf returns the scope in which a node is evaluated; for a function or
// class definition that is the scope around it.
func (in *Info) ScopeOf(n ast.Node) *Scope {
	if id := int(n.NodeID()); id < len(in.scopeOf) {
		return in.Scopes[in.scopeOf[id]]
	}
	return in.Module
}

// ScopeFor returns the scope that a FunctionDef, ClassDef, Lambda or Comp opens, or nil.
func (in *Info) ScopeFor(n ast.Node) *Scope {
	if id := int(n.NodeID()); id < len(in.opens) && in.opens[id] > 0 {
		return in.Scopes[in.opens[id]-1]
	}
	return nil
}

// VarOf returns the variable that a node reads or binds: a Name, or any Node of
// a Binding. It is nil for builtins, for names that nothing in the module binds
// and for nodes that carry no name.
func (in *Info) VarOf(n ast.Node) *Var {
	if id := int(n.NodeID()); id < len(in.varOf) && in.varOf[id] > 0 {
		return &in.vars[in.varOf[id]]
	}
	return nil
}

// Bindings returns the bindings of the variable that a name means.
func (in *Info) Bindings(n *ast.Name) []Binding {
	if v := in.VarOf(n); v != nil {
		return v.Bindings
	}
	return nil
}

// BindingAt returns the binding whose Node is n, or nil.
func (in *Info) BindingAt(n ast.Node) *Binding {
	v := in.VarOf(n)
	if v == nil {
		return nil
	}
	for i := range v.Bindings {
		if v.Bindings[i].Node == n {
			return &v.Bindings[i]
		}
	}
	return nil
}

// Vars calls yield for every variable of the module.
func (in *Info) Vars(yield func(*Var) bool) {
	for i := 1; i < len(in.vars); i++ {
		if !yield(&in.vars[i]) {
			return
		}
	}
}
