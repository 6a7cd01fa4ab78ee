// Package zeroedbeforestep is rule LOOP021, zeroed-before-step; rule.md says what it finds.
package zeroedbeforestep

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports gradients that are set to zero between backward and step.
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
			zeros := r.Last(s, h, roles.Zeroes, roles.Touches, roles.Computes, roles.Steps)
			if !roles.Every(zeros, func(z *roles.Event) bool { return r.Surely(z, h, roles.Zeroes) && throws(r, z, h) }) {
				continue
			}
			p.Report(pass.Finding{
				At: zeros[0].Node, Frame: zeros[0].Frame, Evidence: domain.Derived,
				Related: []pass.Related{{Source: p.In(s.Frame), Node: s.Node, Message: "this step has no gradients to use"}},
			})
		}
	}
}

// throws reports whether what comes before a zero_grad() is a backward pass, but where the program begins with it.
func throws(r *roles.Rounds, z *roles.Event, h *roles.Holder) bool {
	before := r.Last(z, h, roles.Zeroes, roles.Touches, roles.Computes, roles.Steps)
	isBackward := func(e *roles.Event) bool { return r.MayReach(e, h) }
	return slices.ContainsFunc(before, isBackward) && roles.Every(before, func(e *roles.Event) bool { return !e.Known() || isBackward(e) })
}
