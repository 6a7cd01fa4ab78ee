// Package klmissinginloss is rule KL016, kl-missing-in-loss; rule.md says what it
// finds.
package klmissinginloss

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

// Analyzer reports evaluations of a reference model from which nothing reaches
// the loss or the reward, and KLs of a policy that are computed and dropped.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	var told []*roles.Fate
	for _, r := range p.Roles.References() {
		if !trains(p, r) || !p.Roles.SharesInput(r) {
			continue
		}
		fate := p.Roles.FateOf(r.Evaluations...)
		if fate.Matters() || !p.Roles.AboutPolicies(fate) {
			continue
		}
		told = append(told, fate)
		for _, at := range p.Roles.Marks(r) {
			p.Report(finding(p, r, at))
		}
	}
	for _, f := range p.Roles.ForgottenDivergences() {
		if !slices.ContainsFunc(told, func(t *roles.Fate) bool { return t.Vals[f.KL.Val] }) {
			p.Report(forgotten(f))
		}
	}
}

func forgotten(f roles.Forgotten) pass.Finding {
	out := pass.At(f.KL.Val, f.LogProb.Val)
	out.Message = "KL computed but not used in the loss or reward"
	out.Help = "add `beta * kl` to the loss, or remove the KL"
	return out
}

// trains reports whether a loss is made with the policy.
func trains(p *pass.Pass, r *roles.Reference) bool {
	return slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return p.Roles.Uses(l.Value.Val, r.Policy) })
}

func finding(p *pass.Pass, r *roles.Reference, at query.Place) pass.Finding {
	f := pass.Finding{At: at.Node, Frame: at.Frame, Evidence: domain.Derived}
	f.Related = p.Here(r.Val, "the reference model is created here")
	return f
}
