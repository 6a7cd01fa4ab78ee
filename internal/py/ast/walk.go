package ast

import "slices"

// Walk calls f for n and then, where f returned true, for the nodes below n, in
// source order; a definition comes before its decorators. A nil n is skipped.
func Walk(n Node, f func(Node) bool) {
	var walk func(Node) // one closure for the whole tree
	walk = func(n Node) {
		if n != nil && f(n) {
			Children(n, walk)
		}
	}
	walk(n)
}

// WalkModule walks all statements of m.
func WalkModule(m *Module, f func(Node) bool) { WalkStmts(m.Body, f) }

// WalkStmts walks a list of statements.
func WalkStmts(body []Stmt, f func(Node) bool) {
	for _, s := range body {
		Walk(s, f)
	}
}

// InspectStmts calls f for every statement of body and, where f returned true,
// for the statements below it, in source order. Expressions are not visited.
func InspectStmts(body []Stmt, f func(Stmt) bool) {
	for _, s := range body {
		if !f(s) {
			continue
		}
		for _, b := range Blocks(s) {
			InspectStmts(b, f)
		}
	}
}

// Given lists what a call is given: its arguments, and behind them the values of its keywords.
func Given(call *Call) []Expr {
	out := slices.Clone(call.Args)
	for _, k := range call.Keywords {
		out = append(out, k.Value)
	}
	return out
}

// Blocks returns the lists of statements directly below s, in source order.
// Empty ones are left out.
func Blocks(s Stmt) [][]Stmt {
	var out [][]Stmt
	add := func(blocks ...[]Stmt) {
		for _, b := range blocks {
			if len(b) > 0 {
				out = append(out, b)
			}
		}
	}
	switch s := s.(type) {
	case *FunctionDef:
		add(s.Body)
	case *ClassDef:
		add(s.Body)
	case *For:
		add(s.Body, s.Else)
	case *While:
		add(s.Body, s.Else)
	case *If:
		add(s.Then, s.Else)
	case *With:
		add(s.Body)
	case *Match:
		for _, c := range s.Cases {
			add(c.Body)
		}
	case *Try:
		add(s.Body)
		for _, h := range s.Handlers {
			add(h.Body)
		}
		add(s.Else, s.Finally)
	}
	return out
}

// Children calls f for the nodes directly below n, in source order, decorators
// first.
func Children(n Node, f func(Node)) {
	switch n := n.(type) {
	case Expr:
		exprChildren(n, f)
	case Stmt:
		stmtChildren(n, f)
	case Pattern:
		patternChildren(n, f)
	default:
		partChildren(n, f)
	}
}

func expr(e Expr, f func(Node)) {
	if e != nil {
		f(e)
	}
}

func exprs(es []Expr, f func(Node)) {
	for _, e := range es {
		expr(e, f)
	}
}

func nodes[T Node](list []T, f func(Node)) {
	for _, n := range list {
		f(n)
	}
}

// arguments merges positional and keyword arguments, since *args may follow a keyword.
func arguments(args []Expr, kws []*Keyword, f func(Node)) {
	for len(args) > 0 && len(kws) > 0 {
		if args[0].Span().Start < kws[0].Loc.Start {
			f(args[0])
			args = args[1:]
		} else {
			f(kws[0])
			kws = kws[1:]
		}
	}
	nodes(args, f)
	nodes(kws, f)
}

func exprChildren(n Expr, f func(Node)) {
	switch n := n.(type) {
	case *Name, *Number, *String, *Constant, *BadExpr:
	case *FString:
		exprs(n.Parts, f)
	case *FormattedValue:
		expr(n.Value, f)
		expr(n.Format, f)
	case *Attribute:
		f(n.X)
	case *Subscript:
		f(n.X)
		f(n.Index)
	case *Slice:
		expr(n.Low, f)
		expr(n.High, f)
		expr(n.Step, f)
	case *Call:
		f(n.Fun)
		arguments(n.Args, n.Keywords, f)
	case *BinOp:
		f(n.X)
		f(n.Y)
	case *UnaryOp:
		f(n.X)
	case *BoolOp:
		exprs(n.Values, f)
	case *Compare:
		f(n.X)
		exprs(n.Ys, f)
	case *IfExp:
		f(n.Then)
		f(n.Cond)
		f(n.Else)
	case *Lambda:
		f(n.Params)
		f(n.Body)
	default:
		displayChildren(n, f)
	}
}

