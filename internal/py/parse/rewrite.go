package parse

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

// Fixes of what the grammar reads differently from Python. Each rewrites the
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
		case kindAttribute, kindCall, kindSubscript, kindBinary, kindComparison, kindBoolean, kindConditional,
			kindGenericType, kindMemberType, kindUnionType:
			n = l.first(n)
		case kindListSplat, kindSplatType, kindUnary:
			if n == i || l.first(n) == 0 || l.src[l.nodes[n].start] != '*' {
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

// mixed reports whether i is a chain of & with a ^ among its operands, for the
// grammar has the precedence of the two the wrong way round.
func (l *lowerer) mixed(i uint32) bool {
	if l.bitOp(i) != '&' {
		return false
	}
	known := i == l.unmixed // the rest of a chain that was looked at
	l.unmixed = l.child(i, fieldLeft)
	for !known && l.bitOp(i) == '&' {
		if l.bitOp(l.child(i, fieldRight)) == '^' {
			return true
		}
		if i = l.child(i, fieldLeft); l.bitOp(i) == '^' {
			return true
		}
	}
	return false
}

// bitOp returns '&' or '^' where i is an operation by it, and else 0.
func (l *lowerer) bitOp(i uint32) byte {
	if i == 0 || l.kind(i) != kindBinary {
		return 0
	}
	if op := l.child(i, fieldOperator); op != 0 {
		if s := l.text(op); s == "&" || s == "^" {
			return s[0]
		}
	}
	return 0
}

// rebuild lowers a chain of & and ^ by Python's precedence.
func (l *lowerer) rebuild(i uint32) ast.Expr {
	operands, ops := l.flatten(i, nil, nil)
	return l.nest(operands, ops)
}

// flatten appends the operands and operators of a chain in source order.
func (l *lowerer) flatten(i uint32, operands, ops []uint32) ([]uint32, []uint32) {
	if l.bitOp(i) == 0 {
		return append(operands, i), ops
	}
	operands, ops = l.flatten(l.child(i, fieldLeft), operands, ops)
	ops = append(ops, l.child(i, fieldOperator))
	return l.flatten(l.child(i, fieldRight), operands, ops)
}

// nest lowers operands with the operators between them: the last ^ is the
// outermost, and where there is none the last &.
func (l *lowerer) nest(operands, ops []uint32) ast.Expr {
	if len(ops) == 0 {
		return l.expr(operands[0])
	}
	last := len(ops) - 1
	for k := last; k >= 0; k-- {
		if l.text(ops[k]) == "^" {
			last = k
			break
		}
	}
	e := l.slabs.binary.new()
	e.Meta = l.metaAt(ast.Span{Start: l.nodes[operands[0]].start, End: l.nodes[operands[len(operands)-1]].end})
	e.X = l.nest(operands[:last+1], ops[:last])
	e.Op, e.OpLoc = operators[l.text(ops[last])], l.loc(ops[last])
	e.Y = l.nest(operands[last+1:], ops[last+1:])
	return e
}

// union lowers a chain of | in an annotation. The grammar has two kinds of node
// for it, of which one nests to the right of the other.
func (l *lowerer) union(i uint32) ast.Expr {
	operands, ops := l.flattenUnion(i, nil, nil)
	return l.nest(operands, ops)
}

func (l *lowerer) flattenUnion(i uint32, operands, ops []uint32) ([]uint32, []uint32) {
	for l.kind(i) == kindType && l.first(i) != 0 {
		i = l.first(i)
	}
	op := l.barOf(i)
	if op == 0 {
		return append(operands, i), ops
	}
	left := l.first(i)
	operands, ops = l.flattenUnion(left, operands, ops)
	return l.flattenUnion(l.after(i, left), operands, append(ops, op))
}

// barOf returns the operator of a union, or 0.
func (l *lowerer) barOf(i uint32) uint32 {
	if k := l.kind(i); k != kindUnionType && k != kindBinary || l.after(i, l.first(i)) == 0 {
		return 0
	}
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		if l.kind(c) == tokenBar {
			return c
		}
	}
	return 0
}
