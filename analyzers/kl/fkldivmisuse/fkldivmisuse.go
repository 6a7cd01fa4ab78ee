// Package fkldivmisuse is rule KL005, f-kl-div-misuse; rule.md says what it finds.
package fkldivmisuse

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports arguments of kl_div of the wrong kind.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		f := pass.At(v.Call, v.Arg)
		f.Message = holds(v.Arg.Q.Kind) + " passed where `kl_div` needs log-probabilities"
		f.Help = "pass log-probabilities, such as `log_softmax` returns"
		if v.Contract.Arg == "target" {
			f.Message = holds(v.Arg.Q.Kind) + " passed as the target of `kl_div`"
			f.Help = "pass probabilities, or log-probabilities with `log_target=True`"
		}
		f.Severity, f.Fix = p.OfLoss(v.Call), fix(p, v)
		p.Report(f)
	}
}

func holds(k domain.Kind) string {
	switch {
	case k.Is(domain.LogProb):
		return "log-probabilities"
	case k.Is(domain.Prob):
		return "probabilities"
	}
	return "raw scores"
}

// fix takes the logarithm of probabilities, normalises raw scores, or declares the target
// as log-probabilities.
func fix(p *pass.Pass, v pass.Violation) *pass.Fix {
	isTarget := v.Contract.Arg == "target"
	switch {
	case isTarget && v.Arg.Is(domain.LogProb):
		call, ok := v.Call.Node.(*ast.Call)
		if !ok {
			return nil
		}
		return &pass.Fix{Message: "Declare the target as log-probabilities", Edits: p.In(v.Call.Frame).SetArg(call, -1, "log_target", "True")}
	case isTarget && v.Arg.Is(domain.Prob):
		return p.OnArg(v, "Take the logarithm of the probabilities", "log()")
	case isTarget:
		return p.OnArg(v, "Take the softmax of the scores", "softmax(dim=-1)")
	case v.Arg.Is(domain.Prob):
		return p.OnArg(v, "Take the logarithm of the probabilities", "log()")
	}
	return p.OnArg(v, "Take the log-softmax of the scores", "log_softmax(dim=-1)")
}
