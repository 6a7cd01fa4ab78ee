package parse

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

func (l *lowerer) match(i uint32) ast.Stmt {
	l.strays(i)
	s := &ast.Match{Meta: l.meta(i)}
	s.Subject = l.subjects(i)
	mark := l.cases.mark()
	if b := l.childOf(i, kindBlock); b != 0 {
		for c := l.first(b); c != 0; c = l.after(b, c) {
			if l.kind(c) == kindCaseClause {
				l.cases.push(l.caseClause(c))
			} else if l.broken(c) {
				l.reportIn(c)
			}
		}
	}
	s.Cases = l.cases.take(mark)
	return s
}

// subjects lowers the subject of match; several, or one starred, are a tuple.
func (l *lowerer) subjects(i uint32) ast.Expr {
	first := l.child(i, fieldSubject)
	comma := l.childOf(i, tokenComma)
	if comma == 0 || l.broken(i) && l.strayed(i) {
		return l.head(i, first)
	}
	t := l.slabs.tuple.new()
	t.Meta = l.metaAt(l.loc(first))
	mark := l.exprs.mark()
	for c, end := first, l.nodes[i].next; c < end; c = l.nodes[c].next {
		switch {
		case l.nodes[c].field == fieldSubject:
			l.exprs.push(l.head(i, c))
		case l.kind(c) != tokenComma:
			end = c
			continue
		}
		t.Loc.End = l.nodes[c].end
	}
	t.Elts = l.exprs.take(mark)
	return t
}

func (l *lowerer) strayed(i uint32) bool { return l.childOf(i, kindError) != 0 }

func (l *lowerer) caseClause(i uint32) *ast.Case {
	l.strays(i)
	c := &ast.Case{Meta: l.meta(i)}
	c.Pattern = l.casePatterns(i)
	if guard := l.child(i, fieldGuard); guard != 0 {
		c.Guard = l.head(guard, l.first(guard))
	}
	c.Body = l.block(i)
	return c
}

// casePatterns lowers the pattern of a case; several without brackets are a sequence.
func (l *lowerer) casePatterns(i uint32) ast.Pattern {
	first := l.childOf(i, kindCasePattern)
	if first == 0 {
		return l.badPattern(i)
	}
	if l.childOf(i, tokenComma) == 0 && !l.isStarPattern(first) {
		return l.pattern(first)
	}
	s := &ast.MatchSequence{Meta: l.metaAt(l.loc(first))}
	mark := l.patterns.mark()
	for c, end := first, l.nodes[i].next; c < end; c = l.nodes[c].next {
		switch k := l.kind(c); k {
		case kindCasePattern:
			l.patterns.push(l.pattern(c))
			s.Loc.End = l.nodes[c].end
		case tokenComma:
			s.Loc.End = l.nodes[c].end
		}
	}
	s.Patterns = l.patterns.take(mark)
	return s
}

func (l *lowerer) isStarPattern(i uint32) bool {
	x := l.first(i)
	return x != 0 && l.kind(x) == kindSplatPattern
}

func (l *lowerer) badPattern(i uint32) ast.Pattern {
	l.report(l.loc(i), "invalid pattern "+quote(l.text(i))+"; the case is not checked until it is fixed")
	return &ast.BadPattern{Meta: l.meta(i)}
}

// pattern lowers a node that holds exactly one pattern.
func (l *lowerer) pattern(i uint32) ast.Pattern {
	if l.broken(i) || l.depth >= maxDepth {
		return l.badPattern(i)
	}
	l.depth++
	p := l.patternIn(i+1, l.nodes[i].next, i)
	l.depth--
	return p
}

