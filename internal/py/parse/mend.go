package parse

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

// Mends of what the grammar reads differently from Python. Each rewrites the
// arena in place, so that the ordinary lowering does the rest.

// element lowers an element of a display or an argument. The grammar binds the
// star of a single element tighter than what follows it, so [*a.b] arrives as
// (*a).b: the star moves to the top of the chain.
func (l *lowerer) element(i uint32) ast.Expr {
	star := l.buriedStar(i)
	if star == 0 {
		return l.expr(i)
	}
	e := &ast.Starred{Meta: l.meta(i)}
	start := l.nodes[l.first(star)].start
	for n := star; ; n = l.nodes[n].parent {
		l.nodes[n].start = start
		if n == i {
			break
		}
	}
	l.nodes[star].symbol = parenthesizedSymbol
	e.X = l.expr(i)
	return e
}

// buriedStar returns the star at the left end of the chain i, or 0.
func (l *lowerer) buriedStar(i uint32) uint32 {
	n := i
	for {
		switch l.kind(n) {
		case kindAttribute, kindCall, kindSubscript, kindBinary, kindComparison, kindBoolean, kindConditional:
			n = l.first(n)
		case kindListSplat:
			if n == i || l.first(n) == 0 {
				return 0
			}
			return n
		default:
			return 0
		}
	}
}

// splitAs splits "expression as target"; target is 0 where absent. The grammar
// may have put the as-part deep into the expression, at its right end: there
// it becomes a pair of parentheses.
func (l *lowerer) splitAs(i uint32) (context, target uint32) {
	if l.kind(i) == kindParenthesized {
		if x := l.first(i); x != 0 && l.kind(x) == kindAsPattern {
			i = x
		}
	}
	as := l.rightmostAs(i)
	if as == 0 {
		return i, 0
	}
	context, target = l.first(as), l.child(as, fieldAlias)
	if as == i {
		return context, target
	}
	for n := as; ; n = l.nodes[n].parent {
		l.nodes[n].end = l.nodes[context].end
		if n == i {
			break
		}
	}
	l.nodes[as].symbol = parenthesizedSymbol
	return i, target
}

// rightmostAs returns the as-part that ends where i ends, or 0.
func (l *lowerer) rightmostAs(i uint32) uint32 {
	end := l.nodes[i].end
	for n := i; l.nodes[n].end == end; {
		if l.kind(n) == kindAsPattern {
			return n
		}
		last := uint32(0)
		for c := l.first(n); c != 0; c = l.after(n, c) {
			last = c
		}
		if last == 0 {
			return 0
		}
		n = last
	}
	return 0
}
