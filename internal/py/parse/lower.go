package parse

import (
	"cmp"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	"golang.org/x/text/unicode/norm"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// maxDepth bounds the nesting of the lowered tree, so that whoever walks it may
// recurse. CPython's own compiler gives up at about the same depth.
const maxDepth = 3000

// lowerer turns the arena of one file into its ast.Module. Node numbers are
// given when a node is entered, so children are lowered in source order.
type lowerer struct {
	nodes []flatNode
	src   string // the text of the file, not the fixed text that was parsed
	ascii bool
	marks marks // what the scanner fixed
	mod   *ast.Module
	last  ast.NodeID
	depth int
	// unmixed is a chain of operators that needs no fix.
	unmixed uint32

	exprs    list[ast.Expr]
	stmts    list[ast.Stmt]
	keywords list[*ast.Keyword]
	params   list[*ast.Param]
	clauses  list[*ast.CompClause]
	items    list[*ast.WithItem]
	handlers list[*ast.Handler]
	cases    list[*ast.Case]
	aliases  list[*ast.Alias]
	patterns list[ast.Pattern]
	tparams  list[*ast.TypeParam]
	compares list[ast.CompareOperator]
	names    list[string]
	slabs    slabs
}

// slabs hold one slab for each type of node that is frequent.
type slabs struct {
	name      slab[ast.Name]
	number    slab[ast.Number]
	str       slab[ast.String]
	constant  slab[ast.Constant]
	attribute slab[ast.Attribute]
	subscript slab[ast.Subscript]
	call      slab[ast.Call]
	keyword   slab[ast.Keyword]
	binary    slab[ast.BinOp]
	unary     slab[ast.UnaryOp]
	boolean   slab[ast.BoolOp]
	compare   slab[ast.Compare]
	tuple     slab[ast.Tuple]
	list      slab[ast.List]
	dict      slab[ast.Dict]
	fstring   slab[ast.FString]
	formatted slab[ast.FormattedValue]
	params    slab[ast.Params]
	param     slab[ast.Param]
	function  slab[ast.FunctionDef]
	assign    slab[ast.Assign]
	exprStmt  slab[ast.ExprStmt]
	ret       slab[ast.Return]
	cond      slab[ast.If]
	alias     slab[ast.Alias]
	imprt     slab[ast.Import]
	from      slab[ast.ImportFrom]
}

func (l *lowerer) kind(i uint32) kind { return kinds[l.nodes[i].symbol] }

func (l *lowerer) loc(i uint32) ast.Span {
	n := &l.nodes[i]
	return ast.Span{Start: n.start, End: n.end}
}

// meta numbers the node being entered.
func (l *lowerer) meta(i uint32) ast.Meta { return l.metaAt(l.loc(i)) }

func (l *lowerer) metaAt(s ast.Span) ast.Meta {
	l.last++
	return ast.Meta{ID: l.last, Loc: s}
}

func (l *lowerer) text(i uint32) string {
	n := &l.nodes[i]
	return l.src[n.start:n.end]
}

// ident returns an identifier as Python compares it: in normal form KC.
func (l *lowerer) ident(i uint32) string {
	s := l.text(i)
	if l.ascii {
		return s
	}
	return norm.NFKC.String(s)
}

// child returns the first child in the role f, or 0.
func (l *lowerer) child(i uint32, f field) uint32 {
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		if l.nodes[c].field == f {
			return c
		}
	}
	return 0
}

// named returns the first named child at or after c of the node that ends
// before index end, comments left out, or 0.
func (l *lowerer) named(c, end uint32) uint32 {
	for ; c < end; c = l.nodes[c].next {
		if l.nodes[c].flags&(flagNamed|flagExtra) == flagNamed {
			return c
		}
	}
	return 0
}

// first returns the first named child, or 0.
func (l *lowerer) first(i uint32) uint32 { return l.named(i+1, l.nodes[i].next) }

// after returns the named sibling that follows c within parent i, or 0.
func (l *lowerer) after(i, c uint32) uint32 { return l.named(l.nodes[c].next, l.nodes[i].next) }

// childOf returns the first child of kind k, or 0.
func (l *lowerer) childOf(i uint32, k kind) uint32 {
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		if l.kind(c) == k {
			return c
		}
	}
	return 0
}

func (l *lowerer) broken(i uint32) bool { return l.nodes[i].flags&flagError != 0 }

// module lowers the whole arena.
func (l *lowerer) module() {
	l.mod.Body = l.body(0)
	l.mod.NumNodes = int(l.last) + 1
	slices.SortStableFunc(l.mod.Errors, func(a, b ast.SyntaxError) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
}

// body lowers the statements of a block or module.
func (l *lowerer) body(block uint32) []ast.Stmt {
	mark := l.stmts.mark()
	joined := false // to the statement before
	for c, end := block+1, l.nodes[block].next; c < end; c = l.nodes[c].next {
		if l.nodes[c].flags&flagNamed == 0 && !l.broken(c) {
			joined = false
			continue // a semicolon
		}
		before := joined
		joined = l.joins(c, end)
		switch {
		case before && !isCompound(l.kind(c)):
			l.stmts.push(&ast.BadStmt{Meta: l.meta(c)})
		case joined && !l.broken(c) && !isCompound(l.kind(c)):
			l.stmts.push(l.badStmt(c, "invalid syntax near "+quote(l.src[l.nodes[c].start:l.nodes[l.nodes[c].next].end])+"; the statement is not checked until it is fixed"))
		default:
			if s := l.stmt(c); s != nil {
				l.stmts.push(s)
			}
		}
	}
	return l.stmts.take(mark)
}

// joins reports whether another statement follows c on its line with nothing between: the
// grammar puts the end of a line there itself.
func (l *lowerer) joins(c, end uint32) bool {
	n := l.nodes[c].next
	if n >= end || l.kind(c) == kindComment || l.kind(n) == kindComment || l.nodes[n].flags&flagNamed == 0 {
		return false
	}
	from, to := l.nodes[c].end, l.nodes[n].start
	return from < to && !strings.ContainsAny(l.src[from:to], ";\n\r")
}

// report records a syntax error.
func (l *lowerer) report(s ast.Span, message string) {
	l.mod.Errors = append(l.mod.Errors, ast.SyntaxError{Span: s, Message: message})
}

// reportIn reports the first error in the subtree of i.
func (l *lowerer) reportIn(i uint32) {
	for c := i; c < l.nodes[i].next; c++ {
		n := &l.nodes[c]
		switch {
		case n.flags&flagMissing != 0:
			l.report(l.loc(c), "invalid syntax: "+quote(grammar.SymbolName(sitter.Symbol(n.symbol)))+" is missing here; the statement is not checked until it is added")
			return
		case l.kind(c) == kindError:
			l.report(l.loc(c), "invalid syntax near "+quote(l.text(c))+"; the statement is not checked until it is fixed")
			return
		}
	}
	l.report(l.loc(i), "invalid syntax in "+quote(l.text(i))+"; the statement is not checked until it is fixed")
}

// quote shortens source for a message.
func quote(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "..."
	}
	return "`" + s + "`"
}

func (l *lowerer) badStmt(i uint32, message string) ast.Stmt {
	l.report(l.loc(i), message)
	return &ast.BadStmt{Meta: l.meta(i)}
}

func (l *lowerer) badExpr(i uint32, message string) ast.Expr {
	l.report(l.loc(i), message)
	return &ast.BadExpr{Meta: l.meta(i)}
}
