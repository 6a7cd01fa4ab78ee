package scope

import "github.com/rlvet/rlvet/internal/py/ast"

// expr walks an expression that is read; nil is none. The frequent kinds come
// first, the rest in rareExpr.
func (b *builder) expr(e ast.Expr) {
	if e == nil {
		return
	}
	b.mark(e.NodeID())
	switch e := e.(type) {
	case *ast.Name:
		b.use(e)
	case *ast.Attribute:
		b.expr(e.X)
	case *ast.Call:
		b.expr(e.Fun)
		b.exprs(e.Args)
		b.keywords(e.Keywords)
	case *ast.Number, *ast.String, *ast.Constant, *ast.BadExpr:
	case *ast.BinOp:
		b.expr(e.X)
		b.expr(e.Y)
	case *ast.Subscript:
		b.expr(e.X)
		b.expr(e.Index)
	case *ast.UnaryOp:
		b.expr(e.X)
	case *ast.Compare:
		b.expr(e.X)
		b.exprs(e.Ys)
	case *ast.BoolOp:
		b.exprs(e.Values)
	case *ast.Tuple:
		b.exprs(e.Elts)
	case *ast.List:
		b.exprs(e.Elts)
	case *ast.Set:
		b.exprs(e.Elts)
	case *ast.Dict:
		b.exprs(e.Keys)
		b.exprs(e.Values)
	case *ast.Slice:
		b.expr(e.Low)
		b.expr(e.High)
		b.expr(e.Step)
	default:
		b.rareExpr(e)
	}
}

func (b *builder) rareExpr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IfExp:
		b.expr(e.Cond)
		b.expr(e.Then)
		b.expr(e.Else)
	case *ast.FString:
		b.exprs(e.Parts)
	case *ast.FormattedValue:
		b.expr(e.Value)
		b.expr(e.Format)
	case *ast.Starred:
		b.expr(e.X)
	case *ast.Await:
		b.expr(e.X)
	case *ast.Yield:
		b.expr(e.X)
	case *ast.NamedExpr:
		b.expr(e.X)
		b.target(e.Target, Binding{Kind: Walrus, Owner: e, Value: e.X})
	case *ast.Lambda:
		b.signature(e.Params)
		b.open(Lambda, e, e.ID)
		b.params(e.Params)
		b.expr(e.Body)
		b.close()
	case *ast.Comp:
		b.comprehension(e)
	}
}

// comprehension walks a comprehension: its first iterable is evaluated outside,
// everything else in the comprehension's own scope.
func (b *builder) comprehension(e *ast.Comp) {
	if len(e.Clauses) > 0 {
		b.expr(e.Clauses[0].Iter)
	}
	b.open(Comprehension, e, e.ID)
	for i, c := range e.Clauses {
		b.mark(c.ID)
		if i > 0 {
			b.expr(c.Iter)
		}
		b.target(c.Target, Binding{Kind: ForTarget, Owner: c})
		b.exprs(c.Ifs)
	}
	b.expr(e.Key)
	b.expr(e.Elt)
	b.close()
}

// pattern walks a case's pattern; owner is the case.
func (b *builder) pattern(p ast.Pattern, owner *ast.Case) {
	if p == nil {
		return
	}
	b.mark(p.NodeID())
	switch p := p.(type) {
	case *ast.MatchValue:
		b.expr(p.Value)
	case *ast.MatchSequence:
		b.patterns(p.Patterns, owner)
	case *ast.MatchStar:
		b.bind(p.Name, Binding{Kind: MatchTarget, Node: p, Owner: owner})
	case *ast.MatchMapping:
		b.exprs(p.Keys)
		b.patterns(p.Patterns, owner)
		b.bind(p.Rest, Binding{Kind: MatchTarget, Node: p, Owner: owner})
	case *ast.MatchClass:
		b.expr(p.Cls)
		b.patterns(p.Patterns, owner)
		b.patterns(p.KwdPatterns, owner)
	case *ast.MatchAs:
		b.pattern(p.Pattern, owner)
		b.bind(p.Name, Binding{Kind: MatchTarget, Node: p, Owner: owner})
	case *ast.MatchOr:
		b.patterns(p.Patterns, owner)
	}
}

func (b *builder) patterns(list []ast.Pattern, owner *ast.Case) {
	for _, p := range list {
		b.pattern(p, owner)
	}
}
