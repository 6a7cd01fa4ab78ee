// Package actionsneverexplore is rule DIST050, actions-never-explore; rule.md says what it finds.
package actionsneverexplore

import (
	_ "embed"
	"slices"

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

// Analyzer reports training loops in which every action is the best one so far.
var Analyzer = pass.Rule(Doc, run)

// noises are draws by which a program explores other than by its actions: noisy layers, noise
// on parameters or observations. Where one is made anywhere, nothing is said.
var noises = []string{"randn", "randn_like", "rand", "rand_like", "normal", "uniform", "standard_normal", "bernoulli", "dropout", "Dropout", "NoisyLinear", "gumbel", "gumbel_softmax"}

func run(p *pass.Pass) {
	if len(p.Roles.Steps) == 0 || len(p.Roles.EnvSteps) == 0 || len(p.Made(noises...)) > 0 {
		return
	}
	var found []pass.Finding
	for _, step := range p.Roles.EnvSteps {
		if !updates(p, step) {
			continue
		}
		chosen := greedyAction(p, step)
		if chosen == nil {
			return // this one explores, and the others may be for evaluation
		}
		if !p.Roles.LearnsFrom(step) {
			continue // nothing is learnt from what it yields: where training data comes from is not seen
		}
		f := pass.At(step)
		f.Related = p.Here(chosen, "the action is always the best one here")
		found = append(found, f)
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
		if !best.Known() || !isBest(root, best) {
			return nil
		}
		if !ofTraining(p, best.Val) {
			return nil
		}
		chosen = best.Val
	}
	return chosen
}

// ofTraining reports whether a value is computed by a network that an optimizer holds, or may hold
// where it is not known what all of them do.
func ofTraining(p *pass.Pass, v *infer.Val) bool {
	all := !slices.ContainsFunc(p.Roles.Optimizers, func(o *roles.Optimizer) bool { return !o.Complete })
	return slices.ContainsFunc(p.Roles.Networks, func(n *roles.Network) bool { return (n.Trained || !all) && p.Roles.Uses(v, n) })
}

// isBest reports whether a value is the index of the largest: argmax, or the second that max
// along an axis yields.
func isBest(v, made query.Seen) bool {
	return len(made.In) > 0 && (made.IsOp("argmax") || made.IsOp("max") && v.Is(domain.Index)) && !isShifted(made.Input(0))
}

// isShifted reports whether an unknown value is added to scores: it may be drawn.
func isShifted(scores query.Seen) bool {
	sum := scores.Strip()
	if !sum.Known() || !sum.IsOp("add") || len(sum.In) < 2 {
		return false
	}
	return slices.ContainsFunc(sum.In[:2], func(x *infer.Val) bool { x = infer.Strip(x); return x == nil || x.Fn == nil && !x.Q.Kind.Known() })
}

// updates reports whether an optimizer steps in a loop around the environment's step.
func updates(p *pass.Pass, step *infer.Val) bool {
	return slices.ContainsFunc(p.Roles.Nest(query.PlaceOf(step)), p.Roles.Updates)
}
