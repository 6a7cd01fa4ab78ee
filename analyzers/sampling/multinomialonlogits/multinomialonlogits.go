// Package multinomialonlogits is rule DIST023, multinomial-on-logits; rule.md says what it finds.
package multinomialonlogits

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports draws whose weights are logits.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	told := map[*infer.Val]bool{}
	for _, v := range slices.Concat(p.Violations(), p.NamedViolations()) {
		if v.Arg.Q.Evidence == domain.NameOnly && p.MaskedScores(v.Arg) != nil {
			continue // better proof
		}
		told[v.Call] = true
		f := v.LogitsFinding()
		if v.Arg.Lib != infer.LibNumpy {
			f.Fix = p.OnArg(v, "Apply a softmax", "softmax(dim=-1)")
		}
		p.Report(f)
	}
	for _, draw := range p.Ops("torch.multinomial") {
		weights := draw.Arg("x")
		if mask := p.MaskedScores(weights); mask != nil && !told[draw] {
			p.Report(shown(draw, p.Here(mask, "masked here by a number below zero, as logits are")))
		} else if output := p.NegatedOutput(weights); output != nil && !told[draw] {
			f := shown(draw, p.Here(output, "what the network yields here is negated"))
			f.Message = "negated scores passed as sampling weights"
			p.Report(f)
		}
	}
}

// shown is the finding on weights that something shows to be scores, whatever they are.
func shown(draw *infer.Val, by []pass.Related) pass.Finding {
	f := pass.At(draw, draw.Arg("x"))
	f.Evidence, f.Related = domain.Derived, by
	return f
}
