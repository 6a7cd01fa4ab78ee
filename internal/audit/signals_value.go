package audit

import "github.com/rlvet/rlvet/internal/audit/record"

// explainedVariance judges the value function, once it had a third of the run to learn.
func explainedVariance(e *evidence) Signal {
	c, ok := e.curve(record.ExplainedVariance)
	if !ok && e.trainer("grpo", "rloo") {
		return unknown("%s has no value function to judge", e.run.Trainer)
	}
	if !ok {
		return unknown("the explained variance of the value function is not logged")
	}
	return test{
		curve: c.after(e.first + (e.last-e.first)/3), what: "explained variance",
		borders: []border{alertUnder(-1), warnUnder(0)},
		basis:   "SB3's documentation: below 0 is worse than predicting 0; -1 is our proposal",
		hurts:   "a value function that is worse than a constant adds noise to each advantage",
		mend:    "see what the returns are made of (bootstrap at the end of an episode, scale of the reward), raise the value's learning rate, or do without it",
	}.signal()
}
