// Package inputsscaleddifferently is rule ENV066, inputs-scaled-differently; rule.md says what it finds.
package inputsscaleddifferently

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

// Analyzer reports networks that are given one value at two scales.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	reported := map[ast.Node]bool{}
	for _, x := range p.Roles.TwoScales() {
		if reported[x.Kept.At.Node] {
			continue
		}
		reported[x.Kept.At.Node] = true
		p.Report(pass.Finding{
			At: x.Kept.At.Node, Frame: x.Kept.At.Frame, Evidence: domain.Derived,
			Related: append(p.Here(x.By.Val, "the numbers are changed here"), p.There(x.Changed.At, "and the same network is given them here")...),
		})
	}
}
