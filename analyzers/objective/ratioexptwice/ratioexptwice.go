// Package ratioexptwice is rule OBJ021, ratio-exp-twice; rule.md says what it finds.
package ratioexptwice

import (
	_ "embed"

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

// Analyzer reports exponentials of ratios.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	clipped := map[*infer.Val]bool{}
	for _, s := range p.Roles.Surrogates() {
		for _, root := range s.Ratio.Roots() {
			clipped[root.Val] = true
		}
	}
	for _, v := range p.Made("exp", "pow") {
		outer := p.See(v)
		x := outer.Exponent()
		if !x.Known() || outer.Strip().Val != v {
			continue
		}
		proven := clipped[v]
		if query.AllRoots(x, func(s query.Seen) bool { return isRatio(s, proven) }) {
			report(p, v, x, proven)
		}
	}
}

// isRatio reports whether s is a ratio: the exponential of a log-ratio, or a quotient of
// probabilities. In a clipped objective, any difference counts as a log-ratio.
func isRatio(s query.Seen, clipped bool) bool {
	if x := s.Exponent(); x.Known() {
		return query.AllRoots(x, func(x query.Seen) bool {
			return x.Is(domain.LogRatio) || clipped && x.IsLogRatio()
		})
	}
	return s.IsOp("div") && isProb(s.Input(0)) && isProb(s.Input(1))
}

func isProb(s query.Seen) bool { return s.Is(domain.Prob) }

func report(p *pass.Pass, v *infer.Val, x query.Seen, clipped bool) {
	if p.In(v.Frame) == nil || v.Node == nil {
		return
	}
	f := pass.At(v, x.Val)
	if clipped {
		f.Evidence = domain.Derived
	}
	f.Fix = fix(p, v, x)
	p.Report(f)
}

// fix removes the outer exponential.
func fix(p *pass.Pass, v *infer.Val, x query.Seen) *pass.Fix {
	inner := p.Operand(v, x.Val)
	if e, ok := v.Node.(ast.Expr); !ok || inner == nil || e == inner {
		return nil
	}
	src := p.In(v.Frame)
	if call, ok := v.Node.(*ast.Call); ok {
		if at, ok := call.Fun.(*ast.Attribute); ok && at.X == inner && at.Attr == "exp_" {
			return nil // a statement of its own, with nothing to put in its place
		}
	}
	return &pass.Fix{Message: "Remove the outer exponential", Edits: src.Replace(v.Node, src.Operand(inner))}
}
