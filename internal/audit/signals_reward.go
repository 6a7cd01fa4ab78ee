package audit

import (
	"fmt"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// reward is the proxy that training maximises.
func (e *evidence) reward() (curve, bool) {
	if c, ok := e.curve(record.Reward); ok {
		return c, true
	}
	if c, ok := e.texts.curve(textReward); ok {
		return c, true
	}
	return e.curve(record.RewardPenalised)
}

// rewardSpread judges what is left of the reward's standard deviation.
func rewardSpread(e *evidence) Signal {
	c, ok := e.curve(record.RewardStd)
	if !ok {
		return unknown("the standard deviation of the reward is not logged")
	}
	if !(c.start.mean > 0) {
		return unknown("%s is 0 at the start: all rewards are equal, so there is nothing to compare with", c.name)
	}
	return e.ceiling(test{
		curve: c.share(), share: true, what: "standard deviation of the reward relative to the start",
		borders: []border{alertUnder(0.05), warnUnder(0.2)}, basis: "rewardspy: 0.2 and 0.05 of the early window",
		hurts: "equal rewards give advantages that are noise divided by a standard deviation near 0",
		help:  "check whether the reward is at its maximum or all answers became the same; harder prompts bring the spread back",
	}.signal())
}

// ceiling makes a warning of rewards that became all alike while they rose: then most prompts
// are solved, or what the reward likes was found; either way a checkpoint is no worse for it,
// and other signals tell the two apart.
func (e *evidence) ceiling(s Signal) Signal {
	reward, ok := e.reward()
	if s.Level != Alert || !ok || s.Step == nil {
		return s
	}
	reward.points = reward.points[:len(reward.points)-len(reward.after(*s.Step+1).points)] // what comes later changes nothing
	if !reward.rose(e.first, *s.Step) {
		return s
	}
	end, _ := last(reward)
	s.Level, s.Spans = Warn, nil
	s.Note += fmt.Sprintf("; the reward rose from %s to %s meanwhile, so it may be at its maximum, and no checkpoint is excluded for this", short(reward.start.mean), short(end))
	return s
}

// zeroGroups judges the share of groups that teach nothing.
func zeroGroups(e *evidence) Signal {
	c, ok := e.curve(record.ZeroStdGroups)
	if !ok {
		return unknown("the share of groups whose rewards are all equal is not logged")
	}
	return e.ceiling(test{
		curve: c, what: "share of groups whose rewards are all equal",
		borders: []border{alertOver(0.8), warnOver(0.5)}, basis: "rewardspy: 0.5; 0.8 is our choice",
		hurts: "such a group has no advantage: this share of the batch is computed and teaches nothing",
		help:  "filter out prompts that are always or never solved, sample more answers per prompt, or raise the temperature",
	}.signal())
}

// disagreement judges how far an ensemble of reward models is apart.
func disagreement(e *evidence) Signal {
	c, ok := e.curve(record.RewardDisagreement)
	if !ok {
		return unknown("no standard deviation over an ensemble of reward models is logged")
	}
	if !(c.start.mean > 0) {
		return unknown("%s is 0 at the start, so there is nothing to compare with", c.name)
	}
	noise := 1 + 3*c.start.std/c.start.mean
	return test{
		curve: c.share(), share: true, what: "disagreement of the reward models relative to the start",
		borders: []border{alertOver(beyond(4, noise, false)), warnOver(beyond(2, noise, false))},
		basis:   "Coste et al. 2024: disagreement of an ensemble shows over-optimisation; 2 and 4 times the start are our choice",
		hurts:   "reward models agree on text like their training data; where they disagree, one of them is being exploited",
		help:    "train on the lowest score of the ensemble, " + raiseKL + ", or take an earlier checkpoint",
	}.signal()
}
