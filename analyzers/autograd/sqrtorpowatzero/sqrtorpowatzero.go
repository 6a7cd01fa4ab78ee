// Package sqrtorpowatzero is rule GRAD009, sqrt-or-pow-at-zero; rule.md says what it
// finds.
package sqrtorpowatzero

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

// Analyzer reports roots of values that are exactly 0 in some places.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("sqrt", "pow") {
		if v.Q.Grad != domain.Attached {
			continue
		}
		s, ok := query.SingularOf(v)
		if !ok || !isRoot(v) || s.Arg.Q.Range.NonZero || p.Protected(v) {
			continue
		}
		if why := zeroIn(p, s.Arg, 8); why != "" {
			report(p, s, why)
		}
	}
}

// isRoot reports whether v is a power between 0 and 1.
func isRoot(v *infer.Val) bool {
	if v.IsOp("sqrt") {
		return true
	}
	exponent, ok := v.In[1].Float()
	return ok && exponent > 0 && exponent < 1
}

func report(p *pass.Pass, s query.Singular, why string) {
	src := p.In(s.Op.Frame)
	if src == nil || s.Op.Node == nil {
		return
	}
	f := pass.At(s.Op, s.Arg)
	f.Why = why + ", so the gradient is inf * 0, which is NaN"
	if arg := p.Operand(s.Op, s.Arg); arg != nil {
		f.Fix = &pass.Fix{Message: "Add an epsilon under the root", EveryContext: true, Edits: src.Operate(arg, ast.Add, "1e-8")}
	}
	p.Report(f)
}
