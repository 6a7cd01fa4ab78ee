// Package resetnottransformed is rule ENV067, reset-not-transformed; rule.md says what it finds.
package resetnottransformed

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

// Analyzer reports observations that only reset, or only step, transforms.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	reported := map[ast.Node]bool{}
	for _, x := range p.Roles.OtherFirsts() {
		if reported[x.Kept.Node] {
			continue
		}
		reported[x.Kept.Node] = true
		f := pass.Finding{
			At: x.Kept.Node, Frame: x.Kept.Frame, Evidence: domain.Derived,
			Related: append(p.Here(x.By.Val, "the other observations are transformed here"), p.There(x.At, "the network is given both here")...),
		}
		if x.Reset {
			f.Message = "reset's observation stays raw, that of step is transformed"
		} else {
			f.Message = "step's observation stays raw, that of reset is transformed"
		}
		p.Report(f)
	}
}
