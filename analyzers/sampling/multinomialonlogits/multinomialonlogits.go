// Package multinomialonlogits is rule DIST023, multinomial-on-logits; rule.md says what it finds.
package multinomialonlogits

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports draws whose weights are logits.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		f := pass.At(v.Call, v.Arg)
		if v.Arg.Lib != infer.LibNumpy {
			f.Fix = p.OnArg(v, "Apply a softmax", "softmax(dim=-1)")
		}
		p.Report(f)
	}
}
