// Package argmaxinloss is rule GRAD014, argmax-in-loss; rule.md says what it
// finds.
package argmaxinloss

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports objectives that depend on a network by the index of its largest output only.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.Severed(roles.CutByIndex) {
		src := p.In(c.At.Frame)
		if src == nil || c.At.Node == nil {
			continue
		}
		f := pass.On(c.At.Val, fmt.Sprintf("%s is an index, which does not change with small changes of the network: %s and nothing is learned from it; "+
			"take the output itself, with gather() at the actions taken", src.Short(c.At.Node), c.Effect()), c.From.Val)
		f.Evidence = domain.Derived
		f.Related = p.BackwardOf(c.Loss)
		p.Report(f)
	}
}
