package parse

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// expr lowers any expression, annotation or target.
func (l *lowerer) expr(i uint32) ast.Expr {
	if l.depth >= maxDepth {
		return l.badExpr(i, "the expression is nested too deeply to be checked; split it into several statements")
	}
	l.depth++
	e := l.exprAt(i)
	l.depth--
	return e
}

// opt lowers an expression that may be absent; 0 gives nil.
func (l *lowerer) opt(i uint32) ast.Expr {
	if i == 0 {
		return nil
	}
	return l.expr(i)
}

// need lowers a child that valid syntax always has; 0 gives an empty BadExpr
// at the end of its parent.
func (l *lowerer) need(parent, i uint32) ast.Expr {
	if i != 0 {
		return l.expr(i)
	}
	end := l.nodes[parent].end
	s := ast.Span{Start: end, End: end}
	l.report(s, "an expression is missing here; the statement is not checked until it is added")
	return &ast.BadExpr{Meta: l.metaAt(s)}
}

func (l *lowerer) exprAt(i uint32) ast.Expr {
	switch l.kind(i) {
	case kindIdentifier:
		return l.name(i)
	case kindInteger, kindFloat:
		return l.number(i)
	case kindString, kindConcatenated:
		return l.stringExpr(i)
	case kindTrue:
		return l.constant(i, ast.True)
	case kindFalse:
		return l.constant(i, ast.False)
	case kindNone:
		return l.constant(i, ast.None)
	case kindEllipsis:
		return l.constant(i, ast.Ellipsis)
	case kindAttribute, kindMemberType:
		return l.attribute(i)
	case kindSubscript:
		return l.subscript(i)
	case kindGenericType:
		return l.genericType(i)
	case kindSlice, kindConstrainedType:
		return l.slice(i)
	case kindCall:
		return l.call(i)
	case kindBinary:
		return l.binary(i)
	case kindUnionType:
		return l.union(i)
	case kindUnary, kindNotOperator:
		return l.unary(i)
	case kindBoolean:
		return l.boolean(i)
	case kindComparison:
		return l.comparison(i)
	case kindConditional:
		return l.conditional(i)
	case kindLambda:
		return l.lambda(i)
	case kindTuple, kindExpressionList, kindPatternList:
		return l.tuple(i)
	case kindTuplePattern:
		return l.tuplePattern(i)
	case kindList, kindListPattern:
		return l.list(i)
	case kindSet:
		return l.set(i)
	case kindDictionary:
		return l.dict(i)
	case kindListComp, kindSetComp, kindDictComp, kindGenerator:
		return l.comprehension(i)
	case kindAwait:
		return l.await(i)
	case kindYield:
		return l.yield(i)
	case kindNamedExpression:
		return l.namedExpr(i)
	case kindListSplat, kindListSplatPattern, kindSplatType:
		return l.starred(i)
	case kindType:
		if x := l.first(i); x != 0 {
			return l.element(x)
		}
		return l.inner(i)
	case kindParenthesized, kindAsPatternTarget:
		return l.inner(i)
	case kindError:
		return l.badExpr(i, "invalid syntax near "+quote(l.text(i))+"; the expression is not checked until it is fixed")
	}
	return l.unknown(i)
}

// unknown lowers what no expression can be; tokens that the grammar takes for
// keywords where Python takes them for names are names.
func (l *lowerer) unknown(i uint32) ast.Expr {
	switch l.text(i) {
	case "print", "exec", "type", "match", "case", "_":
		return l.name(i)
	}
	return l.badExpr(i, quote(l.text(i))+" is not an expression; the statement is not checked until it is fixed")
}

// inner lowers what is only a wrapper in the grammar: parentheses, for one.
func (l *lowerer) inner(i uint32) ast.Expr { return l.need(i, l.first(i)) }

func (l *lowerer) name(i uint32) ast.Expr {
	if l.marks[l.nodes[i].start] {
		return &ast.BadExpr{Meta: l.meta(i)}
	}
	e := l.slabs.name.new()
	e.Meta, e.Ident = l.meta(i), l.ident(i)
	return e
}

