// Package doublesoftmax is rule DIST002, double-softmax; rule.md says what it
// finds.
package doublesoftmax

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports probabilities that are passed as logits and normalised again.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		first := infer.Strip(v.Arg)
		if isDistribution(v) && p.Chosen(v, "probs") {
			continue
		}
		if first.IsOp("sigmoid") && !v.Call.IsOp("Bernoulli") {
			continue // a gate in 0..1 is a logit like any other
		}
		f := pass.At(v.Call, v.Arg)
		if isDistribution(v) {
			f.Help = "write `probs=`, or pass the logits from before the softmax"
		}
		f.Severity, f.Fix = p.OfLoss(v.Call), fix(p, v, first)
		p.Report(f)
	}
}

// isDistribution reports whether the call also has a parameter for probabilities.
func isDistribution(v pass.Violation) bool { return v.Contract.Arg == "logits" }

// fix passes the probabilities as such, or removes the first softmax where it stands
// in the call.
func fix(p *pass.Pass, v pass.Violation, first *infer.Val) *pass.Fix {
	if isDistribution(v) {
		if edits := p.Rename(v.Call, v.Arg, "probs"); edits != nil {
			return &pass.Fix{Message: "Pass them as `probs`", Edits: edits}
		}
		return nil
	}
	e := p.Operand(v.Call, v.Arg)
	if e == nil || first != v.Arg || !first.IsOp("softmax") || first.Node != e || len(first.In) == 0 {
		return nil
	}
	logits := p.Operand(first, first.In[0])
	if logits == nil {
		return nil
	}
	src := p.In(v.Call.Frame)
	return &pass.Fix{Message: "Pass the logits", Edits: src.Replace(e, src.Operand(logits))}
}
