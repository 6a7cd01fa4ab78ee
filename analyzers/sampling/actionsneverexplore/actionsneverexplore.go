// Package actionsneverexplore is rule DIST050, actions-never-explore; rule.md says what it finds.
package actionsneverexplore

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports training loops in which every action is the best one so far.
var Analyzer = pass.Rule(Doc, run)

// noises are draws by which a program explores other than by its actions: noisy layers, noise
// on parameters or observations. Where one is made anywhere, nothing is said.
var noises = []string{"randn", "randn_like", "rand", "rand_like", "normal", "uniform", "standard_normal", "bernoulli", "dropout", "Dropout", "NoisyLinear", "gumbel"}

func run(p *pass.Pass) {
	if len(p.Roles.Steps) == 0 || len(p.Roles.EnvSteps) == 0 || len(p.Made(noises...)) > 0 {
		return
	}
	var found []pass.Finding
	for _, step := range p.Roles.EnvSteps {
		chosen := greedyAction(p, step)
		if chosen == nil {
			return // one environment is explored, and another one may be for evaluation
		}
		if updates(p, step) {
			f := pass.At(step)
			f.Related = p.Here(chosen, "the action is always the best one here")
			found = append(found, f)
		}
	}
	for _, f := range found {
		p.Report(f)
	}
}

// greedyAction returns the argmax that decides on the action of a step, of what a network in
// training yields; nil where any action may be another one.
func greedyAction(p *pass.Pass, step *infer.Val) (chosen *infer.Val) {
	if len(step.In) < 2 || infer.BaseOp(step.Op) != "step" {
		return nil
	}
	for root := range p.See(step.In[1]).EachRoot {
		best := root.Strip()
		if !best.Known() || !best.IsOp("argmax") || len(best.In) == 0 {
			return nil
		}
		if !slices.ContainsFunc(p.Roles.Networks, func(n *roles.Network) bool { return n.Trained && p.Roles.Uses(best.Val, n) }) {
			return nil
		}
		chosen = best.Val
	}
	return chosen
}

// updates reports whether an optimizer steps in a loop around the environment's step.
func updates(p *pass.Pass, step *infer.Val) bool {
	return slices.ContainsFunc(p.Roles.Nest(query.PlaceOf(step)), p.Roles.Updates)
}