func (l *lowerer) number(i uint32) ast.Expr {
	text := l.text(i)
	if c := text[0]; c != '.' && !isDigit(c) { // the scanner has fixed it
		return l.name(i)
	}
	if last := text[len(text)-1]; last == 'l' || last == 'L' {
		return l.badExpr(i, "the number "+quote(text)+" is written as in Python 2; leave out the letter L")
	}
	if oldOctal(text) {
		return l.badExpr(i, "the number "+quote(text)+" has leading zeros, as octal numbers had in Python 2; write 0o...")
	}
	e := l.slabs.number.new()
	e.Meta, e.Text = l.meta(i), text
	return e
}

// oldOctal reports whether the number is 0 followed by digits other than 0.
func oldOctal(text string) bool {
	if text[0] != '0' || strings.Trim(text, "0") == "" {
		return false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func (l *lowerer) constant(i uint32, k ast.ConstantKind) ast.Expr {
	e := l.slabs.constant.new()
	e.Meta, e.Kind = l.meta(i), k
	return e
}

func (l *lowerer) attribute(i uint32) ast.Expr {
	e := l.slabs.attribute.new()
	e.Meta = l.meta(i)
	x := l.first(i)
	e.X = l.need(i, x)
	if a := l.after(i, x); a != 0 {
		e.Attr, e.AttrLoc = l.ident(a), l.loc(a)
	}
	return e
}

var operators = map[string]ast.Operator{
	"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "@": ast.MatMult, "/": ast.Div, "%": ast.Mod, "**": ast.Pow,
	"<<": ast.LShift, ">>": ast.RShift, "|": ast.BitOr, "^": ast.BitXor, "&": ast.BitAnd, "//": ast.FloorDiv,
}

func (l *lowerer) binary(i uint32) ast.Expr {
	if l.mixed(i) {
		return l.rebuild(i)
	}
	e := l.slabs.binary.new()
	e.Meta = l.meta(i)
	x := l.first(i)
	op := l.nodes[x].next
	for l.nodes[op].flags&flagNamed != 0 { // a comment
		op++
	}
	e.X = l.expr(x)
	e.Op, e.OpLoc = operators[l.text(op)], l.loc(op)
	e.Y = l.need(i, l.after(i, x))
	return e
}

func (l *lowerer) unary(i uint32) ast.Expr {
	if l.src[l.nodes[i].start] == '*' { // the scanner has fixed it
		return l.starred(i)
	}
	e := l.slabs.unary.new()
	e.Meta = l.meta(i)
	switch l.src[l.nodes[i].start] {
	case '+':
		e.Op = ast.UAdd
	case '-':
		e.Op = ast.USub
	case '~':
		e.Op = ast.Invert
	default:
		e.Op = ast.Not
	}
	e.X = l.need(i, l.child(i, fieldArgument))
	return e
}

// boolean flattens a chain of one operator, which the grammar nests to the left.
func (l *lowerer) boolean(i uint32) ast.Expr {
	e := l.slabs.boolean.new()
	e.Meta, e.Or = l.meta(i), l.isOr(i)
	var chain []uint32
	for {
		chain = append(chain, l.child(i, fieldRight))
		left := l.child(i, fieldLeft)
		if l.kind(left) != kindBoolean || l.isOr(left) != e.Or {
			chain = append(chain, left)
			break
		}
		i = left
	}
	mark := l.exprs.mark()
	for k := len(chain) - 1; k >= 0; k-- {
		l.exprs.push(l.need(i, chain[k]))
	}
	e.Values = l.exprs.take(mark)
	return e
}

func (l *lowerer) isOr(i uint32) bool { return l.text(l.child(i, fieldOperator)) == "or" }

var compareOperators = map[string]ast.CompareOperator{
	"==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
	"is": ast.Is, "is not": ast.IsNot, "in": ast.In, "not in": ast.NotIn,
}

func (l *lowerer) comparison(i uint32) ast.Expr {
	e := l.slabs.compare.new()
	e.Meta = l.meta(i)
	mark, ops := l.exprs.mark(), l.compares.mark()
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		switch {
		case l.nodes[c].field == fieldOperators:
			op, ok := compareOperators[grammar.SymbolName(sitter.Symbol(l.nodes[c].symbol))]
			if !ok {
				l.report(l.loc(c), "the operator <> is Python 2; write !=")
				op = ast.NotEq
			}
			l.compares.push(op)
		case l.nodes[c].flags&(flagNamed|flagExtra) == flagNamed:
			l.exprs.push(l.expr(c))
		}
	}
	ys := l.exprs.take(mark)
	e.X, e.Ys, e.Ops = ys[0], ys[1:], l.compares.take(ops)
	return e
}

func (l *lowerer) conditional(i uint32) ast.Expr {
	e := &ast.IfExp{Meta: l.meta(i)}
	then := l.first(i)
	cond := l.after(i, then)
	e.Then, e.Cond = l.expr(then), l.need(i, cond)
	e.Else = l.need(i, l.after(i, cond))
	return e
}

func (l *lowerer) lambda(i uint32) ast.Expr {
	e := &ast.Lambda{Meta: l.meta(i)}
	start := l.nodes[i].start + uint32(len("lambda"))
	e.Params = l.parameters(l.child(i, fieldParameters), ast.Span{Start: start, End: start})
	e.Body = l.need(i, l.child(i, fieldBody))
	e.Last = l.last
	return e
}

// elements lowers all named children.
func (l *lowerer) elements(i uint32) []ast.Expr {
	mark := l.exprs.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		l.exprs.push(l.element(c))
	}
	return l.exprs.take(mark)
}

