package parse

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// stmt lowers one statement; nil is none.
func (l *lowerer) stmt(i uint32) ast.Stmt {
	if l.depth >= maxDepth {
		return l.badStmt(i, "the statement is nested too deeply to be checked; move its body into a function")
	}
	l.depth++
	s := l.stmtAt(i)
	l.depth--
	return s
}

func (l *lowerer) stmtAt(i uint32) ast.Stmt {
	k := l.kind(i)
	if compound := l.compound(k, i); compound != nil {
		return compound
	}
	if k == kindComment {
		return nil
	}
	if l.broken(i) {
		l.reportIn(i)
		return &ast.BadStmt{Meta: l.meta(i)}
	}
	return l.simple(k, i)
}

func (l *lowerer) simple(k kind, i uint32) ast.Stmt {
	switch k {
	case kindExpressionStatement:
		return l.expression(i)
	case kindReturn:
		s := l.slabs.ret.new()
		s.Meta = l.meta(i)
		s.X = l.opt(l.first(i))
		return s
	case kindImport:
		s := l.slabs.imprt.new()
		s.Meta = l.meta(i)
		s.Names = l.imported(i)
		return s
	case kindImportFrom, kindFutureImport:
		return l.importFrom(i)
	case kindPass:
		return &ast.Pass{Meta: l.meta(i)}
	case kindBreak:
		return &ast.Break{Meta: l.meta(i)}
	case kindContinue:
		return &ast.Continue{Meta: l.meta(i)}
	case kindDelete:
		return l.delete(i)
	case kindRaise:
		return l.raise(i)
	case kindAssert:
		s := &ast.Assert{Meta: l.meta(i)}
		cond := l.first(i)
		s.Cond, s.Msg = l.need(i, cond), l.opt(l.after(i, cond))
		return s
	case kindGlobal:
		return &ast.Global{Meta: l.meta(i), Names: l.nameList(i)}
	case kindNonlocal:
		return &ast.Nonlocal{Meta: l.meta(i), Names: l.nameList(i)}
	case kindTypeAlias:
		return l.typeAlias(i)
	case kindPrint:
		return l.badStmt(i, "print without parentheses is Python 2; write print(...)")
	case kindExec:
		return l.badStmt(i, "exec without parentheses is Python 2; write exec(...)")
	}
	return l.badStmt(i, "invalid syntax near "+quote(l.text(i))+"; the statement is not checked until it is fixed")
}

// expression lowers an expression statement, which the grammar also takes for
// the parent of an assignment.
func (l *lowerer) expression(i uint32) ast.Stmt {
	x := l.first(i)
	if x == 0 {
		return l.badStmt(i, "the statement is empty; remove it")
	}
	switch l.kind(x) {
	case kindAssignment:
		return l.assignment(x)
	case kindAugmentedAssignment:
		return l.augmented(x)
	case kindIdentifier:
		if l.marks[l.nodes[x].start] {
			return &ast.BadStmt{Meta: l.meta(x)}
		}
	}
	s := l.slabs.exprStmt.new()
	if l.childOf(i, tokenComma) == 0 {
		s.Meta = l.metaAt(l.loc(i))
		s.X = l.expr(x)
		return s
	}
	s.Meta = l.meta(i)
	s.X = l.tuple(i)
	return s
}

func (l *lowerer) assignment(i uint32) ast.Stmt {
	if l.child(i, fieldType) != 0 {
		return l.annotated(i)
	}
	s := l.slabs.assign.new()
	s.Meta = l.meta(i)
	mark := l.exprs.mark()
	for {
		l.exprs.push(l.need(i, l.child(i, fieldLeft)))
		right := l.child(i, fieldRight)
		if right == 0 || l.kind(right) != kindAssignment {
			s.Value = l.assigned(i, right)
			break
		}
		i = right
	}
	s.Targets = l.exprs.take(mark)
	return s
}

// assigned lowers the right side of an assignment.
func (l *lowerer) assigned(i, right uint32) ast.Expr {
	if right != 0 && (l.kind(right) == kindAugmentedAssignment || l.kind(right) == kindAssignment) {
		return l.badExpr(right, "an assignment is not a value; write two statements")
	}
	return l.need(i, right)
}

func (l *lowerer) annotated(i uint32) ast.Stmt {
	s := &ast.AnnAssign{Meta: l.meta(i)}
	s.Target = l.need(i, l.child(i, fieldLeft))
	s.Annotation = l.expr(l.child(i, fieldType))
	if right := l.child(i, fieldRight); right != 0 {
		s.Value = l.assigned(i, right)
	}
	return s
}

