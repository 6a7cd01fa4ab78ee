// Package quantityasmask is rule TOK041, quantity-as-mask; rule.md says what it finds.
package quantityasmask

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports calls that hand over one value as a quantity and as the mask of it. A keyword's name is what the called function
// promises, whoever that is.
var Analyzer = pass.Rule(Doc, run)

// numbers are quantities that are no mask. A reward may be one, of what was solved, and so may the end of an episode.
const numbers = domain.Advantage | domain.Return | domain.StateValue | domain.LogProb | domain.LogRatio | domain.Ratio

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if len(call.Keywords) > 1 {
			check(p, f, call)
		}
	}
}

// check reports the first keyword for a mask that gets what another keyword of the call is for.
func check(p *pass.Pass, f *infer.Frame, call *ast.Call) {
	for _, mask := range call.Keywords {
		v := f.Val(mask.Value)
		if v == nil || v.Const != nil || !query.KindNamed(mask.Name).Is(domain.Mask) || v.May(domain.Mask) {
			continue
		}
		if right := quantity(f, call, mask, v); right != nil && !isPlaceholder(call, mask) {
			out := pass.Finding{
				At: mask.Value, Frame: f, Values: []*infer.Val{v}, Evidence: domain.Derived,
				Help:    fmt.Sprintf("pass the mask as `%s`", mask.Name),
				Related: []pass.Related{{Source: p.In(f), Node: right.Value, Message: "the same value is passed as `" + right.Name + "` here"}},
			}
			if !v.Is(numbers) {
				out.Severity = finding.Warning // the keyword alone says what it is
			}
			p.Report(out)
			return
		}
	}
}

// quantity is the keyword under which a call hands over v, the mask's value, as what it is: known to be that, or not known to be anything else.
func quantity(f *infer.Frame, call *ast.Call, mask *ast.Keyword, v *infer.Val) *ast.Keyword {
	for _, k := range call.Keywords {
		kind := query.KindNamed(k.Name)
		if kind == 0 || !kind.Is(numbers) {
			continue
		}
		if v.Is(kind) && infer.SameSource(f.Val(k.Value), v) || !v.Q.Kind.Known() && oneName(k.Value, mask.Value) {
			return k
		}
	}
	return nil
}

// isPlaceholder reports whether a call passes one variable for three things or more: an empty tensor that stands for all of them.
func isPlaceholder(call *ast.Call, mask *ast.Keyword) bool {
	n := 0
	for _, k := range call.Keywords {
		if oneName(k.Value, mask.Value) {
			n++
		}
	}
	return n > 2
}

// oneName reports whether two arguments of a call are one variable: of what is not known, values may be one without being the same.
func oneName(a, b ast.Expr) bool {
	x, ok1 := a.(*ast.Name)
	y, ok2 := b.(*ast.Name)
	return ok1 && ok2 && x.Ident == y.Ident
}
