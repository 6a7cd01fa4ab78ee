// Package reluonhead is rule DIST012, relu-on-head; rule.md says what it finds.
package reluonhead

import (
	_ "embed"

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

// Analyzer reports outputs of a ReLU that are used as logits, action values or the width of a normal distribution.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.OfKind(domain.Distribution) {
		check(p, v, v.Arg("logits"), logits, always)
		check(p, v, p.See(v.Arg("scale")).WithoutEps().Val, width, always)
	}
	for _, v := range p.Made("softmax", "log_softmax") {
		check(p, v, first(v), logits, drawn)
	}
	for _, v := range p.Made("max", "amax", "gather") {
		check(p, v, first(v), values, bootstraps)
	}
}

// What the output of the ReLU is used as.
const (
	logits = "logits"
	values = "action values"
	width  = "the width of the policy"
)

// check reports the heads from which x comes if v, which was made of it, uses it as
// logits of a policy or as action values. Few values come from such a head, so what
// becomes of v is asked last.
func check(p *pass.Pass, v, x *infer.Val, what string, taken func(p *pass.Pass, v *infer.Val) bool) {
	if x == nil {
		return
	}
	for _, out := range query.Heads(p.See(x), "relu") {
		if taken(p, v) {
			p.Report(headFinding(p, out.Val, out.By, v, what))
		}
	}
}

func first(v *infer.Val) *infer.Val {
	if len(v.In) == 0 {
		return nil
	}
	return v.In[0]
}

func always(*pass.Pass, *infer.Val) bool { return true }

func headFinding(p *pass.Pass, v, relu, use *infer.Val, what string) pass.Finding {
	f := pass.At(relu)
	f.Evidence = domain.Derived
	switch what {
	case values:
		f.Why = "no action value can be negative, and an action whose unit is 0 in every state never gets a gradient again"
	case width:
		f.Severity = finding.Warning
		f.Why = "where its input is negative, the width is the constant that is added to it, and no gradient brings it back from there"
		f.Help = "use a function that is positive everywhere: `softplus(x)`, or the exponential of a log-std"
	}
	f.Related = p.Here(use, "the output is used as "+what+" here")
	e, ok := v.Node.(ast.Expr)
	operand := p.Operand(v, v.In[0])
	if ok && operand != nil && relu == v && what != width {
		src := p.In(v.Frame)
		f.Fix = &pass.Fix{Message: "Remove the ReLU", Edits: src.Replace(e, src.Operand(operand))}
	}
	return f
}
