// Package softupdatenoaverage is rule VAL060, soft-update-no-average; rule.md says what it finds.
package softupdatenoaverage

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports soft updates of which the shares do not add up to one.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	right := map[query.Place]bool{}
	var wrong []query.Place
	for _, t := range p.Roles.Transfers() {
		if inTraining(p, t.To.Val) {
			continue // no target: weights of a network in training may be shrunk and perturbed on purpose
		}
		at := query.PlaceOf(t.At.Val)
		if t.Mixed.Known() {
			at = query.PlaceOf(t.Mixed.Val)
		}
		if isAverage(t) {
			right[at] = true
		} else {
			wrong = append(wrong, at)
		}
	}
	for _, at := range wrong {
		if !right[at] {
			p.Report(pass.Finding{At: at.Node, Frame: at.Frame, Evidence: domain.Derived})
		}
	}
}

// near bounds the way from an optimizer back to what lists the parameters that it holds.
const near = 50

// inTraining reports whether an optimizer holds the weights of a network, also of one that something unknown made.
func inTraining(p *pass.Pass, net *infer.Val) bool {
	if n := p.Roles.Network(net); n != nil {
		return n.Trained || p.Roles.IsHeld(n)
	}
	held := false
	for _, o := range p.Roles.Optimizers {
		infer.Walk(o.Val, near, func(v *infer.Val) bool {
			held = held || net != nil && v.IsOp("parameters") && len(v.In) > 0 && infer.SameSource(v.In[0], net)
			return !held
		})
	}
	return held
}

// isAverage reports whether a transfer may be an average of weights: it adds no number to them, and their shares may
// add up to one.
func isAverage(t roles.Transfer) bool { return len(t.Offsets) == 0 && t.SumsToOne() }
