// Package multinomialonlogprobs is rule DIST024, multinomial-on-log-probs; rule.md says what it finds.
package multinomialonlogprobs

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports draws whose weights are log-probabilities.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		if isShare(p.See(v.Arg)) {
			continue
		}
		f := pass.At(v.Call, v.Arg)
		f.Fix = fix(p, v)
		p.Report(f)
	}
}

// isShare reports whether weights are a quotient of two values that are never positive, such as each log-probability over their sum. That
// is a surprise in 0..1: the unlikely is meant to be drawn more often.
func isShare(s query.Seen) bool {
	s = s.Strip()
	return s.Known() && s.IsOp("div") && len(s.In) > 1 && s.Input(0).Q.Range.NonPositive() && s.Input(1).Q.Range.NonPositive()
}

// fix exponentiates the weights with the library they belong to.
func fix(p *pass.Pass, v pass.Violation) *pass.Fix {
	const message = "Exponentiate the log-probabilities"
	e := p.Operand(v.Call, v.Arg)
	if v.Arg.Lib != infer.LibNumpy || e == nil {
		return p.OnArg(v, message, "exp()")
	}
	src := p.In(v.Call.Frame)
	exp, imports := src.Spell("numpy.exp")
	return &pass.Fix{Message: message, Edits: src.Wrap(e, exp+"(", ")"), Imports: imports}
}