// patternIn lowers the one pattern among the siblings in [c, end): an optional
// minus and a node, or the token _.
func (l *lowerer) patternIn(c, end, parent uint32) ast.Pattern {
	for ; c < end; c = l.nodes[c].next {
		switch {
		case l.nodes[c].flags&flagExtra != 0:
		case l.kind(c) == tokenMinus:
			number := l.named(l.nodes[c].next, end)
			if number == 0 {
				return l.badPattern(parent)
			}
			return l.negative(c, number)
		case l.kind(c) == tokenUnderscore:
			return &ast.MatchAs{Meta: l.meta(c)}
		default:
			return l.patternAt(c)
		}
	}
	return l.badPattern(parent)
}

// negative lowers a minus and a number.
func (l *lowerer) negative(minus, number uint32) ast.Pattern {
	s := ast.Span{Start: l.nodes[minus].start, End: l.nodes[number].end}
	v := &ast.MatchValue{Meta: l.metaAt(s)}
	u := &ast.UnaryOp{Meta: l.metaAt(s), Op: ast.USub}
	u.X = l.expr(number)
	v.Value = u
	return v
}

func (l *lowerer) patternAt(i uint32) ast.Pattern {
	switch l.kind(i) {
	case kindCasePattern:
		return l.pattern(i)
	case kindDottedName:
		return l.dottedPattern(i)
	case kindAsPattern:
		return l.asPattern(i)
	case kindUnionPattern:
		return l.unionPattern(i)
	case kindListPattern:
		return l.sequence(i)
	case kindTuplePattern:
		if first := l.first(i); first != 0 && l.childOf(i, tokenComma) == 0 && !l.isStarPattern(first) {
			return l.patternAt(first)
		}
		return l.sequence(i)
	case kindSplatPattern:
		return l.starPattern(i)
	case kindDictPattern:
		return l.mapping(i)
	case kindClassPattern:
		return l.classPattern(i)
	case kindIdentifier:
		return l.capture(i, i)
	case kindComplexPattern:
		v := &ast.MatchValue{Meta: l.meta(i)}
		v.Value = l.complexNumber(i)
		return v
	case kindString, kindConcatenated, kindInteger, kindFloat, kindTrue, kindFalse, kindNone:
		v := &ast.MatchValue{Meta: l.meta(i)}
		v.Value = l.expr(i)
		return v
	}
	return l.badPattern(i)
}

// dottedPattern lowers a name: a capture if plain, a value if dotted.
func (l *lowerer) dottedPattern(i uint32) ast.Pattern {
	first := l.first(i)
	if l.after(i, first) == 0 {
		return l.capture(i, first)
	}
	v := &ast.MatchValue{Meta: l.meta(i)}
	v.Value = l.dottedExpr(i)
	return v
}

func (l *lowerer) capture(i, name uint32) ast.Pattern {
	p := &ast.MatchAs{Meta: l.meta(i)}
	if s := l.ident(name); s != "_" {
		p.Name = s
	}
	return p
}

// dottedExpr lowers a dotted name as the attribute it is.
func (l *lowerer) dottedExpr(i uint32) ast.Expr {
	var names []uint32
	for c := l.first(i); c != 0; c = l.after(i, c) {
		names = append(names, c)
	}
	attributes := make([]*ast.Attribute, len(names))
	for k := len(names) - 1; k > 0; k-- { // the outermost starts first
		s := ast.Span{Start: l.nodes[i].start, End: l.nodes[names[k]].end}
		attributes[k] = &ast.Attribute{Meta: l.metaAt(s), Attr: l.ident(names[k]), AttrLoc: l.loc(names[k])}
	}
	x := l.name(names[0])
	for k := 1; k < len(names); k++ {
		attributes[k].X = x
		x = attributes[k]
	}
	return x
}

func (l *lowerer) asPattern(i uint32) ast.Pattern {
	p := &ast.MatchAs{Meta: l.meta(i)}
	inner := l.first(i)
	p.Pattern = l.patternAt(inner)
	if name := l.after(i, inner); name != 0 {
		p.Name = l.ident(name)
	}
	return p
}

