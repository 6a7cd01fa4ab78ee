// Package steptwice is rule LOOP029, step-twice; rule.md says what it finds.
package steptwice

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports steps that an optimizer takes with gradients that it has used.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for _, order := range r.Orders {
		for _, s := range order.Events {
			h := r.Of(s).Of
			if !r.Is(s, roles.Steps) || h == nil || !h.Sure {
				continue
			}
			last := r.Last(s, h, roles.Computes, roles.Steps, roles.Zeroes, roles.Touches)
			if roles.Every(last, func(e *roles.Event) bool { return r.Surely(e, h, roles.Steps) && e.Place != s.Place }) {
				p.Report(pass.Finding{
					At: s.Node, Frame: s.Frame, Evidence: domain.Derived,
					Related: p.There(last[0].Place, "the same optimizer has stepped with these gradients here"),
				})
			}
		}
	}
}
