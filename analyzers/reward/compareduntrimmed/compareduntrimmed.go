// Package compareduntrimmed is rule RWD010, compared-untrimmed; rule.md says what it finds.
package compareduntrimmed

import (
	_ "embed"
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

// Analyzer reports answers that are compared with the blanks around them.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f := range p.ScoringFrames {
		if p.In(f) == nil {
			continue
		}
		for _, n := range f.Nodes() {
			c, ok := n.(*ast.Compare)
			if !ok || len(c.Ops) != 1 || c.Ops[0] != ast.Eq {
				continue
			}
			if untrimmed(f, c.X) && !constant(f, c.Ys[0]) || untrimmed(f, c.Ys[0]) && !constant(f, c.X) {
				p.Report(pass.Finding{At: c, Frame: f, Evidence: domain.Derived})
			}
		}
	}
}

// constant reports whether the other side is a text of the program: a length or a fixed word says nothing of blanks.
func constant(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	return v == nil || v.Const != nil || query.OfAnswer(v)
}

// untrimmed reports whether an expression is a part of an answer as it was cut out: between tags, or behind a separator.
func untrimmed(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	if !query.OfAnswer(v) || v.Ref != nil {
		return false
	}
	switch n := query.Made(f, e).(type) {
	case *ast.Subscript:
		call, ok := query.Made(f, n.X).(*ast.Call)
		return ok && query.CalleeName(call) == "split" && len(call.Args) > 0 && separates(f, call.Args[0])
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		if !ok || at.Attr != "group" {
			return false
		}
		call, ok := query.Made(f, at.X).(*ast.Call)
		if !ok {
			return false
		}
		r, ok := query.RegexAt(f, call)
		return ok && betweenTags(r.Pattern)
	}
	return false
}

// separates reports whether a separator leaves blanks around what it separates: a tag or a mark, and no blank itself.
func separates(f *infer.Frame, e ast.Expr) bool {
	text, ok := f.Val(e).Str()
	return ok && text != "" && strings.TrimSpace(text) == text && (strings.HasSuffix(text, ">") || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "#"))
}

// betweenTags reports whether the group of a pattern takes all between two tags, blanks too.
func betweenTags(pattern string) bool {
	for _, group := range []string{"(.*?)", "(.+?)", "(.*)", "(.+)", `([\s\S]*?)`, "([^<]*)", "([^<]+)"} {
		if before, after, found := strings.Cut(pattern, group); found {
			return strings.HasSuffix(before, ">") && strings.HasPrefix(after, "<")
		}
	}
	return false
}
