// Package logprobnotsummed is rule DIST003, logprob-not-summed; rule.md says what it finds.
package logprobnotsummed

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

// Analyzer reports log-densities of each dimension of an action that meet a number for the action as a whole.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	found := p.NotSummed()
	if len(found) == 0 || p.ActsInOneDimension() {
		return
	}
	told := map[ast.Node]bool{} // a log-density is summed, or not, where it is computed
	for _, x := range found {
		if told[x.LogProb.Node] {
			continue
		}
		told[x.LogProb.Node] = true
		f := pass.At(x.At, x.Each)
		f.Evidence = domain.Derived
		f.Related = append(p.Here(x.LogProb, "one number for each dimension of the action"), p.Here(x.Whole, "one number for the action")...)
		p.Report(f)
	}
}
