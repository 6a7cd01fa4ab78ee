package parse

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

func (l *lowerer) call(i uint32) ast.Expr {
	e := l.slabs.call.new()
	e.Meta = l.meta(i)
	fun := l.child(i, fieldFunction)
	e.Fun = l.need(i, fun)
	args := l.child(i, fieldArguments)
	if args != 0 && l.kind(args) == kindGenerator {
		mark := l.exprs.mark()
		l.exprs.push(l.expr(args))
		e.Args = l.exprs.take(mark)
		return e
	}
	e.Args, e.Keywords = l.arguments(args)
	return e
}

// arguments lowers the argument list of a call or class; 0 is none.
func (l *lowerer) arguments(i uint32) ([]ast.Expr, []*ast.Keyword) {
	if i == 0 {
		return nil, nil
	}
	mark, kwMark := l.exprs.mark(), l.keywords.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		switch l.kind(c) {
		case kindKeywordArgument, kindDictSplat:
			l.keywords.push(l.keyword(c))
		default:
			l.exprs.push(l.element(c))
		}
	}
	return l.exprs.take(mark), l.keywords.take(kwMark)
}

func (l *lowerer) keyword(i uint32) *ast.Keyword {
	k := l.slabs.keyword.new()
	k.Meta = l.meta(i)
	if l.kind(i) == kindDictSplat {
		k.Value = l.inner(i)
		return k
	}
	k.Name = l.ident(l.child(i, fieldName))
	k.Value = l.need(i, l.child(i, fieldValue))
	return k
}

func (l *lowerer) subscript(i uint32) ast.Expr {
	e := l.slabs.subscript.new()
	e.Meta = l.meta(i)
	e.X = l.need(i, l.child(i, fieldValue))
	e.Index = l.index(i, l.child(i, fieldSubscript))
	return e
}

// genericType lowers a subscript in an annotation.
func (l *lowerer) genericType(i uint32) ast.Expr {
	e := l.slabs.subscript.new()
	e.Meta = l.meta(i)
	x := l.first(i)
	e.X = l.need(i, x)
	params := l.childOf(i, kindTypeParameter)
	if params == 0 {
		e.Index = l.need(i, 0)
		return e
	}
	e.Index = l.index(params, l.first(params))
	return e
}

// index lowers the indices of i from the first on: one as it is, several, or
// one with a comma or a star, as a tuple.
func (l *lowerer) index(i, first uint32) ast.Expr {
	if first == 0 {
		return l.need(i, 0)
	}
	comma := l.childOf(i, tokenComma)
	if comma == 0 && !l.isStar(first) {
		return l.expr(first)
	}
	t := l.slabs.tuple.new()
	t.Meta = l.metaAt(ast.Span{Start: l.nodes[first].start, End: l.lastBefore(i)})
	mark := l.exprs.mark()
	for c := first; c != 0; c = l.after(i, c) {
		l.exprs.push(l.element(c))
	}
	t.Elts = l.exprs.take(mark)
	return t
}

func (l *lowerer) isStar(i uint32) bool {
	if l.kind(i) == kindType {
		i = l.first(i)
	}
	return i != 0 && (l.kind(i) == kindListSplat || l.kind(i) == kindSplatType || l.buriedStar(i) != 0)
}

// lastBefore returns where the last child before the closing bracket ends.
func (l *lowerer) lastBefore(i uint32) uint32 {
	var prev, last uint32
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		if l.nodes[c].flags&flagExtra == 0 {
			prev, last = last, c
		}
	}
	return l.nodes[prev].end
}

// slice lowers Low:High:Step, also where the grammar calls it a constrained type.
func (l *lowerer) slice(i uint32) ast.Expr {
	e := &ast.Slice{Meta: l.meta(i)}
	parts := [...]*ast.Expr{&e.Low, &e.High, &e.Step}
	at := 0
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		switch {
		case l.kind(c) == tokenColon:
			at = min(at+1, len(parts)-1)
		case l.nodes[c].flags&(flagNamed|flagExtra) == flagNamed:
			*parts[at] = l.expr(c)
		}
	}
	return e
}

var compKinds = map[kind]ast.CompKind{
	kindListComp: ast.ListComp, kindSetComp: ast.SetComp, kindDictComp: ast.DictComp, kindGenerator: ast.GeneratorExp,
}

func (l *lowerer) comprehension(i uint32) ast.Expr {
	e := &ast.Comp{Meta: l.meta(i), Kind: compKinds[l.kind(i)]}
	body := l.child(i, fieldBody)
	if body != 0 && l.kind(body) == kindPair {
		e.Key = l.need(body, l.child(body, fieldKey))
		e.Elt = l.need(body, l.child(body, fieldValue))
	} else if body != 0 {
		e.Elt = l.element(body)
	} else {
		e.Elt = l.need(i, 0)
	}
	mark := l.clauses.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		if l.kind(c) == kindForIn {
			l.clauses.push(l.clause(i, c))
		}
	}
	e.Clauses = l.clauses.take(mark)
	return e
}

// clause lowers a for of a comprehension and the ifs that follow it.
func (l *lowerer) clause(i, c uint32) *ast.CompClause {
	clause := &ast.CompClause{Meta: l.meta(c), Async: l.childOf(c, tokenAsync) != 0}
	clause.Target = l.need(c, l.child(c, fieldLeft))
	clause.Iter = l.iterable(c)
	mark := l.exprs.mark()
	for n := l.after(i, c); n != 0 && l.kind(n) == kindIfClause; n = l.after(i, n) {
		clause.Loc.End = l.nodes[n].end
		l.exprs.push(l.inner(n))
	}
	clause.Ifs = l.exprs.take(mark)
	return clause
}

// iterable lowers what a comprehension iterates over; several are a tuple.
func (l *lowerer) iterable(c uint32) ast.Expr {
	right := l.child(c, fieldRight)
	if right == 0 || l.after(c, right) == 0 {
		return l.need(c, right)
	}
	t := l.slabs.tuple.new()
	t.Meta = l.metaAt(ast.Span{Start: l.nodes[right].start, End: l.nodes[c].end})
	mark := l.exprs.mark()
	for ; right != 0; right = l.after(c, right) {
		l.exprs.push(l.expr(right))
	}
	t.Elts = l.exprs.take(mark)
	return t
}
