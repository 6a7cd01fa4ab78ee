// Package answerparsedunguarded is rule RWD006, answer-parsed-unguarded; rule.md says what it finds.
package answerparsedunguarded

import (
	_ "embed"
	"regexp/syntax"
	"slices"

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

// Analyzer reports answers that are taken apart as if they had the right format.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, sc := range p.ScoringFrames {
		if p.In(f) == nil || sc.By.Name == "openrlhf" { // which goes on without the reward
			continue
		}
		for _, n := range f.Nodes() {
			e, ok := n.(ast.Expr)
			if !ok {
				continue
			}
			message, of := raises(f, e)
			if message == "" || query.Tested(f, of) || query.AskedOfAnswer(f.Val(e)) || query.TriedAbove(f, e) {
				continue
			}
			p.Report(pass.Finding{At: e, Frame: f, Evidence: domain.Derived, Message: message})
		}
	}
}

// raises says why an expression raises for some answer, and what it takes apart; "" for others.
func raises(f *infer.Frame, e ast.Expr) (message string, of ast.Expr) {
	switch n := e.(type) {
	case *ast.Call:
		if at, ok := n.Fun.(*ast.Attribute); ok && (at.Attr == "group" || at.Attr == "groups") && search(f, at.X) {
			return "an answer without a match has no `." + at.Attr + "()`", at.X
		}
		name, ok := n.Fun.(*ast.Name)
		if ok && (name.Ident == "float" || name.Ident == "int") && len(n.Args) == 1 && len(n.Keywords) == 0 && written(f, n.Args[0]) {
			return "what the model wrote may be no number", n.Args[0]
		}
	case *ast.Subscript:
		if search(f, n.X) {
			return "an answer without a match has no groups", n.X
		}
		call, ok := query.Made(f, n.X).(*ast.Call)
		if !ok || query.CalleeName(call) != "split" {
			return "", nil
		}
		at, ok := call.Fun.(*ast.Attribute)
		i, known := f.Val(n.Index).Int()
		if ok {
			if _, put := query.Made(f, at.X).(*ast.BinOp); put { // as of text + mark, which has the mark
				return "", nil
			}
		}
		if ok && known && i >= 1 && len(call.Args) > 0 && query.OfAnswer(f.Val(at.X)) {
			return "an answer without the separator has no such part", at.X
		}
	}
	return "", nil
}

// search reports whether an expression is what a search in an answer yields, which is None where there is no match.
func search(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	if !query.IsMatch(v) || !query.OfAnswer(v) {
		return false
	}
	if call, ok := query.Made(f, e).(*ast.Call); ok {
		if r, ok := query.RegexAt(f, call); ok {
			return r.Name == "fullmatch" || !everywhere(r.Pattern)
		}
	}
	return true
}

// everywhere reports whether a pattern matches each text, since it matches the empty one wherever it stands.
func everywhere(pattern string) bool {
	if pattern == "^.*$" {
		return true
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && mayBeEmpty(re, 40)
}

// mayBeEmpty reports whether an expression matches the empty text, and asks nothing of what stands around it.
func mayBeEmpty(re *syntax.Regexp, room int) bool {
	if room == 0 {
		return false
	}
	part := func(re *syntax.Regexp) bool { return mayBeEmpty(re, room-1) }
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpRepeat:
		return re.Min == 0 || part(re.Sub[0])
	case syntax.OpCapture, syntax.OpPlus:
		return part(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, part)
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(re *syntax.Regexp) bool { return !part(re) })
	}
	return false
}

// written reports whether an expression is a part of an answer as the model wrote it.
func written(f *infer.Frame, e ast.Expr) bool {
	if !query.OfAnswer(f.Val(e)) {
		return false
	}
	for room := 8; room > 0; room-- {
		switch n := query.Made(f, e).(type) {
		case *ast.Call:
			at, ok := n.Fun.(*ast.Attribute)
			if !ok {
				return false
			}
			switch at.Attr {
			case "strip", "lstrip", "rstrip", "lower", "removeprefix", "removesuffix":
				e = at.X
				continue
			case "group":
				call, ok := query.Made(f, at.X).(*ast.Call)
				if !ok {
					return false
				}
				r, ok := query.RegexAt(f, call)
				return ok && !r.OnlyDigits()
			}
			return false
		case *ast.Subscript:
			call, ok := query.Made(f, n.X).(*ast.Call)
			return ok && query.CalleeName(call) == "split"
		case *ast.Name:
			return f.Val(n) != nil && query.IsAnswer(f.Val(n)) && f.Val(n).Is(domain.Text)
		default:
			return false
		}
	}
	return false
}
