package cfg

import "github.com/rlvet/rlvet/internal/py/ast"

func (s *scanner) exprs(list []ast.Expr) {
	for _, e := range list {
		s.expr(e)
	}
}

// perhaps scans expressions that may not be evaluated.
func (s *scanner) perhaps(list ...ast.Expr) {
	s.maybe++
	s.exprs(list)
	s.maybe--
}

// expr scans an expression that is read and returns the place that it denotes,
// or noPlace.
func (s *scanner) expr(e ast.Expr) placeID {
	switch e := e.(type) {
	case *ast.Name:
		for i := len(s.bound) - 1; i >= 0; i-- {
			if string(s.bound[i].Place) == e.Ident {
				s.events = append(s.events, event{use: e, defs: []*Def{s.bound[i]}})
				return noPlace
			}
		}
		return s.use(e, s.place(noPlace, e.Ident))
	case *ast.Attribute:
		if p := s.expr(e.X); p >= 0 {
			return s.use(e, s.place(p, "."+e.Attr))
		}
	case *ast.Subscript:
		p := s.expr(e.X)
		s.expr(e.Index)
		if key, ok := KeyOf(e.Index); ok && p >= 0 {
			return s.use(e, s.place(p, key))
		}
	case *ast.Call:
		s.expr(e.Fun)
		s.exprs(e.Args)
		for _, k := range e.Keywords {
			s.expr(k.Value)
		}
	case *ast.BinOp:
		s.expr(e.X)
		s.expr(e.Y)
	case *ast.UnaryOp:
		s.expr(e.X)
	case *ast.Compare:
		s.expr(e.X)
		s.expr(e.Ys[0])
		s.perhaps(e.Ys[1:]...)
	case *ast.BoolOp:
		s.expr(e.Values[0])
		s.perhaps(e.Values[1:]...)
	case *ast.IfExp:
		s.expr(e.Cond)
		s.perhaps(e.Then, e.Else)
	case *ast.NamedExpr:
		s.expr(e.X)
		s.target(e.Target, Def{Kind: DefWalrus, Owner: e, Value: e.X})
	default:
		s.rest(e)
	}
	return noPlace
}

// rest scans the expressions that only hold others, and those with variables of
// their own.
func (s *scanner) rest(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Tuple:
		s.exprs(e.Elts)
	case *ast.List:
		s.exprs(e.Elts)
	case *ast.Set:
		s.exprs(e.Elts)
	case *ast.Dict:
		s.exprs(e.Keys)
		s.exprs(e.Values)
	case *ast.Slice:
		s.exprs([]ast.Expr{e.Low, e.High, e.Step})
	case *ast.FString:
		s.exprs(e.Parts)
	case *ast.FormattedValue:
		s.expr(e.Value)
		s.expr(e.Format)
	case *ast.Starred:
		s.expr(e.X)
	case *ast.Await:
		s.expr(e.X)
	case *ast.Yield:
		s.expr(e.X)
	case *ast.Lambda:
		s.lambda(e)
	case *ast.Comp:
		s.comp(e)
	}
}

// lambda scans a lambda's body as if it ran where it stands.
func (s *scanner) lambda(e *ast.Lambda) {
	s.signature(e.Params)
	outer := len(s.bound)
	if e.Params != nil {
		for _, p := range e.Params.List {
			s.bound = append(s.bound, &Def{Place: Place(p.Name), Kind: DefParam, Node: p, Owner: p})
		}
	}
	s.perhaps(e.Body)
	s.bound = s.bound[:outer]
}

// comp scans a comprehension: the first iterable outside, the rest with the
// targets bound.
func (s *scanner) comp(e *ast.Comp) {
	s.comps = append(s.comps, e)
	outer := len(s.bound)
	for i, c := range e.Clauses {
		if i == 0 {
			s.expr(c.Iter)
			s.maybe++
		} else {
			s.expr(c.Iter)
		}
		s.bindTargets(c.Target, c)
		s.exprs(c.Ifs)
	}
	s.expr(e.Key)
	s.expr(e.Elt)
	if len(e.Clauses) > 0 {
		s.maybe--
	}
	s.bound = s.bound[:outer]
}

// bindTargets binds the names of a comprehension's target.
func (s *scanner) bindTargets(e ast.Expr, c *ast.CompClause) {
	switch e := e.(type) {
	case *ast.Name:
		s.bound = append(s.bound, &Def{Place: Place(e.Ident), Kind: DefFor, Node: e, Owner: c})
	case *ast.Tuple:
		for _, x := range e.Elts {
			s.bindTargets(x, c)
		}
	case *ast.List:
		for _, x := range e.Elts {
			s.bindTargets(x, c)
		}
	case *ast.Starred:
		s.bindTargets(e.X, c)
	}
}

// pattern scans a case's pattern; c owns the names that it binds.
func (s *scanner) pattern(p ast.Pattern, c *ast.Case) {
	name := ""
	switch p := p.(type) {
	case *ast.MatchValue:
		s.expr(p.Value)
	case *ast.MatchSequence:
		s.patterns(p.Patterns, c)
	case *ast.MatchStar:
		name = p.Name
	case *ast.MatchMapping:
		s.exprs(p.Keys)
		s.patterns(p.Patterns, c)
		name = p.Rest
	case *ast.MatchClass:
		s.expr(p.Cls)
		s.patterns(p.Patterns, c)
		s.patterns(p.KwdPatterns, c)
	case *ast.MatchAs:
		s.pattern(p.Pattern, c)
		name = p.Name
	case *ast.MatchOr:
		s.patterns(p.Patterns, c)
	}
	if name != "" {
		s.define(s.place(noPlace, name), Def{Kind: DefMatch, Node: p, Owner: c})
	}
}

func (s *scanner) patterns(list []ast.Pattern, c *ast.Case) {
	for _, p := range list {
		s.pattern(p, c)
	}
}