func (l *lowerer) augmented(i uint32) ast.Stmt {
	right := l.child(i, fieldRight)
	if l.kind(right) == kindListSplat { // the parser of Python takes it, its compiler does not
		return l.badStmt(i, "a value with a star cannot stand here; the statement is not checked until the star is gone")
	}
	s := &ast.AugAssign{Meta: l.meta(i)}
	s.Target = l.need(i, l.child(i, fieldLeft))
	op := l.child(i, fieldOperator)
	s.OpLoc = l.loc(op)
	s.OpLoc.End--
	s.Op = operators[strings.TrimSuffix(l.text(op), "=")]
	s.Value = l.assigned(i, right)
	return s
}

func (l *lowerer) imported(i uint32) []*ast.Alias {
	mark := l.aliases.mark()
	for c := l.child(i, fieldName); c != 0; c = l.after(i, c) {
		l.aliases.push(l.alias(c))
	}
	return l.aliases.take(mark)
}

func (l *lowerer) alias(i uint32) *ast.Alias {
	a := l.slabs.alias.new()
	a.Meta = l.meta(i)
	switch l.kind(i) {
	case kindAliasedImport:
		a.Name = l.dotted(l.child(i, fieldName))
		a.AsName = l.ident(l.child(i, fieldAlias))
	case kindWildcardImport:
		a.Name = "*"
	default:
		a.Name = l.dotted(i)
	}
	return a
}

// dotted returns a dotted name without what may stand between its parts.
func (l *lowerer) dotted(i uint32) string {
	text := l.ident(i)
	if !strings.ContainsAny(text, " \t\f\r\n\\#") {
		return text
	}
	var parts []string
	for c := l.first(i); c != 0; c = l.after(i, c) {
		parts = append(parts, l.ident(c))
	}
	return strings.Join(parts, ".")
}

func (l *lowerer) importFrom(i uint32) ast.Stmt {
	s := l.slabs.from.new()
	s.Meta = l.meta(i)
	if l.kind(i) == kindFutureImport {
		s.Module = "__future__"
	} else {
		l.fromModule(s, l.child(i, fieldModuleName))
	}
	if star := l.childOf(i, kindWildcardImport); star != 0 {
		mark := l.aliases.mark()
		l.aliases.push(l.alias(star))
		s.Names = l.aliases.take(mark)
		return s
	}
	s.Names = l.imported(i)
	return s
}

func (l *lowerer) fromModule(s *ast.ImportFrom, module uint32) {
	if l.kind(module) != kindRelativeImport {
		s.Module = l.dotted(module)
		return
	}
	if prefix := l.childOf(module, kindImportPrefix); prefix != 0 {
		s.Level = strings.Count(l.text(prefix), ".")
	}
	if name := l.childOf(module, kindDottedName); name != 0 {
		s.Module = l.dotted(name)
	}
}

func (l *lowerer) delete(i uint32) ast.Stmt {
	s := &ast.Delete{Meta: l.meta(i)}
	x := l.first(i)
	if x != 0 && l.kind(x) == kindExpressionList {
		s.Targets = l.elements(x)
		return s
	}
	mark := l.exprs.mark()
	l.exprs.push(l.need(i, x))
	s.Targets = l.exprs.take(mark)
	return s
}

func (l *lowerer) raise(i uint32) ast.Stmt {
	x, cause := l.first(i), l.child(i, fieldCause)
	if x != 0 && l.kind(x) == kindExpressionList {
		return l.badStmt(i, "raise with a comma is Python 2; write raise Error(message)")
	}
	s := &ast.Raise{Meta: l.meta(i)}
	if x != cause {
		s.X = l.opt(x)
	}
	s.Cause = l.opt(cause)
	return s
}

func (l *lowerer) nameList(i uint32) []string {
	mark := l.names.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		l.names.push(l.ident(c))
	}
	return l.names.take(mark)
}

// typeAlias lowers type Name[Params] = Value.
func (l *lowerer) typeAlias(i uint32) ast.Stmt {
	left := l.first(i)
	right := l.after(i, left)
	if left == 0 || right == 0 {
		return l.badStmt(i, "the type statement is incomplete; write type Name = value")
	}
	target := l.first(left)
	params := uint32(0)
	if l.kind(target) == kindGenericType {
		params = l.childOf(target, kindTypeParameter)
		target = l.first(target)
	}
	if l.kind(target) != kindIdentifier {
		return l.badStmt(i, "the type statement needs a plain name; write type Name = value")
	}
	s := &ast.TypeAlias{Meta: l.meta(i)}
	s.Name = &ast.Name{Meta: l.meta(target), Ident: l.ident(target)}
	s.TypeParams = l.typeParams(params)
	s.Value = l.expr(right)
	return s
}
