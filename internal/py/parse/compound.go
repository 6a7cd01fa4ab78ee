package parse

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

// compound lowers a statement that holds others; nil for any other kind.
func (l *lowerer) compound(k kind, i uint32) ast.Stmt {
	switch k {
	case kindFunctionDefinition:
		return l.function(i, nil)
	case kindClassDefinition:
		return l.class(i, nil)
	case kindDecorated:
		return l.decorated(i)
	case kindIf:
		return l.ifStmt(i)
	case kindFor:
		return l.forStmt(i)
	case kindWhile:
		return l.while(i)
	case kindWith:
		return l.with(i)
	case kindTry:
		return l.try(i)
	case kindMatch:
		return l.match(i)
	}
	return nil
}

// head lowers an expression in the head of a compound statement. What was not
// understood there is a BadExpr, so that the body can be kept.
func (l *lowerer) head(parent, i uint32) ast.Expr {
	if i == 0 || !l.broken(i) {
		return l.need(parent, i)
	}
	l.reportIn(i)
	return &ast.BadExpr{Meta: l.meta(i)}
}

func (l *lowerer) optHead(i uint32) ast.Expr {
	if i == 0 {
		return nil
	}
	return l.head(i, i)
}

// strays reports the errors that stand directly in a compound statement.
func (l *lowerer) strays(i uint32) {
	if !l.broken(i) {
		return
	}
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		if l.kind(c) == kindError || l.nodes[c].flags&flagMissing != 0 {
			l.reportIn(c)
		}
	}
}

// block lowers the body of clause i.
func (l *lowerer) block(i uint32) []ast.Stmt {
	b := l.childOf(i, kindBlock)
	if b == 0 {
		return nil
	}
	return l.body(b)
}

func (l *lowerer) decorated(i uint32) ast.Stmt {
	mark := l.exprs.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		if l.kind(c) == kindDecorator {
			l.exprs.push(l.head(c, l.first(c)))
		}
	}
	decorators := l.exprs.take(mark)
	def := l.child(i, fieldDefinition)
	l.strays(i)
	switch {
	case def == 0:
		return l.badStmt(i, "a decorator must stand before def or class; add the definition or remove the decorator")
	case l.kind(def) == kindClassDefinition:
		return l.class(def, decorators)
	}
	return l.function(def, decorators)
}

func (l *lowerer) function(i uint32, decorators []ast.Expr) ast.Stmt {
	l.strays(i)
	f := l.slabs.function.new()
	f.Meta, f.Decorators = l.meta(i), decorators
	f.Async = l.childOf(i, tokenAsync) != 0
	f.Name, f.NameLoc = l.defName(i)
	f.TypeParams = l.typeParams(l.child(i, fieldTypeParameters))
	f.Params = l.parameters(l.child(i, fieldParameters), ast.Span{Start: f.NameLoc.End, End: f.NameLoc.End})
	f.Returns = l.optHead(l.child(i, fieldReturnType))
	f.Body = l.block(i)
	f.Last = l.last
	return f
}

func (l *lowerer) defName(i uint32) (string, ast.Span) {
	name := l.child(i, fieldName)
	if name == 0 {
		at := l.nodes[i].start
		return "", ast.Span{Start: at, End: at}
	}
	return l.ident(name), l.loc(name)
}

func (l *lowerer) class(i uint32, decorators []ast.Expr) ast.Stmt {
	l.strays(i)
	c := &ast.ClassDef{Meta: l.meta(i), Decorators: decorators}
	c.Name, c.NameLoc = l.defName(i)
	c.TypeParams = l.typeParams(l.child(i, fieldTypeParameters))
	if bases := l.child(i, fieldSuperclasses); bases != 0 && l.broken(bases) {
		l.reportIn(bases)
	} else {
		c.Bases, c.Keywords = l.arguments(bases)
	}
	c.Body = l.block(i)
	c.Last = l.last
	return c
}

// ifStmt lowers if, and each elif as an If alone in the Else before it.
func (l *lowerer) ifStmt(i uint32) ast.Stmt {
	l.strays(i)
	top := l.slabs.cond.new()
	top.Meta = l.meta(i)
	top.Cond = l.head(i, l.child(i, fieldCondition))
	top.Then = l.block(i)
	last, depth := top, l.depth
	for c := l.child(i, fieldAlternative); c != 0; c = l.after(i, c) {
		switch l.kind(c) {
		case kindElif:
			if l.depth++; l.depth >= maxDepth {
				l.elseOnly(last, l.badStmt(c, "the chain of elif is too long to be checked; use a dict or match"))
				l.depth = depth
				return top
			}
			last = l.elif(last, c, l.nodes[i].end)
		case kindElse:
			l.strays(c)
			last.Else = l.block(c)
		}
	}
	l.depth = depth
	return top
}

func (l *lowerer) elseOnly(s *ast.If, only ast.Stmt) {
	mark := l.stmts.mark()
	l.stmts.push(only)
	s.Else = l.stmts.take(mark)
}

func (l *lowerer) elif(before *ast.If, c, end uint32) *ast.If {
	l.strays(c)
	s := l.slabs.cond.new()
	s.Meta = l.metaAt(ast.Span{Start: l.nodes[c].start, End: end})
	s.Cond = l.head(c, l.child(c, fieldCondition))
	s.Then = l.block(c)
	l.elseOnly(before, s)
	return s
}

