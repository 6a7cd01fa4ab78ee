package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// # What is used
//
// A declaration is used if something that is used mentions it. What is used to begin
// with: main, init, and what is assigned to a blank variable. Packages for tests, whose
// names end in "test", are users too and are not judged themselves. Beyond mentions,
//
//   - a method is used where its type is and an interface asks for it: one of the
//     module's, or of any package that the module imports. fmt, encoding/json and the
//     like call by interface; a type parameter's constraint is one, too. Package errors
//     asks for Is, As and Unwrap without naming an interface.
//   - a field is used where its struct is and it bears a tag, which a library reads, or
//     is embedded, or the struct is written or converted as a whole without names.
//   - a constant of a list with iota is used where another of the list is: the numbers
//     of the others depend on it.

// keep, in the comment of a function and with a reason behind it, says that it is there for
// tests of other packages, or for users of the package from outside.
const keep = "//unused:keep "

// graph holds what each declaration mentions.
type graph struct {
	mentions map[types.Object][]types.Object
	roots    []types.Object
	own      map[types.Object]bool // declarations of the module
	order    []types.Object

	// Of the file at hand: what a generator writes beside what is used stays, and what a
	// package for tests declares is used.
	generated, tests bool
}

// unused returns the declarations that are not used, one a line, in order of the files.
func (p *program) unused() []string {
	g := &graph{mentions: map[types.Object][]types.Object{}, own: map[types.Object]bool{}}
	for _, q := range p.packages {
		for _, f := range q.files {
			g.generated, g.tests = ast.IsGenerated(f), isForTests(q)
			for _, d := range f.Decls {
				g.declaration(q, d)
			}
		}
	}
	p.addMethods(g)
	used := map[types.Object]bool{}
	work := slices.Clone(g.roots)
	for len(work) > 0 {
		o := work[len(work)-1]
		work = work[:len(work)-1]
		if !used[o] {
			used[o] = true
			work = append(work, g.mentions[o]...)
		}
	}
	var out []string
	for _, o := range g.order {
		if !used[o] && !p.inside(o, used, g) {
			out = append(out, fmt.Sprintf("%s: %s", p.place(o), describe(o)))
		}
	}
	return out
}

// inside reports whether an object is part of one that is reported itself: a method or
// field of a type that is not used.
func (p *program) inside(o types.Object, used map[types.Object]bool, g *graph) bool {
	owner := ownerOf[o]
	return owner != nil && g.own[owner] && !used[owner]
}

// ownerOf is the type that a method or field belongs to.
var ownerOf = map[types.Object]types.Object{}

func (g *graph) add(o types.Object) {
	if o == nil || o.Name() == "_" || g.own[o] {
		return
	}
	g.own[o] = true
	if g.tests {
		g.roots = append(g.roots, o)
	} else if !g.generated {
		g.order = append(g.order, o)
	}
}

// declaration notes what a declaration declares and mentions.
func (g *graph) declaration(q *pkg, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		o := q.info.Defs[d.Name]
		if o == nil {
			return
		}
		if d.Recv == nil && (d.Name.Name == "main" || d.Name.Name == "init") {
			g.roots = append(g.roots, o)
		} else {
			g.add(o)
		}
		if d.Doc != nil && slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, keep) }) {
			g.roots = append(g.roots, o)
		}
		if named := receiver(o); named != nil {
			ownerOf[o] = named.Obj()
			g.mention(o, named.Obj())
		}
		g.mentioned(q, o, d)
	case *ast.GenDecl:
		var list []types.Object
		iota := false
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				g.typ(q, s)
			case *ast.ValueSpec:
				iota = iota || d.Tok == token.CONST && usesIota(s)
				list = append(list, g.values(q, d, s)...)
			}
		}
		if iota {
			for i, o := range list {
				g.mention(o, list[(i+1)%len(list)])
			}
		}
	}
}

func usesIota(s *ast.ValueSpec) bool {
	found := false
	for _, v := range s.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == "iota"
			return !found
		})
	}
	return found
}

// typ notes a type and its fields.
func (g *graph) typ(q *pkg, s *ast.TypeSpec) {
	o := q.info.Defs[s.Name]
	g.add(o)
	fields := map[*ast.Ident]bool{}
	ast.Inspect(s.Type, func(n ast.Node) bool {
		st, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range st.Fields.List {
			for _, name := range f.Names {
				field := q.info.Defs[name]
				fields[name] = true
				g.add(field)
				if field != nil {
					ownerOf[field] = o
				}
				if f.Tag != nil {
					g.mention(o, field)
				}
			}
		}
		return true
	})
	g.mentioned(q, o, s)
}

// values notes variables and constants.
func (g *graph) values(q *pkg, d *ast.GenDecl, s *ast.ValueSpec) []types.Object {
	var list []types.Object
	for _, name := range s.Names {
		o := q.info.Defs[name]
		if name.Name == "_" || o == nil {
			o = types.NewVar(name.Pos(), q.Package, "_", nil) // var _ T = x mentions for itself
			g.roots = append(g.roots, o)
		} else {
			g.add(o)
			list = append(list, o)
		}
		g.mentioned(q, o, s)
	}
	return list
}

