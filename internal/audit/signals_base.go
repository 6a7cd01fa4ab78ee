package audit

import (
	"fmt"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

const basisBase = "invariant: training is to make better what it began with; where the two are alike it is said of 2 to 4 % of runs, however many checkpoints are judged (by simulation)"

// worseThanBase finds the steps at which held-out judgements like the policy surely less than
// the model that training began with. It alerts if the last one is such, and warns of those
// before; none of them is a choice.
func worseThanBase(e *evidence) Signal {
	held := e.primary()
	if held == nil {
		return unknown("nothing held-out is known")
	}
	base, ok := baseScore(held)
	if !ok || e.run.Environment {
		return unknown("no %s of the model that training began with is known (at step 0)", spaced(held.name()))
	}
	steps, values := trained(held)
	if len(steps) == 0 {
		return unknown("no %s after the start is known", spaced(held.name()))
	}
	last := len(steps) - 1
	s := Signal{Level: OK, Value: &values[last], Unit: base.Unit, Threshold: fmt.Sprintf("< %s, surely", short(base.Value)), Basis: basisBase}
	s.Curve = pointsOf(steps, values)
	s.Borders = []Border{{Alert, base.Value}}
	s.Note = fmt.Sprintf("%s %s at step %d, of the model that training began with %s", spaced(held.name()), inUnit(values[last], base.Unit), steps[last], inUnit(base.Value, base.Unit))
	for i, step := range steps {
		gained, ok := gain(held, step)
		if !ok || !surely(turned(gained), rarely/float64(len(steps)), held.freedom(gained)) {
			continue
		}
		s.Spans = append(s.Spans, Span{From: step, To: step})
		s.Level, s.Value = Warn, &values[i]
		if s.Step == nil {
			s.Step = &steps[i]
		}
	}
	return s.concluded(steps[last])
}

// concluded says what to do where the policy is worse than the base.
func (s Signal) concluded(last int64) Signal {
	switch {
	case s.Level == OK:
	case s.Spans[len(s.Spans)-1].From == last:
		s.Level = Alert
		s.Note += ": the judges prefer what training began with; take no checkpoint that they like less, and look at what the reward pays for"
	default:
		s.Note += fmt.Sprintf(", and surely worse than it at %s: take none of these", words.Count(len(s.Spans), "step"))
	}
	return s
}

// trained are the steps after the start at which the score is known, and its values.
func trained(held heldOut) (steps []int64, values []float64) {
	all, scores := held.scores()
	for i, step := range all {
		if step > 0 {
			steps, values = append(steps, step), append(values, scores[i])
		}
	}
	return steps, values
}

// inUnit is a number as a sentence has it: a share in percent.
func inUnit(v float64, unit record.Unit) string {
	if unit == record.Share {
		return short(100*v) + " %"
	}
	return short(v)
}
