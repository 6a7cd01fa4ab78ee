// Package refwithgrad is rule KL008, ref-with-grad; rule.md says what it finds.
package refwithgrad

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports reference models through which gradients of the loss flow.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, r := range p.Roles.References() {
		if r.Frozen || r.CopyOf == nil || !p.Roles.SharesInput(r) {
			continue
		}
		if !inLoss(p, r) {
			continue
		}
		for _, at := range p.Roles.Marks(r) {
			if p.In(at.Frame) != nil {
				f := pass.Finding{
					At: at.Node, Frame: at.Frame, Evidence: domain.Derived,
					Related: p.Here(r.Val, "the reference is made here, and takes gradients"),
				}
				if isTarget(p, r) {
					f.Message = "gradients of the loss flow through the target network"
					f.Related = p.Here(r.Val, "the target network is made here, and takes gradients")
				}
				p.Report(f)
				break
			}
		}
	}
}

// isTarget reports whether people call a reference a target network: a critic is trained
// towards a share of what it yields.
func isTarget(p *pass.Pass, r *roles.Reference) bool {
	return slices.ContainsFunc(p.Roles.Bootstraps(), func(b roles.Bootstrap) bool { return b.Target == r.Network })
}

// inLoss reports whether a loss sends gradients to an evaluation of a reference.
func inLoss(p *pass.Pass, r *roles.Reference) bool {
	for _, v := range r.Evaluations {
		if v.Q.Grad != domain.Attached || v.NoGrad || v.Node == nil {
			continue
		}
		for _, l := range p.Roles.Losses() {
			if l.Value.Known() && query.GraphHolds(l.Value.Val, v) {
				return true
			}
		}
	}
	return false
}
