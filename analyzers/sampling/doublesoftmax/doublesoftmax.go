// Package doublesoftmax is rule DIST002, double-softmax; rule.md says what it
// finds.
package doublesoftmax

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports probabilities that are taken for raw scores and normalised
// once more.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		first := infer.Strip(v.Arg)
		if first.IsOp("sigmoid") && !v.Call.IsOp("Bernoulli") {
			continue // a gate in 0..1 is a score like any other
		}
		f := pass.On(v.Call, fmt.Sprintf("%s already holds probabilities, and `%s` takes the softmax of it once more: probabilities differ by 1 at most, so "+
			"what comes out is nearly uniform however sure the network is, and entropy stays high; %s",
			p.ArgText(v, "this"), infer.BaseOp(v.Call.Op), advice(v)), v.Arg)
		f.Fix = fix(p, v, first)
		p.Report(f)
	}
}

// isDistribution reports whether the call is one that takes probabilities by
// another name.
func isDistribution(v pass.Violation) bool { return v.Contract.Arg == "logits" }

func advice(v pass.Violation) string {
	if isDistribution(v) {
		return "write `probs=`, or pass the scores from before the softmax"
	}
	return "pass the scores from before the softmax"
}

// fix passes the probabilities for what they are, or takes the first softmax
// away where it stands in the call.
func fix(p *pass.Pass, v pass.Violation, first *infer.Val) *pass.Fix {
	if isDistribution(v) {
		if edits := p.Rename(v.Call, v.Arg, "probs"); edits != nil {
			return &pass.Fix{Message: "Pass it as probabilities", Edits: edits}
		}
		return nil
	}
	e := p.Operand(v.Call, v.Arg)
	if e == nil || first != v.Arg || !first.IsOp("softmax") || first.Node != e || len(first.In) == 0 {
		return nil
	}
	scores := p.Operand(first, first.In[0])
	if scores == nil {
		return nil
	}
	src := p.In(v.Call.Frame)
	return &pass.Fix{Message: "Pass the scores", Edits: src.Replace(e, src.Operand(scores))}
}
