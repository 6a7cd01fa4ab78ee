package parse

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// parameters lowers the parameters of a function or lambda. Where there are
// none the span tells where they would stand.
func (l *lowerer) parameters(i uint32, where ast.Span) *ast.Params {
	p := l.slabs.params.new()
	if i == 0 {
		p.Meta = l.metaAt(where)
		return p
	}
	l.strays(i)
	p.Meta = l.meta(i)
	mark := l.params.mark()
	kind := ast.PosOrKw
	for c := l.first(i); c != 0; c = l.after(i, c) {
		switch l.kind(c) {
		case kindPositionalSeparator:
			for _, before := range l.params.stack[mark:] {
				before.Kind = ast.PosOnly
			}
		case kindKeywordSeparator:
			kind = ast.KwOnly
		case kindError:
		default:
			one := l.param(c, kind)
			if one.Kind == ast.VarArgs {
				kind = ast.KwOnly
			}
			l.params.push(one)
		}
	}
	p.List = l.params.take(mark)
	return p
}

// param lowers one parameter.
func (l *lowerer) param(i uint32, kind ast.ParamKind) *ast.Param {
	p := l.slabs.param.new()
	p.Meta, p.Kind = l.meta(i), kind
	name := i
	switch l.kind(i) {
	case kindTypedParameter:
		name = l.first(i)
	case kindDefaultParameter, kindTypedDefaultParameter:
		name = l.child(i, fieldName)
	}
	l.paramName(p, name)
	if name != i {
		p.Annotation = l.annotation(l.child(i, fieldType))
		p.Default = l.optHead(l.child(i, fieldValue))
	}
	return p
}

// annotation lowers the annotation of a parameter; 0 is none.
func (l *lowerer) annotation(i uint32) ast.Expr {
	x := i
	for x != 0 && l.kind(x) == kindType && l.first(x) != 0 {
		x = l.first(x)
	}
	if x != 0 && !l.broken(i) && l.buriedStar(x) != 0 {
		return l.element(x)
	}
	return l.optHead(i)
}

func (l *lowerer) paramName(p *ast.Param, name uint32) {
	switch l.kind(name) {
	case kindListSplatPattern, kindListSplat:
		p.Kind = ast.VarArgs
		name = l.first(name)
	case kindDictSplatPattern, kindDictSplat:
		p.Kind = ast.VarKwArgs
		name = l.first(name)
	case kindTuplePattern:
		l.report(l.loc(name), "a parameter in parentheses is Python 2; take one parameter and unpack it in the body")
		return
	}
	if name != 0 {
		p.Name = l.ident(name)
	}
}

// typeParams lowers the parameters in brackets of a generic definition; 0 is none.
func (l *lowerer) typeParams(i uint32) []*ast.TypeParam {
	if i == 0 {
		return nil
	}
	if l.broken(i) {
		l.reportIn(i)
		return nil
	}
	mark := l.tparams.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		if x := l.first(c); x != 0 {
			l.tparams.push(l.typeParam(c, x))
		}
	}
	return l.tparams.take(mark)
}

// typeParam lowers T, T: Bound, *Ts or **P, in each case also with a default,
// whose equals sign the scanner has turned into a colon for the grammar.
func (l *lowerer) typeParam(i, x uint32) *ast.TypeParam {
	p := &ast.TypeParam{Meta: l.meta(i)}
	parts := l.constraints(nil, x)
	x = parts[0]
	if l.kind(x) == kindSplatType {
		p.Kind = ast.TypeVarTuple
		if l.src[l.nodes[x].start+1] == '*' {
			p.Kind = ast.ParamSpec
		}
		x = l.first(x)
	}
	p.Name = l.ident(x)
	for _, part := range parts[1:] {
		switch isDefault := l.follows(part, '='); {
		case isDefault && p.Default == nil:
			p.Default = l.expr(part)
		case !isDefault && p.Bound == nil && p.Default == nil:
			p.Bound = l.expr(part)
		default:
			l.report(l.loc(part), "a type parameter has at most one bound, after a colon, and then one default, after an equals sign; remove "+quote(l.text(part)))
		}
	}
	return p
}

// constraints appends the parts of the constrained type i, which are divided by colons.
func (l *lowerer) constraints(parts []uint32, i uint32) []uint32 {
	for l.kind(i) == kindType && l.first(i) != 0 {
		i = l.first(i)
	}
	if l.kind(i) != kindConstrainedType {
		return append(parts, i)
	}
	left := l.first(i)
	return l.constraints(l.constraints(parts, left), l.after(i, left))
}

// follows reports whether the text before node i ends in c, brackets and blanks aside.
func (l *lowerer) follows(i uint32, c byte) bool {
	before := strings.TrimRight(l.src[:l.nodes[i].start], " \t\f\r\n\\(")
	return before != "" && before[len(before)-1] == c
}
