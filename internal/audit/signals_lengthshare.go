package audit

import (
	"fmt"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

const (
	// shareBlock is the number of completions, of a prompt each, that are compared at once.
	shareBlock = 100
	// longer is the growth of the mean length below which its share does not matter.
	longer      = 1.2
	basisLength = "Singhal et al. 2023: 70 to 90 % of PPO's gain; the share is what vanishes within bins of equal length; 50 and 70 % are our choice"
	// Of the gain in reward, what length may explain.
	mostLength, halfLength = 0.7, 0.5
)

// lengthShare judges how much of the gain in reward longer completions made: what those of equal length did not.
func lengthShare(e *evidence) Signal {
	start := e.texts.rewarded()
	blocks := e.texts.blocks(start)
	if len(blocks) == 0 {
		return unknown("too few completions are logged with their rewards (%d prompts at the start and %d later are needed); log them with every reward", shareBlock, shareBlock)
	}
	s := Signal{Level: OK, Unit: record.Share, Threshold: warnOver(halfLength).String(), Basis: basisLength, Borders: []Border{{Warn, halfLength}, {Alert, mostLength}}}
	s.Note = "the reward did not rise, or completions did not become longer, so length explains nothing"
	apart := false
	for _, b := range blocks {
		part, overlap := byLength(start, b)
		if apart = overlap < 0.5; !apart && part.Bounded() {
			s.Curve = append(s.Curve, record.Point{Step: b.step, Value: part.Value, Count: 1})
			s = s.raise(part, b.step)
		}
	}
	if s.Level == OK && apart {
		return unknown("most completions now have lengths that those of the start did not have, so what length alone would gain is not known; log the base model's completions with rewards, at more lengths")
	}
	if s.Level == OK && len(s.Curve) > 0 {
		s.Value = &s.Curve[len(s.Curve)-1].Value
		s.Note = fmt.Sprintf("length explains %s %% of the gain in reward; completions of equal length gained the rest", short(100**s.Value))
	}
	return s
}

// raise takes a further block into the level: it counts where the whole interval of the share is beyond
// a border. Two blocks in a row above the upper one alert.
func (s Signal) raise(part measure.Interval, step int64) Signal {
	alerting := part.Low > mostLength
	open := len(s.Spans) > 0 && s.Spans[len(s.Spans)-1].To < 0
	switch {
	case alerting && !open:
		s.Spans = append(s.Spans, Span{From: step, To: -1})
	case !alerting && open:
		s.Spans[len(s.Spans)-1].To = step - 1
	}
	level, border := Warn, warnOver(halfLength)
	if alerting && open {
		level, border = Alert, alertOver(mostLength)
	}
	if part.Low <= halfLength || s.Level == Alert || s.Level == level {
		return s
	}
	if s.Level == OK {
		s.Step = &step
	}
	s.Level, s.Value, s.Threshold = level, &part.Value, border.String()
	s.Note = fmt.Sprintf("length explains %s %% of the gain in reward (95 %%: %s to %s) at step %d; completions of equal length gained only the rest",
		short(100*part.Value), short(100*part.Low), short(100*part.High), step)
	s.Why, s.Help = lengthHurts, lengthHelp
	return s
}

// byLength is the part of the gain that is not there at equal length, not defined where completions
// did not become longer; and how many of them are of lengths that the start had, too.
func byLength(before, after paid) (part measure.Interval, overlap float64) {
	if mean(after.lengths) < longer*mean(before.lengths) {
		return measure.Interval{Value: math.NaN()}, 1
	}
	s := measure.LengthShare(before.lengths, before.rewards, after.lengths, after.rewards)
	return s.Share, s.Overlap
}

// paid are completions by length and reward: the mean of each prompt at each step, since answers to
// one prompt are alike.
type paid struct {
	step             int64
	lengths, rewards []float64
}

// paidAt are the completions of a step that have a reward.
func (t *texts) paidAt(s sample) paid {
	lengths, rewards := make([]float64, len(s.completions)), make([]float64, len(s.completions))
	for i, c := range s.completions {
		lengths[i], rewards[i] = t.lengthOf(c), rewardOf(t, c)
		if math.IsNaN(rewards[i]) {
			lengths[i] = math.NaN()
		}
	}
	return paid{s.step, groupsOf(s.completions, lengths).units(), groupsOf(s.completions, rewards).units()}
}

// and adds those of a later step.
func (p paid) and(later paid) paid {
	return paid{p.step, slices.Concat(p.lengths, later.lengths), slices.Concat(p.rewards, later.rewards)}
}

// rewarded are the completions of the start that have a reward: the first ones. Its step is that of
// the last of them.
func (t *texts) rewarded() paid {
	first := paid{}
	for _, s := range t.steps {
		if len(first.lengths) >= shareBlock {
			break
		}
		first = first.and(t.paidAt(s))
		first.step = s.step
	}
	return first
}

// blocks are the later completions with a reward, so many together that a share can be told;
// each has the step of its first.
func (t *texts) blocks(start paid) (blocks []paid) {
	block := paid{}
	for _, s := range t.steps {
		if s.step <= start.step {
			continue
		}
		if len(block.lengths) == 0 {
			block.step = s.step
		}
		block = block.and(t.paidAt(s))
		if len(block.lengths) >= shareBlock {
			blocks, block = append(blocks, block), paid{}
		}
	}
	return blocks
}