// elseBlock lowers the else of a loop or try.
func (l *lowerer) elseBlock(i uint32) []ast.Stmt {
	if c := l.childOf(i, kindElse); c != 0 {
		l.strays(c)
		return l.block(c)
	}
	return nil
}

func (l *lowerer) forStmt(i uint32) ast.Stmt {
	l.strays(i)
	s := &ast.For{Meta: l.meta(i), Async: l.childOf(i, tokenAsync) != 0}
	s.Target = l.head(i, l.child(i, fieldLeft))
	s.Iter = l.head(i, l.child(i, fieldRight))
	s.Body = l.block(i)
	s.Else = l.elseBlock(i)
	return s
}

func (l *lowerer) while(i uint32) ast.Stmt {
	l.strays(i)
	s := &ast.While{Meta: l.meta(i)}
	s.Cond = l.head(i, l.child(i, fieldCondition))
	s.Body = l.block(i)
	s.Else = l.elseBlock(i)
	return s
}

func (l *lowerer) with(i uint32) ast.Stmt {
	l.strays(i)
	s := &ast.With{Meta: l.meta(i), Async: l.childOf(i, tokenAsync) != 0}
	mark := l.items.mark()
	if clause := l.childOf(i, kindWithClause); clause != 0 {
		l.strays(clause)
		for c := l.first(clause); c != 0; c = l.after(clause, c) {
			if l.kind(c) == kindWithItem {
				l.withItems(c)
			}
		}
	}
	s.Items = l.items.take(mark)
	s.Body = l.block(i)
	return s
}

// withItems lowers an item, or the several that the grammar took for one: it
// reads (a as b,) as a tuple.
func (l *lowerer) withItems(i uint32) {
	value := l.first(i)
	switch {
	case value == 0 || l.broken(i):
		l.items.push(&ast.WithItem{Meta: l.meta(i), Context: l.head(i, value)})
	case l.kind(value) == kindTuple && l.childOf(value, kindAsPattern) != 0:
		for c := l.first(value); c != 0; c = l.after(value, c) {
			l.items.push(l.withItem(c, c))
		}
	default:
		l.items.push(l.withItem(i, value))
	}
}

func (l *lowerer) withItem(i, value uint32) *ast.WithItem {
	item := &ast.WithItem{Meta: l.meta(i)}
	context, target := l.splitAs(value)
	item.Context = l.expr(context)
	if target != 0 {
		item.Target = l.expr(target)
	}
	return item
}

func (l *lowerer) try(i uint32) ast.Stmt {
	l.strays(i)
	s := &ast.Try{Meta: l.meta(i), Star: l.childOf(i, kindExceptGroup) != 0}
	s.Body = l.block(i)
	mark := l.handlers.mark()
	for c := l.first(i); c != 0; c = l.after(i, c) {
		if k := l.kind(c); k == kindExcept || k == kindExceptGroup {
			l.handlers.push(l.handler(c))
		}
	}
	s.Handlers = l.handlers.take(mark)
	s.Else = l.elseBlock(i)
	if c := l.childOf(i, kindFinally); c != 0 {
		l.strays(c)
		s.Finally = l.block(c)
	}
	return s
}

func (l *lowerer) handler(i uint32) *ast.Handler {
	l.strays(i)
	h := &ast.Handler{Meta: l.meta(i)}
	x := l.first(i)
	switch {
	case x == 0 || l.kind(x) == kindBlock:
	case l.broken(x):
		h.Type = l.head(i, x)
	case l.childOf(i, tokenComma) != 0:
		h.Type = l.exceptTuple(i, x)
	default:
		context, target := l.splitAs(x)
		h.Type = l.exceptTypes(context)
		if target != 0 {
			h.Name = l.ident(l.first(target))
		}
	}
	h.Body = l.block(i)
	return h
}

// exceptTypes lowers the types of a handler. Where the scanner has put bars for
// the commas of several types without parentheses, a union arrives here.
func (l *lowerer) exceptTypes(i uint32) ast.Expr {
	if l.commaOf(i) == 0 {
		return l.expr(i)
	}
	var parts []uint32
	x := i
	for ; l.commaOf(x) != 0; x = l.first(x) {
		parts = append(parts, l.after(x, l.first(x)))
	}
	t := l.slabs.tuple.new()
	t.Meta = l.meta(i)
	mark := l.exprs.mark()
	l.exprs.push(l.expr(x))
	for k := len(parts) - 1; k >= 0; k-- {
		l.exprs.push(l.need(i, parts[k]))
	}
	t.Elts = l.exprs.take(mark)
	return t
}

// commaOf returns the operator of a binary operation that is a comma in the
// source, or 0.
func (l *lowerer) commaOf(i uint32) uint32 {
	if l.kind(i) != kindBinary {
		return 0
	}
	if op := l.child(i, fieldOperator); op != 0 && l.text(op) == "," {
		return op
	}
	return 0
}

// exceptTuple lowers several types without parentheses, as Python 3.14 has them.
func (l *lowerer) exceptTuple(i, first uint32) ast.Expr {
	t := l.slabs.tuple.new()
	t.Meta = l.metaAt(l.loc(first))
	mark := l.exprs.mark()
	for c := first; c != 0 && l.kind(c) != kindBlock; c = l.after(i, c) {
		if l.kind(c) == kindError {
			continue
		}
		t.Loc.End = l.nodes[c].end
		l.exprs.push(l.expr(c))
	}
	t.Elts = l.exprs.take(mark)
	return t
}
