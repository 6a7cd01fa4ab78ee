package scope

import (
	"slices"
	"strings"
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// qualifiedNames holds the dotted names of every variable, computed as a whole
// on the first question: most files are asked nothing.
type qualifiedNames struct {
	once  sync.Once
	ofVar [][]string // by variable
	state []uint8    // 0 new, 1 in progress, 2 done
}

// maxNames bounds the names of one variable: more alternatives are no knowledge.
const maxNames = 8

// Qualified returns the dotted names that an expression of names and attributes
// may go by, sorted by source order of the bindings: torch.nn.functional.softmax
// for F.softmax. Several come from try/except and conditional imports. Local
// functions and classes are named by the module's dotted name and their
// __qualname__, builtins as builtins.max. It returns nil where one of the
// bindings is anything else: a parameter, a loop variable, a computed value.
func (in *Info) Qualified(e ast.Expr) []string {
	in.names.once.Do(in.qualifyVars)
	return in.qualify(e)
}

// QualifiedVar returns the dotted names of a variable, as Qualified.
func (in *Info) QualifiedVar(v *Var) []string {
	in.names.once.Do(in.qualifyVars)
	return in.names.ofVar[v.index]
}

func (in *Info) qualifyVars() {
	in.names.ofVar = make([][]string, len(in.vars))
	in.names.state = make([]uint8, len(in.vars))
	for i := 1; i < len(in.vars); i++ {
		in.qualifyVar(int32(i))
	}
}

// qualify follows an attribute chain down to its name.
func (in *Info) qualify(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.Name:
		if v := in.VarOf(e); v != nil {
			return in.qualifyVar(v.index)
		}
		return in.unbound(e)
	case *ast.Attribute:
		return suffix(in.qualify(e.X), e.Attr)
	case *ast.IfExp:
		then, other := in.qualify(e.Then), in.qualify(e.Else)
		if then == nil || other == nil {
			return nil
		}
		return union(slices.Clone(then), other)
	case *ast.NamedExpr:
		return in.qualify(e.X)
	}
	return nil
}

// qualifyVar returns the names of a variable; a variable that is defined by
// itself adds nothing to its own names.
func (in *Info) qualifyVar(v int32) []string {
	switch in.names.state[v] {
	case 1:
		return nil
	case 2:
		return in.names.ofVar[v]
	}
	in.names.state[v] = 1
	in.names.ofVar[v] = in.bindingNames(&in.vars[v])
	in.names.state[v] = 2
	return in.names.ofVar[v]
}

// bindingNames joins the names that the bindings of v give it, or returns nil
// where a binding gives none. None as a stand-in for a missing import, bare
// annotations and deletions do not count.
func (in *Info) bindingNames(v *Var) []string {
	var names []string
	for i := range v.Bindings {
		b := &v.Bindings[i]
		if b.Kind == Deletion || b.Kind == Annotation || isNone(b.Value) {
			continue
		}
		found := in.namesOf(v, b)
		if found == nil {
			return nil
		}
		names = union(names, found)
	}
	if len(names) > maxNames {
		return nil
	}
	return names
}

// namesOf returns the names that one binding gives its variable.
func (in *Info) namesOf(v *Var, b *Binding) []string {
	switch b.Kind {
	case Import:
		alias := b.Node.(*ast.Alias)
		if alias.AsName != "" {
			return []string{alias.Name}
		}
		first, _, _ := strings.Cut(alias.Name, ".")
		return []string{first}
	case FromImport:
		from, ok := in.Absolute(b.Owner.(*ast.ImportFrom))
		if !ok {
			return nil
		}
		return []string{join(from, b.Node.(*ast.Alias).Name)}
	case FunctionDef, ClassDef:
		return []string{v.Scope.member(v.Name)}
	case Assignment, Walrus:
		if b.Value != nil {
			return in.qualify(b.Value)
		}
	}
	return nil
}

// unbound returns the names of a name that the module does not bind: a builtin,
// or what a star import may have brought.
func (in *Info) unbound(n *ast.Name) []string {
	var names []string
	if isBuiltin(n.Ident) {
		names = append(names, "builtins."+n.Ident)
	}
	for s := in.ScopeOf(n); s != nil; s = s.Parent {
		for _, star := range s.Stars {
			if from, ok := in.Absolute(star); ok && from != "" {
				names = union(names, []string{join(from, n.Ident)})
			}
		}
	}
	if len(names) > maxNames {
		return nil
	}
	return names
}

// Absolute returns the dotted name of the module that a from-import names,
// relative ones resolved against the module's own name. A relative import of a
// script without a package means the script's siblings, so its base is empty.
// It is false where the dots lead above the topmost package.
func (in *Info) Absolute(s *ast.ImportFrom) (string, bool) {
	if s.Level == 0 {
		return s.Module, true
	}
	base := in.ModName
	up := s.Level
	if in.IsPackage {
		up--
	}
	for range up {
		if base == "" {
			return "", false
		}
		base = base[:max(strings.LastIndexByte(base, '.'), 0)]
	}
	return join(base, s.Module), true
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

func suffix(names []string, attr string) []string {
	if names == nil {
		return nil
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n + "." + attr
	}
	return out
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

func isNone(e ast.Expr) bool {
	c, ok := e.(*ast.Constant)
	return ok && c.Kind == ast.None
}