// unionPattern lowers alternatives, each an optional minus and a node.
func (l *lowerer) unionPattern(i uint32) ast.Pattern {
	p := &ast.MatchOr{Meta: l.meta(i)}
	mark := l.patterns.mark()
	end := l.nodes[i].next
	for c := i + 1; c < end; {
		stop := c
		for stop < end && l.kind(stop) != tokenBar {
			stop = l.nodes[stop].next
		}
		l.patterns.push(l.patternIn(c, stop, i))
		c = stop + 1
	}
	p.Patterns = l.patterns.take(mark)
	return p
}

func (l *lowerer) sequence(i uint32) ast.Pattern {
	s := &ast.MatchSequence{Meta: l.meta(i)}
	mark := l.patterns.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		l.patterns.push(l.patternAt(c))
	}
	s.Patterns = l.patterns.take(mark)
	return s
}

func (l *lowerer) starPattern(i uint32) ast.Pattern {
	p := &ast.MatchStar{Meta: l.meta(i)}
	if name := l.first(i); name != 0 {
		p.Name = l.ident(name)
	}
	return p
}

func (l *lowerer) mapping(i uint32) ast.Pattern {
	m := &ast.MatchMapping{Meta: l.meta(i)}
	keys, values := l.exprs.mark(), l.patterns.mark()
	minus := uint32(0)
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		switch k := l.kind(c); {
		case k == tokenMinus:
			minus = c
		case l.nodes[c].flags&(flagNamed|flagExtra) != flagNamed:
		case k == kindSplatPattern:
			m.Rest = l.ident(l.first(c))
		case l.nodes[c].field == fieldValue:
			l.patterns.push(l.patternAt(c))
		default:
			l.exprs.push(l.mappingKey(c, minus))
			minus = 0
		}
	}
	m.Keys, m.Patterns = l.exprs.take(keys), l.patterns.take(values)
	return m
}

func (l *lowerer) mappingKey(i, minus uint32) ast.Expr {
	switch {
	case minus != 0:
		u := &ast.UnaryOp{Meta: l.metaAt(ast.Span{Start: l.nodes[minus].start, End: l.nodes[i].end}), Op: ast.USub}
		u.X = l.expr(i)
		return u
	case l.kind(i) == kindDottedName:
		return l.dottedExpr(i)
	case l.kind(i) == kindComplexPattern:
		return l.complexNumber(i)
	}
	return l.expr(i)
}

func (l *lowerer) classPattern(i uint32) ast.Pattern {
	p := &ast.MatchClass{Meta: l.meta(i)}
	cls := l.first(i)
	p.Cls = l.dottedExpr(cls)
	mark, kwMark := l.patterns.mark(), l.names.mark()
	var byName []ast.Pattern
	for c := l.after(i, cls); c != 0; c = l.after(i, c) {
		kw := l.first(c)
		if kw == 0 || l.kind(kw) != kindKeywordPattern {
			l.patterns.push(l.patternAt(c))
			continue
		}
		name := l.first(kw)
		l.names.push(l.ident(name))
		equal := l.childOf(kw, tokenEqual)
		byName = append(byName, l.patternIn(l.nodes[equal].next, l.nodes[kw].next, kw))
	}
	p.Patterns, p.KwdNames, p.KwdPatterns = l.patterns.take(mark), l.names.take(kwMark), byName
	return p
}

// complexNumber lowers a real and an imaginary part, each optionally negative.
func (l *lowerer) complexNumber(i uint32) ast.Expr {
	e := &ast.BinOp{Meta: l.meta(i)}
	re := l.first(i)
	im := l.after(i, re)
	if l.kind(i+1) == tokenMinus {
		u := &ast.UnaryOp{Meta: l.metaAt(ast.Span{Start: l.nodes[i].start, End: l.nodes[re].end}), Op: ast.USub}
		u.X = l.expr(re)
		e.X = u
	} else {
		e.X = l.expr(re)
	}
	op := l.nodes[re].next
	e.Op, e.OpLoc = operators[l.text(op)], l.loc(op)
	e.Y = l.need(i, im)
	return e
}
