// Package temperaturemismatch is rule DIST014, temperature-mismatch; rule.md says what it finds.
package temperaturemismatch

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports log-probabilities of sampled tokens that leave out the temperature at which the tokens were sampled.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	told := map[ast.Node]bool{}
	for _, s := range p.Roles.Scorings() {
		compare(p, s, told)
	}
	for _, r := range p.Roles.Rollouts() {
		if greedy := p.Roles.Setting(r.Call, "do_sample"); greedy == nil || greedy.Const != false {
			check(p, r, p.Roles.Setting(r.Call, "temperature"), told)
		}
	}
	for _, r := range p.Roles.OwnRollouts() {
		check(p, r, p.Temperature(r.Call), told)
	}
}

// compare reports a ratio if one side has a temperature, or a mask of actions, and the other has none.
func compare(p *pass.Pass, s roles.Scoring, told map[ast.Node]bool) {
	now, then := s.OfNow, s.OfThen
	f := pass.At(s.Now.Val)
	f.Evidence = domain.Derived
	switch {
	case told[f.At]:
		return
	case then.Temperature.Known() && !now.Temperature.Known():
		t, _ := then.Temperature.Float()
		f.Why = fmt.Sprintf("actions are drawn from softmax(logits / %g) and scored by softmax(logits): the ratio is not 1 before the first step", t)
		f.Help = fmt.Sprintf("divide the logits by %g here too", t)
		f.Related = p.Here(then.Temperature.Val, "the temperature of the draws")
	case then.Mask.Known() && !now.Mask.Known():
		f.Message = "mask of the actions is missing from the log-probs of the update"
		f.Why = "the ratio compares a distribution over all actions with one over those that were allowed: it is not 1 before the first step"
		f.Help = "keep the mask of each step with its action, and mask the logits here too"
		f.Related = p.Here(then.Mask.Val, "the mask of the draws")
	default:
		return
	}
	told[f.At] = true
	p.Report(f)
}

// check reports where the loss takes the log-probabilities of what was sampled at a temperature, if no way to them has one.
func check(p *pass.Pass, r roles.Rollout, temperature *infer.Val, told map[ast.Node]bool) {
	t, ok := temperature.Float()
	if !ok || t <= 0 || math.Abs(t-1) < negligible {
		return
	}
	var plain []query.Pick
	for _, pick := range p.Picks() {
		if !r.Trains(pick) || pick.Scores.Strip().IsOp("gather", "take_along_dim") { // those of the positions that count
			continue
		}
		divided, known := pick.Scores.AtTemperature()
		if divided || !known {
			return
		}
		plain = append(plain, pick)
	}
	for _, pick := range plain {
		if told[pick.At.Node] {
			continue
		}
		told[pick.At.Node] = true
		f := pass.At(pick.At)
		f.Evidence = domain.Derived
		f.Why = fmt.Sprintf("tokens were drawn from softmax(logits / %g) and are scored by softmax(logits): what is improved is not the policy that wrote them", t)
		f.Help = fmt.Sprintf("divide the logits by %g here too, for the old and the reference policy as well, or sample at a temperature of 1", t)
		f.Related = p.Here(temperature, "the temperature of the samples")
		p.Report(f)
	}
}

// negligible is a difference of temperatures that nobody would see.
const negligible = 1e-3
