package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// onePolicy is the trap of trainers that update once on each batch.
const onePolicy = "each batch is used for one update, so the ratio is 1 and nothing is clipped, whatever happens; look at the KL to the reference and the entropy instead"

// entropyCollapse judges what is left of the entropy that the run began with.
func entropyCollapse(e *evidence) Signal {
	c, ok := e.entropy()
	if !ok {
		if sum, logged := e.curve(record.Entropy, record.NatsPerSequence); logged {
			return unknown("%s is a sum over the sequence, which grows with the answers; log the mean over tokens, or the tokens of the completions", sum.name)
		}
		return unknown("the entropy of the policy is not logged; log its mean over tokens or actions")
	}
	if c.trap != "" && c.unit == record.NatsPerSequence {
		return unknown("%s says nothing: %s; log the mean over the tokens of responses", c.name, c.trap)
	}
	if c.start.mean <= 0 {
		return unknown("%s begins at %s: the entropy of a continuous distribution can be negative, so its share of the start means nothing", c.name, short(c.start.mean))
	}
	if e.run.Environment {
		return e.sureness(c)
	}
	return e.entropyLeft(c)
}

// sureness judges the entropy where the policy acts in an environment: there the best policy
// may be sure of everything, so that a fall counts only where the reward did not rise, and
// never disqualifies.
func (e *evidence) sureness(c curve) Signal {
	if i := slices.IndexFunc(c.points, func(p record.Point) bool { return p.Value < 0 }); i >= 0 {
		return unknown("%s is %s at step %d: the entropy of a continuous distribution can be negative, so its share of the start means nothing", c.name, short(c.points[i].Value), c.points[i].Step)
	}
	return e.unlessBetter(e.entropyLeft(c), "entropy relative to the start fell to")
}

// unlessBetter takes back, where the policy acts in an environment, what harmed nothing: the
// reward rose all the same. What is left of it warns.
func (e *evidence) unlessBetter(s Signal, what string) Signal {
	if !e.run.Environment || s.Level != Alert && s.Level != Warn {
		return s
	}
	s.Level, s.Spans = Warn, nil
	if reward, ok := e.reward(); ok && reward.rose(e.first, e.last) {
		end, _ := last(reward)
		s.Level, s.Step, s.Why, s.Help = OK, nil, "", ""
		s.Note = fmt.Sprintf("%s %s while the reward rose from %s to %s, which is normal for a policy that has learned the task", what, short(*s.Value), short(reward.start.mean), short(end))
	}
	return s
}

func (e *evidence) entropyLeft(c curve) Signal {
	noise := c.start.std / c.start.mean
	return test{
		curve: c.share(), share: true, what: "entropy relative to the start",
		borders: []border{alertUnder(0.1), warnUnder(beyond(0.5, 1-3*noise, true))},
		basis:   "common practice: below half of the start is low, below a tenth is a collapse",
		hurts:   "the policy no longer explores: all samples are alike, and the gradient vanishes",
		help:    "raise the entropy bonus or the temperature, lower the learning rate, or take an earlier checkpoint",
	}.signal()
}

// entropy is the mean over tokens or actions; of a sum over the sequence it is made by the tokens
// of the completions. What hides something comes last.
func (e *evidence) entropy() (curve, bool) {
	c, ok := e.curve(record.Entropy, record.NatsPerToken, record.Nats, "")
	if ok && c.trap == "" {
		return c, true
	}
	if sum, logged := e.curve(record.Entropy, record.NatsPerSequence); logged && sum.trap == "" {
		if tokens, counted := e.length(); counted && tokens.unit == record.Tokens {
			return sum.over(tokens, e.early(), (e.last-e.first)/20), true
		}
	} else if logged && !ok {
		return sum, true
	}
	return c, ok
}

// over divides sums over the sequence by the tokens next to each step, as far as they are known.
func (c curve) over(tokens curve, early, reach int64) curve {
	var points []record.Point
	for _, p := range c.points {
		if n := mean(tokens.near(p.Step, reach)); n > 0 {
			points = append(points, record.Point{Step: p.Step, Value: p.Value / n, Count: p.Count})
		}
	}
	c.points, c.unit, c.basis = points, record.NatsPerToken, "summed over the sequence, by its mean tokens"
	c.start = startOf(points, early)
	return c
}

// clipFraction judges the share of ratios beyond the clip.
func clipFraction(e *evidence) Signal {
	c, ok := e.curve(record.ClipFraction)
	if !ok {
		return unknown("the clip fraction is not logged; log the share of ratios that the clip cut off")
	}
	if c.constant(0) {
		return e.constant(c)
	}
	if at := c.points[0].Value; c.constant(at) && len(c.points) >= fewestValues {
		return unknown("%s is %s at every step, as no measured share is; check how it is computed", c.name, short(at))
	}
	c.trap = "" // what hides clipping makes it 0 at every step
	return test{
		curve: c, what: "clip fraction", borders: []border{alertOver(0.5), warnOver(0.3)},
		basis: "common practice: 0.05 to 0.3; dropout left on in the policy gave 0.54",
		hurts: "most of the batch has no gradient, so a few samples make the step",
		help:  "lower the learning rate or the number of epochs; if it is high from the start, compare the log-probs of rollout and update (dropout, temperature, padding, attention mask)",
	}.signal()
}

