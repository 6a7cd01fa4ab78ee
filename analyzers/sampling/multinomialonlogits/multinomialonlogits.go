// Package multinomialonlogits is rule DIST023, multinomial-on-logits; rule.md says what it finds.
package multinomialonlogits

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

// Analyzer reports draws whose weights are raw scores.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		name := p.ArgText(v, "this")
		f := pass.On(v.Call, fmt.Sprintf("%s holds raw scores, and `%s` takes weights that are not negative: it raises at the first negative score, and while "+
			"all are positive actions are drawn in proportion to the scores; take the softmax of the scores first", name, infer.BaseOp(v.Call.Op)), v.Arg)
		if v.Arg.Lib != infer.LibNumpy {
			f.Fix = p.OnArg(v, "Take the softmax of the scores", "softmax(dim=-1)")
		}
		p.Report(f)
	}
}
