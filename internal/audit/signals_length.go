package audit

import (
	"fmt"

	"github.com/rlvet/rlvet/internal/audit/record"
)

const (
	lengthHurts = "reward models favour length: in one study 70 to 90 % of PPO's reward gain was length alone (Singhal et al. 2023)"
	lengthHelp  = "compare answers of equal length, penalise length in the reward, or take an earlier checkpoint"

	shorterHurts = "shorter answers may drop what the reward does not count, such as reasoning; if answers were cut at the maximum length before, they now end"
	shorterHelp  = "read some beside the first ones, and check whether a held-out score fell"
)

// lengthDrift judges the length of completions against the start's or the base model's.
func lengthDrift(e *evidence) Signal {
	c, ok := e.length()
	if !ok {
		if steps, logged := e.curve(record.Length); logged {
			if steps.unit == "" {
				return unknown("whether %s counts tokens, words or characters of texts, or steps of episodes, is not known; if it counts tokens, say so: %s", steps.name, metricFlag(steps.name, record.Length, record.Tokens))
			}
			return unknown("%s is in %s; only lengths of texts are judged", steps.name, steps.unit)
		}
		return unknown("the length of completions is not logged; log its mean in tokens, or the completions")
	}
	if !(c.start.mean > 0) {
		return unknown("%s is 0 at the start, so there is nothing to compare with", c.name)
	}
	s := e.lengthTest(c)
	if s.Level == Warn || s.Level == Alert {
		s.Note += e.texts.pays()
	}
	return s
}

// pays says how the reward goes with length where the run begins, "" where that is not known.
func (t *texts) pays() string {
	first := t.rewarded()
	i := first.correlation()
	if !i.Bounded() {
		return ""
	}
	return fmt.Sprintf("; up to step %d, length and reward have a rank correlation of %s (95 %%: %s to %s)", first.step, short(i.Value), short(i.Low), short(i.High))
}

// lengthTest judges a logged length against that of the run's own start.
func (e *evidence) lengthTest(c curve) Signal {
	if c.errors != nil {
		return e.textLengthDrift()
	}
	noise := 3 * c.start.std / c.start.mean
	return test{
		curve: c.share(), share: true, what: "length relative to the start", hurts: lengthHurts, help: lengthHelp, hurtsBelow: shorterHurts, helpBelow: shorterHelp,
		borders: e.shrinking(1-noise, alertOver(beyond(2, 1+noise, false)), warnOver(beyond(1.5, 1+noise, false))),
		basis:   "rewardspy: three standard deviations of the early window; growth to 1.5 and 2 times, and shrinking to 1/2 and 1/5, are our choice",
	}.signal()
}

// textLengthDrift judges the length of the completions against that of the base's.
func (e *evidence) textLengthDrift() Signal {
	c, _ := e.texts.ratio(textLength)
	return test{
		curve: c, share: true, what: "length relative to the base", hurts: lengthHurts, help: lengthHelp, hurtsBelow: shorterHurts, helpBelow: shorterHelp,
		borders: e.shrinking(1, alertOver(2), warnOver(1.5)), basis: "growth to 1.5 and 2 times, and shrinking to 1/2 and 1/5, are our choice",
	}.signal()
}

// seldom is the share of answers that are cut below which it does not matter that some are.
const seldom = 0.1

// shrinking adds the borders of answers that become shorter, as far as the noise of the start
// reaches. Where they may have been cut when the run began, they get short by learning to end,
// which is no harm, so that a fifth alerts only where they are known to have ended.
func (e *evidence) shrinking(noise float64, borders ...border) []border {
	c, ok := e.curve(record.Truncated)
	if !ok {
		c, ok = e.texts.curve(textTruncated)
	}
	if ok && c.start.mean < seldom {
		borders = append(borders, alertUnder(beyond(0.2, noise, true)))
	}
	return append(borders, warnUnder(beyond(0.5, noise, true)))
}

// relativeLength is the length as a multiple of the start's, or of the base's.
func (e *evidence) relativeLength() (curve, bool) {
	c, ok := e.length()
	if ok && c.errors != nil {
		return e.texts.ratio(textLength)
	}
	return c.share(), ok && c.start.mean > 0
}

// length is the mean length of a completion over the steps: as logged in a unit
// of texts, else counted from the completions.
func (e *evidence) length() (curve, bool) {
	if c, ok := e.curve(record.Length, record.Tokens, record.Words, record.Characters); ok {
		return c, true
	}
	return e.texts.curve(textLength)
}
