// Package backwardarity is rule GRAD006, backward-arity; rule.md says what it finds.
package backwardarity

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/words"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports backwards that return a different number of gradients than forward has
// inputs.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, fn := range p.Values.Functions {
		if query.HasSetupContext(fn) || fn.Forward.Func == nil || p.In(fn.Backward) == nil {
			continue
		}
		least, ok := required(fn)
		if !ok {
			continue
		}
		for _, r := range query.GradReturns(fn) {
			if r.Grads != nil && (len(r.Grads) < least || tooMany(fn, r)) {
				report(p, fn, r, least)
			}
		}
	}
}

// required is the number of inputs that every call of apply passes to forward; ok is false
// if some are keyword-only, which apply does not pass.
func required(fn *infer.Function) (n int, ok bool) {
	for _, param := range fn.Forward.Func.Def.Params.List[1:] {
		if param.Kind == ast.KwOnly {
			return 0, false
		}
		if param.Default == nil {
			n++
		}
	}
	return n, true
}

// tooMany reports whether there are gradients for inputs that forward does not have; extra
// None are not a mistake.
func tooMany(fn *infer.Function, r query.GradReturn) bool {
	for i, g := range r.Grads {
		if i >= len(fn.Inputs) && g != nil && !mayBeNone(g, 16) {
			return true
		}
	}
	return false
}

func mayBeNone(v *infer.Val, depth int) bool {
	v = infer.Strip(v)
	if v.Op == infer.OpPhi {
		if depth == 0 {
			return true
		}
		for _, x := range v.In {
			if mayBeNone(x, depth-1) {
				return true
			}
		}
	}
	return v.IsNone() || !v.Q.Kind.Known() && v.Fn == nil && v.Op != infer.OpParam
}

func report(p *pass.Pass, fn *infer.Function, r query.GradReturn, least int) {
	f := pass.Finding{
		At: r.Stmt.X, Frame: fn.Backward, Evidence: domain.Derived,
		Message: fmt.Sprintf("`backward` returns %s for %s of `forward`", words.Count(len(r.Grads), "gradient"), words.Count(len(fn.Inputs), "input")),
		Related: []pass.Related{{Source: p.In(fn.Forward), Node: fn.Forward.Func.Def.Params.List[len(fn.Inputs)], Message: "the last input of `forward`"}},
	}
	if len(r.Grads) < least && p.In(fn.Forward) != nil {
		f.Fix = padded(p, fn, r)
	}
	p.Report(f)
}

// padded appends None for the remaining inputs, most often settings after the tensors.
func padded(p *pass.Pass, fn *infer.Function, r query.GradReturn) *pass.Fix {
	src, none := p.In(fn.Backward), strings.Repeat(", None", len(fn.Inputs)-len(r.Grads))
	at := r.Stmt.X.Span().End
	if t, ok := r.Stmt.X.(*ast.Tuple); ok {
		if len(t.Elts) == 0 {
			return nil
		}
		at = t.Elts[len(t.Elts)-1].Span().End
	} else if _, ok := fn.Backward.Val(r.Stmt.X).Ref.(*infer.SeqRef); ok {
		return nil
	}
	if strings.HasPrefix(strings.TrimLeft(string(src.AST.Text[at:r.Stmt.Span().End]), " \t\n"), ")") {
		return nil // in parentheses of its own
	}
	return &pass.Fix{Message: "Return None for the remaining inputs", EveryContext: true, Edits: []pass.Edit{{Span: ast.Span{Start: at, End: at}, New: none}}}
}
