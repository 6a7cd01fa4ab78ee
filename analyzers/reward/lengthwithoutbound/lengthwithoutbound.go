// Package lengthwithoutbound is rule RWD007, length-without-bound; rule.md says what it finds.
package lengthwithoutbound

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports rewards that grow with the length of the answer without a bound.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, sc := range p.Scored() {
		f := sc.Frame
		if p.In(f) == nil {
			continue
		}
		for _, e := range query.Rewards(f, sc) {
			if grows(f, e, 8) {
				out := pass.Finding{At: e, Frame: f, Evidence: domain.Derived}
				if meansLess(f) {
					out.Help = "subtract the length, if longer answers are to score lower, and set a bound"
				}
				p.Report(out)
				break
			}
		}
	}
}

// grows reports whether an expression is the length of an answer, times or plus constants.
func grows(f *infer.Frame, e ast.Expr, room int) bool {
	if room == 0 {
		return false
	}
	switch n := query.Made(f, e).(type) {
	case *ast.Call:
		name, ok := n.Fun.(*ast.Name)
		if !ok || len(n.Args) == 0 {
			return false
		}
		switch name.Ident {
		case "float", "int", "round":
			return grows(f, n.Args[0], room-1)
		case "len":
			return measures(f, n.Args[0])
		}
	case *ast.BinOp:
		switch n.Op {
		case ast.Mult:
			return grows(f, n.X, room-1) && positive(f, n.Y) || grows(f, n.Y, room-1) && positive(f, n.X)
		case ast.Add:
			return grows(f, n.X, room-1) && positive(f, n.Y) || grows(f, n.Y, room-1) && positive(f, n.X)
		case ast.Div:
			return grows(f, n.X, room-1) && positive(f, n.Y)
		}
	}
	return false
}

// less are words of people who want long answers to score lower.
var less = regexp.MustCompile(`(?i)penal|\bshort|\bbrief|\bbrev|\bconcis|\blower\b|verbos`)

// meansLess reports whether the names and the docstring of a function say that the longer an answer is, the lower is its score: what
// a person meant no value tells, and only the help goes by it.
func meansLess(f *infer.Frame) bool {
	if f.Func == nil || f.Func.Def == nil {
		return false
	}
	found := less.MatchString(strings.ReplaceAll(f.Func.Def.Name, "_", " "))
	ast.WalkStmts(f.Func.Def.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			text, ok := n.X.(*ast.String)
			found = found || ok && less.MatchString(text.Value)
		case *ast.Name:
			found = found || less.MatchString(strings.ReplaceAll(n.Ident, "_", " "))
		}
		return !found
	})
	return found
}

// measures reports whether what is measured is an answer as text, or its words.
func measures(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	if !query.OfAnswer(v) {
		return false
	}
	if call, ok := query.Made(f, e).(*ast.Call); ok {
		at, ok := call.Fun.(*ast.Attribute)
		return ok && (at.Attr == "split" || at.Attr == "strip") && len(call.Args) == 0
	}
	return query.IsAnswer(v) && !isList(v)
}

func isList(v *infer.Val) bool {
	_, list := infer.RefOf(infer.Strip(v)).(*infer.SeqRef)
	return list
}

func positive(f *infer.Frame, e ast.Expr) bool {
	number, ok := f.Val(e).Float()
	return ok && number > 0
}