func (l *lowerer) tuple(i uint32) ast.Expr {
	e := l.slabs.tuple.new()
	e.Meta = l.meta(i)
	e.Elts = l.elements(i)
	return e
}

// tuplePattern tells the target (a, b) from the parenthesised target (a).
func (l *lowerer) tuplePattern(i uint32) ast.Expr {
	if first := l.first(i); first != 0 && l.childOf(i, tokenComma) == 0 && l.kind(first) != kindListSplatPattern {
		return l.expr(first)
	}
	return l.tuple(i)
}

func (l *lowerer) list(i uint32) ast.Expr {
	e := l.slabs.list.new()
	e.Meta = l.meta(i)
	e.Elts = l.elements(i)
	return e
}

func (l *lowerer) set(i uint32) ast.Expr {
	e := &ast.Set{Meta: l.meta(i)}
	e.Elts = l.elements(i)
	return e
}

func (l *lowerer) dict(i uint32) ast.Expr {
	e := l.slabs.dict.new()
	e.Meta = l.meta(i)
	mark := l.exprs.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		if l.kind(c) == kindPair {
			l.exprs.push(l.need(c, l.child(c, fieldKey)))
			l.exprs.push(l.need(c, l.child(c, fieldValue)))
			continue
		}
		l.exprs.push(nil)
		l.exprs.push(l.inner(c))
	}
	e.Keys, e.Values = unzip(l.exprs.take(mark))
	return e
}

// unzip splits alternating keys and values.
func unzip(both []ast.Expr) (keys, values []ast.Expr) {
	n := len(both) / 2
	if n == 0 {
		return nil, nil
	}
	all := make([]ast.Expr, 2*n)
	keys, values = all[:n:n], all[n:]
	for k := range n {
		keys[k], values[k] = both[2*k], both[2*k+1]
	}
	return keys, values
}

// await binds tighter than **, which the grammar has the other way round.
func (l *lowerer) await(i uint32) ast.Expr {
	x := l.first(i)
	if x == 0 || l.kind(x) != kindBinary {
		e := &ast.Await{Meta: l.meta(i)}
		e.X = l.need(i, x)
		return e
	}
	power := l.slabs.binary.new()
	power.Meta = l.meta(i)
	left := l.child(x, fieldLeft)
	op := l.child(x, fieldOperator)
	e := &ast.Await{Meta: l.metaAt(ast.Span{Start: l.nodes[i].start, End: l.nodes[left].end})}
	e.X = l.expr(left)
	power.X, power.Op, power.OpLoc = e, operators[l.text(op)], l.loc(op)
	power.Y = l.need(x, l.child(x, fieldRight))
	return power
}

func (l *lowerer) yield(i uint32) ast.Expr {
	e := &ast.Yield{Meta: l.meta(i), From: l.childOf(i, tokenFrom) != 0}
	e.X = l.opt(l.first(i))
	return e
}

func (l *lowerer) namedExpr(i uint32) ast.Expr {
	e := &ast.NamedExpr{Meta: l.meta(i)}
	target := l.child(i, fieldName)
	e.Target = &ast.Name{Meta: l.meta(target), Ident: l.ident(target)}
	e.X = l.need(i, l.child(i, fieldValue))
	return e
}

func (l *lowerer) starred(i uint32) ast.Expr {
	e := &ast.Starred{Meta: l.meta(i)}
	e.X = l.inner(i)
	return e
}