func displayChildren(n Expr, f func(Node)) {
	switch n := n.(type) {
	case *Tuple:
		exprs(n.Elts, f)
	case *List:
		exprs(n.Elts, f)
	case *Set:
		exprs(n.Elts, f)
	case *Dict:
		for i, k := range n.Keys {
			expr(k, f)
			expr(n.Values[i], f)
		}
	case *Comp:
		expr(n.Key, f)
		expr(n.Elt, f)
		nodes(n.Clauses, f)
	case *Await:
		f(n.X)
	case *Yield:
		expr(n.X, f)
	case *NamedExpr:
		f(n.Target)
		f(n.X)
	case *Starred:
		f(n.X)
	}
}

func stmtChildren(n Stmt, f func(Node)) {
	switch n := n.(type) {
	case *Return:
		expr(n.X, f)
	case *Delete:
		exprs(n.Targets, f)
	case *Assign:
		exprs(n.Targets, f)
		f(n.Value)
	case *AugAssign:
		f(n.Target)
		f(n.Value)
	case *AnnAssign:
		f(n.Target)
		f(n.Annotation)
		expr(n.Value, f)
	case *Raise:
		expr(n.X, f)
		expr(n.Cause, f)
	case *Assert:
		f(n.Cond)
		expr(n.Msg, f)
	case *Import:
		nodes(n.Names, f)
	case *ImportFrom:
		nodes(n.Names, f)
	case *ExprStmt:
		f(n.X)
	case *TypeAlias:
		f(n.Name)
		nodes(n.TypeParams, f)
		f(n.Value)
	default:
		compoundChildren(n, f)
	}
}

func compoundChildren(n Stmt, f func(Node)) {
	switch n := n.(type) {
	case *FunctionDef:
		exprs(n.Decorators, f)
		nodes(n.TypeParams, f)
		f(n.Params)
		expr(n.Returns, f)
		nodes(n.Body, f)
	case *ClassDef:
		exprs(n.Decorators, f)
		nodes(n.TypeParams, f)
		arguments(n.Bases, n.Keywords, f)
		nodes(n.Body, f)
	case *For:
		f(n.Target)
		f(n.Iter)
		nodes(n.Body, f)
		nodes(n.Else, f)
	case *While:
		f(n.Cond)
		nodes(n.Body, f)
		nodes(n.Else, f)
	case *If:
		f(n.Cond)
		nodes(n.Then, f)
		nodes(n.Else, f)
	case *With:
		nodes(n.Items, f)
		nodes(n.Body, f)
	case *Match:
		f(n.Subject)
		nodes(n.Cases, f)
	case *Try:
		nodes(n.Body, f)
		nodes(n.Handlers, f)
		nodes(n.Else, f)
		nodes(n.Finally, f)
	}
}

func partChildren(n Node, f func(Node)) {
	switch n := n.(type) {
	case *Keyword:
		f(n.Value)
	case *CompClause:
		f(n.Target)
		f(n.Iter)
		exprs(n.Ifs, f)
	case *Params:
		nodes(n.List, f)
	case *Param:
		expr(n.Annotation, f)
		expr(n.Default, f)
	case *TypeParam:
		expr(n.Bound, f)
		expr(n.Default, f)
	case *WithItem:
		f(n.Context)
		expr(n.Target, f)
	case *Handler:
		expr(n.Type, f)
		nodes(n.Body, f)
	case *Case:
		f(n.Pattern)
		expr(n.Guard, f)
		nodes(n.Body, f)
	}
}

func patternChildren(n Pattern, f func(Node)) {
	switch n := n.(type) {
	case *MatchValue:
		f(n.Value)
	case *MatchSequence:
		nodes(n.Patterns, f)
	case *MatchMapping:
		for i, k := range n.Keys {
			f(k)
			f(n.Patterns[i])
		}
	case *MatchClass:
		f(n.Cls)
		nodes(n.Patterns, f)
		nodes(n.KwdPatterns, f)
	case *MatchAs:
		if n.Pattern != nil {
			f(n.Pattern)
		}
	case *MatchOr:
		nodes(n.Patterns, f)
	}
}
