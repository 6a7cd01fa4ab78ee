package scope

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

func (b *builder) stmts(list []ast.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

// stmt walks a statement: simple ones here, those that bind and those with
// bodies in functions of their own.
func (b *builder) stmt(s ast.Stmt) {
	b.mark(s.NodeID())
	switch s := s.(type) {
	case *ast.ExprStmt:
		b.expr(s.X)
	case *ast.Assign:
		b.assign(s)
	case *ast.AugAssign:
		b.augAssign(s)
	case *ast.AnnAssign:
		b.annAssign(s)
	case *ast.Return:
		b.expr(s.X)
	case *ast.Raise:
		b.expr(s.X)
		b.expr(s.Cause)
	case *ast.Assert:
		b.expr(s.Cond)
		b.expr(s.Msg)
	case *ast.Delete:
		for _, t := range s.Targets {
			b.target(t, Binding{Kind: Deletion, Owner: s})
		}
	case *ast.Import:
		b.imports(s)
	case *ast.ImportFrom:
		b.importFrom(s)
	case *ast.Global:
		b.cur.Globals = append(b.cur.Globals, s.Names...)
	case *ast.Nonlocal:
		b.cur.Nonlocals = append(b.cur.Nonlocals, s.Names...)
		for _, name := range s.Names {
			b.pend = append(b.pend, pending{symbol: b.symbol(name), scope: b.cur.id})
		}
	case *ast.TypeAlias:
		b.typeParams(s.TypeParams)
		b.expr(s.Value)
		b.target(s.Name, Binding{Kind: TypeAlias, Owner: s, Value: s.Value})
	case *ast.FunctionDef:
		b.function(s)
	case *ast.ClassDef:
		b.class(s)
	default:
		b.compound(s)
	}
}

// compound walks the statements whose bodies belong to the same scope.
func (b *builder) compound(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.If:
		b.expr(s.Cond)
		b.stmts(s.Then)
		b.stmts(s.Else)
	case *ast.For:
		b.expr(s.Iter)
		b.target(s.Target, Binding{Kind: ForTarget, Owner: s})
		b.stmts(s.Body)
		b.stmts(s.Else)
	case *ast.While:
		b.expr(s.Cond)
		b.stmts(s.Body)
		b.stmts(s.Else)
	case *ast.With:
		for _, item := range s.Items {
			b.mark(item.ID)
			b.expr(item.Context)
			b.target(item.Target, Binding{Kind: WithTarget, Owner: item})
		}
		b.stmts(s.Body)
	case *ast.Try:
		b.stmts(s.Body)
		for _, h := range s.Handlers {
			b.mark(h.ID)
			b.expr(h.Type)
			b.bind(h.Name, Binding{Kind: ExceptTarget, Node: h, Owner: h})
			b.stmts(h.Body)
		}
		b.stmts(s.Else)
		b.stmts(s.Finally)
	case *ast.Match:
		b.expr(s.Subject)
		for _, c := range s.Cases {
			b.mark(c.ID)
			b.pattern(c.Pattern, c)
			b.expr(c.Guard)
			b.stmts(c.Body)
		}
	}
}

func (b *builder) assign(s *ast.Assign) {
	b.expr(s.Value)
	for _, t := range s.Targets {
		b.target(t, Binding{Kind: Assignment, Owner: s, Value: s.Value})
	}
}

func (b *builder) augAssign(s *ast.AugAssign) {
	if n, ok := s.Target.(*ast.Name); ok {
		b.use(n)
	}
	b.expr(s.Value)
	b.target(s.Target, Binding{Kind: Augmented, Owner: s})
}

func (b *builder) annAssign(s *ast.AnnAssign) {
	b.expr(s.Annotation)
	b.expr(s.Value)
	kind := Assignment
	if s.Value == nil {
		kind = Annotation
	}
	b.target(s.Target, Binding{Kind: kind, Owner: s, Value: s.Value})
}

func (b *builder) imports(s *ast.Import) {
	for _, a := range s.Names {
		b.mark(a.ID)
		name := a.AsName
		if name == "" {
			name, _, _ = strings.Cut(a.Name, ".")
		}
		b.bind(name, Binding{Kind: Import, Node: a, Owner: s})
	}
}

