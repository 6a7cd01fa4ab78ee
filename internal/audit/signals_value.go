package audit

import "github.com/rlvet/rlvet/internal/audit/record"

// explainedVariance judges the value function, once it had a third of the run to learn.
func explainedVariance(e *evidence) Signal {
	c, ok := e.curve(record.ExplainedVariance)
	if !ok && e.trainer("grpo", "rloo") {
		return unknown("%s has no value function", e.run.Trainer)
	}
	if !ok {
		return unknown("the explained variance of the value function is not logged")
	}
	borders := []border{alertUnder(-1), warnUnder(-0.01)}
	if e.run.Environment {
		borders = borders[1:] // where every episode is as good, returns do not vary, and nothing explains them
	}
	return e.unlessBetter(test{
		curve: c.after(e.first + (e.last-e.first)/3), what: "explained variance",
		borders: borders,
		basis:   "SB3's documentation: below 0 is worse than predicting 0; -0.01 and -1 are our choice",
		hurts:   "a value function worse than a constant adds noise to every advantage",
		help:    "check the returns (bootstrap at the end of an episode, scale of the reward), raise the value's learning rate, or train without a value function",
	}.signal(), "explained variance was")
}
