package audit

import (
	"github.com/rlvet/rlvet/internal/audit/measure"
)

// logged is a held-out score of the log: one number an evaluation, whose error is not logged.
type logged struct {
	curve curve
	reach int64
	about measure.Noise
}

func loggedOf(c curve, reach int64) logged {
	var values []float64
	for _, p := range c.points {
		values = append(values, p.Value)
	}
	return logged{c, reach, measure.NoiseOf(values)}
}

func (l logged) name() string { return "held_out" }

func (l logged) scores() (steps []int64, values []float64) {
	for _, p := range l.curve.points {
		steps, values = append(steps, p.Step), append(values, p.Value)
	}
	return steps, values
}

// at is the evaluation nearest to a step, with the noise about the path.
func (l logged) at(step int64) (Metric, bool) {
	i := l.curve.nearest(step, l.reach)
	if i < 0 {
		return Metric{}, false
	}
	return metricOf(measure.Around(l.curve.points[i].Value, l.about.Std, l.about.Freedom, 1), l.curve.unit), true
}

func (l logged) less(a, b int64) (Metric, bool) { return apart(l, a, b) }

func (l logged) paired(a, b int64) bool { return false }

func (l logged) noise() measure.Noise { return l.about }

func (l logged) freedom(Metric) float64 { return l.about.Freedom }