// approxKL judges how far one batch's updates move the policy.
func approxKL(e *evidence) Signal {
	c, ok := e.curve(record.ApproxKL)
	if !ok {
		return unknown("the KL between the rollout policy and the updated policy is not logged")
	}
	if c.constant(0) {
		return e.constant(c)
	}
	if c.unit == "" {
		return sumOrMean(c, record.ApproxKL)
	}
	warn, alert, basis := 0.03, 0.1, "common practice: below 0.03; 0.1 is far"
	if target, ok := e.setting("target_kl"); ok && target > 0 {
		warn, alert = 1.5*target, max(alert, 5*target)
		basis = "the early stop of SB3 and TRL, 1.5 times target_kl; 0.1, or 5 times target_kl, is our choice"
	}
	return test{
		curve: diluted(e, c, 0), what: "KL of one update", borders: []border{alertOver(alert), warnOver(warn)}, basis: basis,
		hurts: "the surrogate objective holds only near the rollout policy; a step this far can destroy what was learned",
		help:  "lower the learning rate or the number of epochs, or stop the epochs early at target_kl",
	}.signal()
}

// ratioHelp says what to do of a ratio that is off, and what a companion that is logged hides.
func (e *evidence) ratioHelp(c curve, help string) string {
	for _, s := range e.series {
		if s.Quantity == "" && s.Trap != "" && strings.HasPrefix(s.Name, c.name+"_") {
			help += fmt.Sprintf("; %s is no help: it is the %s, %s", s.Name, s.Basis, s.Trap)
		}
	}
	return help
}

// meanRatio judges the mean importance ratio, which is 1 in expectation.
func meanRatio(e *evidence) Signal {
	c, ok := e.curve(record.Ratio)
	if !ok {
		return unknown("the mean importance ratio is not logged")
	}
	if c.constant(1) {
		return e.constant(c)
	}
	return test{
		curve: diluted(e, c, 1), what: "mean ratio",
		borders: []border{alertOver(2), alertUnder(0.5), warnOver(1.1), warnUnder(0.9)},
		basis:   "TRL's documentation: about 1; 2 or 0.1 means that something is broken; verl's band is 0.5 to 2",
		hurts:   "its expectation is 1, so the log-probs of rollout and update are not of the same policy and tokens",
		help:    e.ratioHelp(c, "at a learning rate of 0 it must be exactly 1: check dropout, temperature, padding and the attention mask"),
	}.signal()
}

// ratioDrift judges how far the ratio moved from what it was in the run's own start.
func ratioDrift(e *evidence) Signal {
	c, ok := e.curve(record.Ratio)
	if !ok {
		return unknown("the mean importance ratio is not logged; log it by epoch over the batch")
	}
	if c.constant(1) {
		return e.constant(c)
	}
	c = diluted(e, c, 1)
	return test{
		curve: c.linear(1, -c.start.mean), what: "drift of the mean ratio",
		borders: []border{alertOver(beyond(0.25, 3*c.start.std, false)), alertUnder(-beyond(0.25, 3*c.start.std, false)),
			warnOver(beyond(0.05, 3*c.start.std, false)), warnUnder(-beyond(0.05, 3*c.start.std, false))},
		basis: "our choice: 0.05 and 0.25, and three standard deviations of the start",
		hurts: "updates move the policy more than at the start, so clipping decides what is learned",
		help:  e.ratioHelp(c, "lower the learning rate or the number of epochs"),
	}.signal()
}

// constant is the answer where a quantity never changes because nothing could change it.
func (e *evidence) constant(c curve) Signal {
	if n, ok := e.setting("num_iterations", "num_ppo_epochs", "ppo_epochs"); ok && n == 1 {
		return unknown("%s is constant by construction: %s", c.name, onePolicy)
	}
	if e.trainer("grpo", "rloo") {
		return unknown("%s is constant, as always with num_iterations 1: %s", c.name, onePolicy)
	}
	return unknown("%s is %s at every step: %s", c.name, short(c.points[0].Value), onePolicy)
}

// diluted undoes a mean over padded positions, which hold neutral (0 for a divergence, 1
// for a ratio): where the tokens of an answer are logged, the padding's share is known.
// Where it is not, the curve keeps its trap, and "ok" is never said of it.
func diluted(e *evidence, c curve, neutral float64) curve {
	padded, known := e.setting("response_length")
	length, logged := e.curve(record.Length, record.Tokens)
	if c.trap == "" || !known || !logged || !e.trainer("trl ppo") {
		return c
	}
	c.points = append([]record.Point(nil), c.points...)
	for i, p := range c.points {
		tokens := mean(length.near(p.Step, math.MaxInt64))
		if !(tokens > 0) || tokens > padded {
			return c
		}
		c.points[i].Value = neutral + (p.Value-neutral)*padded/tokens
	}
	c.trap, c.basis = "", "padding taken out"
	c.start = startOf(c.points, e.early())
	return c
}

// share returns the curve as a share of its start.
func (c curve) share() curve {
	mean := c.start.mean
	c = c.linear(1/mean, 0)
	c.unit = record.Plain
	return c
}

// beyond is the farther of an absolute border and one that is the noise of the start.
func beyond(absolute, noise float64, below bool) float64 {
	if math.IsNaN(noise) {
		return absolute
	}
	if below {
		return min(absolute, noise)
	}
	return max(absolute, noise)
}
