// Package duplicateparams is rule LOOP008, duplicate-params; rule.md says what it finds.
package duplicateparams

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports optimizers that are given one network twice.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	for _, o := range p.Roles.Optimizers {
		if pair := p.Roles.HeldTwice(o); pair != nil {
			f := pass.At(o.Val)
			f.Evidence = domain.Derived
			f.Related = append(p.Here(pair.First, "these parameters"), p.Here(pair.Second, "are among these as well")...)
			p.Report(f)
		}
	}
}