func (b *builder) importFrom(s *ast.ImportFrom) {
	for _, a := range s.Names {
		b.mark(a.ID)
		switch {
		case a.Name == "*":
			b.cur.Stars = append(b.cur.Stars, s)
		case a.AsName != "":
			b.bind(a.AsName, Binding{Kind: FromImport, Node: a, Owner: s})
		default:
			b.bind(a.Name, Binding{Kind: FromImport, Node: a, Owner: s})
		}
	}
}

// function walks a definition: decorators, defaults and annotations belong to
// the scope around it.
func (b *builder) function(s *ast.FunctionDef) {
	b.exprs(s.Decorators)
	b.signature(s.Params)
	b.expr(s.Returns)
	b.bind(s.Name, Binding{Kind: FunctionDef, Node: s, Owner: s})
	inClass := b.cur.Kind == Class
	class := b.cur.Class
	scope := b.open(Function, s, s.ID)
	if inClass {
		scope.Class = class
	}
	b.typeParams(s.TypeParams)
	b.params(s.Params)
	b.stmts(s.Body)
	b.close()
}

// signature walks what of the parameters is evaluated outside the function.
func (b *builder) signature(p *ast.Params) {
	if p == nil {
		return
	}
	b.mark(p.ID)
	for _, param := range p.List {
		b.expr(param.Annotation)
		b.expr(param.Default)
	}
}

// params declares the parameters in the function's scope.
func (b *builder) params(p *ast.Params) {
	if p == nil {
		return
	}
	for i, param := range p.List {
		b.mark(param.ID)
		v := b.bind(param.Name, Binding{Kind: Parameter, Node: param, Owner: param})
		if i == 0 && param.Kind <= ast.PosOrKw {
			b.cur.param0 = v
		}
	}
}

func (b *builder) class(s *ast.ClassDef) {
	b.exprs(s.Decorators)
	b.exprs(s.Bases)
	b.keywords(s.Keywords)
	b.bind(s.Name, Binding{Kind: ClassDef, Node: s, Owner: s})
	scope := b.open(Class, s, s.ID)
	scope.Class = &ClassInfo{Node: s, Scope: scope}
	b.Classes = append(b.Classes, scope.Class)
	b.typeParams(s.TypeParams)
	b.stmts(s.Body)
	b.close()
}

// typeParams declares type parameters in the current scope: that of the function
// or class body, or for a type statement the scope around it.
func (b *builder) typeParams(list []*ast.TypeParam) {
	for _, p := range list {
		b.mark(p.ID)
		b.expr(p.Bound)
		b.expr(p.Default)
		b.bind(p.Name, Binding{Kind: TypeParameter, Node: p, Owner: p})
	}
}

// target walks an assignment's left side; d says what binds and how.
func (b *builder) target(e ast.Expr, d Binding) {
	if e == nil {
		return
	}
	b.mark(e.NodeID())
	switch e := e.(type) {
	case *ast.Name:
		if e == nil {
			return
		}
		d.Node = e
		b.bind(e.Ident, d)
	case *ast.Tuple:
		b.unpack(e.Elts, d)
	case *ast.List:
		b.unpack(e.Elts, d)
	case *ast.Starred:
		b.unpack([]ast.Expr{e.X}, d)
	case *ast.Attribute:
		b.store(e, d)
		b.expr(e.X)
	case *ast.Subscript:
		b.expr(e.X)
		b.expr(e.Index)
	default:
		b.expr(e)
	}
}

func (b *builder) unpack(elts []ast.Expr, d Binding) {
	if d.Kind == Assignment {
		d.Kind = Unpacking
	}
	d.Value = nil
	for _, e := range elts {
		b.target(e, d)
	}
}

func (b *builder) exprs(list []ast.Expr) {
	for _, e := range list {
		b.expr(e)
	}
}

func (b *builder) keywords(list []*ast.Keyword) {
	for _, k := range list {
		b.mark(k.ID)
		b.expr(k.Value)
	}
}