func (g *graph) mention(from, to types.Object) {
	if from != nil && to != nil {
		g.mentions[from] = append(g.mentions[from], to)
	}
}

// mentioned notes all that the syntax of a declaration mentions.
func (g *graph) mentioned(q *pkg, from types.Object, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			g.mention(from, origin(q.info.Uses[n]))
		case *ast.SelectorExpr:
			if sel := q.info.Selections[n]; sel != nil {
				g.path(from, sel)
			}
		case *ast.CompositeLit:
			if len(n.Elts) > 0 {
				if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed {
					g.allFields(from, q.info.Types[n].Type)
				}
			}
		case *ast.CallExpr:
			if fun := q.info.Types[n.Fun]; fun.IsType() { // a conversion
				g.allFields(from, fun.Type)
			}
		case *ast.Field:
			if len(n.Names) == 0 { // embedded
				if t := q.info.Types[n.Type]; t.Type != nil {
					if named, ok := types.Unalias(deref(t.Type)).(*types.Named); ok {
						g.mention(from, named.Obj())
					}
				}
			}
		}
		return true
	})
}

// path notes the embedded fields on the way to a selected one.
func (g *graph) path(from types.Object, sel *types.Selection) {
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		st, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			return
		}
		g.mention(from, origin(st.Field(i)))
		t = st.Field(i).Type()
	}
}

// allFields notes the fields of a struct that is written without their names.
func (g *graph) allFields(from types.Object, t types.Type) {
	if t == nil {
		return
	}
	if st, ok := deref(t).Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			g.mention(from, origin(f))
		}
	}
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// origin is the declaration of which a generic's instance is made.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	case nil:
		return nil
	}
	return o
}

func receiver(o types.Object) *types.Named {
	f, ok := o.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return nil
	}
	named, _ := types.Unalias(deref(f.Signature().Recv().Type())).(*types.Named)
	return named
}

// isForTests reports whether a package is there for tests, by its name.
func isForTests(q *pkg) bool { return strings.HasSuffix(q.Path(), "test") }

// addMethods notes the methods that interfaces ask of types.
func (p *program) addMethods(g *graph) {
	asked := p.interfaces()
	for _, q := range p.packages {
		for _, name := range q.Scope().Names() {
			typ, ok := q.Scope().Lookup(name).(*types.TypeName)
			if !ok || typ.IsAlias() || types.IsInterface(typ.Type()) {
				continue
			}
			set := types.NewMethodSet(types.NewPointer(typ.Type()))
			for sel := range set.Methods() {
				m := sel.Obj()
				if slices.Contains([]string{"Is", "As", "Unwrap"}, m.Name()) || slices.ContainsFunc(asked[m.Name()], func(i *types.Interface) bool { return implements(typ.Type(), i) }) {
					g.mention(typ, origin(m))
				}
			}
		}
	}
}

// implements reports whether a type has an interface's methods. A generic type is
// taken to where it has methods of their names.
func implements(t types.Type, i *types.Interface) bool {
	if named, ok := t.(*types.Named); ok && named.TypeParams().Len() > 0 {
		set := types.NewMethodSet(types.NewPointer(t))
		for m := range i.Methods() {
			if set.Lookup(m.Pkg(), m.Name()) == nil {
				return false
			}
		}
		return true
	}
	return types.Implements(t, i) || types.Implements(types.NewPointer(t), i)
}

// interfaces are those of the module and of all that it imports, by the methods that they
// ask for.
func (p *program) interfaces() map[string][]*types.Interface {
	out := map[string][]*types.Interface{}
	seen := map[*types.Package]bool{}
	add := func(t types.Type) {
		i, ok := t.Underlying().(*types.Interface)
		if !ok {
			return
		}
		for m := range i.Methods() {
			out[m.Name()] = append(out[m.Name()], i)
		}
	}
	add(types.Universe.Lookup("error").Type())
	var visit func(q *types.Package)
	visit = func(q *types.Package) {
		if seen[q] {
			return
		}
		seen[q] = true
		for _, name := range q.Scope().Names() {
			if t, ok := q.Scope().Lookup(name).(*types.TypeName); ok {
				add(t.Type())
			}
		}
		for _, i := range q.Imports() {
			visit(i)
		}
	}
	for _, q := range p.packages {
		visit(q.Package)
		for _, t := range q.info.Types { // interfaces without a name
			if i, ok := t.Type.(*types.Interface); ok {
				add(i)
			}
		}
	}
	return out
}

// describe names an object: method T.M, field T.F, function F.
func describe(o types.Object) string {
	name := o.Name()
	if owner := ownerOf[o]; owner != nil {
		name = owner.Name() + "." + name
	}
	kind := "variable"
	switch o := o.(type) {
	case *types.Func:
		kind = "function"
		if o.Signature().Recv() != nil {
			kind = "method"
		}
	case *types.TypeName:
		kind = "type"
	case *types.Const:
		kind = "constant"
	case *types.Var:
		if o.IsField() {
			kind = "field"
		}
	}
	return kind + " " + name
}
