package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// startShare is the part of a run that the rest of it is compared with, and startPoints
// the fewest values that make one.
const (
	startShare  = 0.1
	startPoints = 5
)

// curve is a quantity over the steps as a signal judges it: a series of the log, or the
// means of the completions of each step.
type curve struct {
	// name is the logger's, for messages.
	name        string
	unit        record.Unit
	basis, trap string
	points      []record.Point
	// errors are the standard errors of the points, and sizes the completions behind them,
	// where the points are means over completions; nil for a series of the log, whose noise
	// is read off its own steps. common are further errors, which are the same at each step and do
	// not average out; nil where there are none.
	errors, common []float64
	sizes          []int
	start          start
}

// start is what the curve was in the first tenth of the run: of a series the median and the
// deviation that the median deviation from it implies, which spikes do not move; of the base's
// completions mean and standard deviation.
type start struct {
	mean, std float64
	n         int
}

// fromSeries makes a curve of a logged series. The first tenth ends at the step until.
func fromSeries(s *record.Series, until int64) curve {
	c := curve{name: s.Name, unit: s.Unit, basis: s.Basis, trap: s.Trap, points: s.Points}
	c.start = startOf(s.Points, until)
	return c
}

// startOf describes the points up to a step, or the first few where there are fewer.
func startOf(points []record.Point, until int64) start {
	n := 0
	for n < len(points) && (points[n].Step <= until || n < startPoints) {
		n++
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = points[i].Value
	}
	if n == 0 {
		return start{mean: math.NaN(), std: math.NaN()}
	}
	middle := measure.Median(values)
	for i, v := range values {
		values[i] = math.Abs(v - middle)
	}
	return start{mean: middle, std: madToStd * measure.Median(values), n: n}
}

// madToStd makes a standard deviation of the median absolute one, for Gaussian noise.
const madToStd = 1.4826

// tiny is the least multiple of a start that has a logarithm of its own.
const tiny = 0.01

// logarithm returns the curve of log(value), with errors to first order.
func (c curve) logarithm() curve {
	c.points, c.errors, c.common = slices.Clone(c.points), slices.Clone(c.errors), slices.Clone(c.common)
	for i, p := range c.points {
		v := max(p.Value, tiny)
		c.points[i].Value = math.Log(v)
		if c.errors != nil {
			c.errors[i] /= v
		}
		if c.common != nil {
			c.common[i] /= v
		}
	}
	return c
}

// linear returns the curve of factor*value + shift, errors and start alike.
func (c curve) linear(factor, shift float64) curve {
	c.points = slices.Clone(c.points)
	for i := range c.points {
		c.points[i].Value = factor*c.points[i].Value + shift
	}
	c.errors, c.common = slices.Clone(c.errors), slices.Clone(c.common)
	for _, errors := range [][]float64{c.errors, c.common} {
		for i := range errors {
			errors[i] *= math.Abs(factor)
		}
	}
	c.start.mean, c.start.std = factor*c.start.mean+shift, math.Abs(factor)*c.start.std
	return c
}

// after returns the curve from a step on, for what begins badly in every run.
func (c curve) after(step int64) curve {
	n := 0
	for n < len(c.points) && c.points[n].Step < step {
		n++
	}
	c.points = c.points[n:]
	return c
}

// constant says whether every value is v.
func (c curve) constant(v float64) bool {
	return !slices.ContainsFunc(c.points, func(p record.Point) bool { return p.Value != v })
}

// near returns the few values that are nearest to a step; none where they are farther off
// than reach steps.
func (c curve) near(step, reach int64) []float64 {
	from, _ := slices.BinarySearchFunc(c.points, step, func(p record.Point, step int64) int { return cmp.Compare(p.Step, step) })
	to := from
	for to-from < startPoints && (from > 0 || to < len(c.points)) {
		if to == len(c.points) || (from > 0 && step-c.points[from-1].Step <= c.points[to].Step-step) {
			from--
		} else {
			to++
		}
	}
	var values []float64
	for _, p := range c.points[from:to] {
		if distance(p.Step, step) <= reach {
			values = append(values, p.Value)
		}
	}
	return values
}

// metric is the mean of the values near to a step; of a sample of completions it is that of
// the nearest step alone, whose error is known.
func (c curve) metric(step, reach int64) (Metric, bool) {
	if c.errors != nil {
		return c.sampled(step, reach)
	}
	i := measure.Mean(c.near(step, reach))
	return metricOf(i, c.unit), i.Defined()
}

func (c curve) sampled(step, reach int64) (Metric, bool) {
	i := c.nearest(step, reach)
	if i < 0 {
		return Metric{}, false
	}
	v, e := c.points[i].Value, normal95*c.stderr(i, 1)
	return metricOf(measure.Interval{Value: v, Low: v - e, High: v + e, N: c.sizes[i]}, c.unit), true
}

// stderr is that of the mean of the n points that end with the one at i.
func (c curve) stderr(i, n int) float64 {
	squares, common := 0.0, 0.0
	for k := i + 1 - n; k <= i; k++ {
		squares += c.errors[k] * c.errors[k]
		if c.common != nil {
			common += c.common[k]
		}
	}
	return math.Hypot(math.Sqrt(squares), common) / float64(n)
}

// nearest is the index of the point nearest to a step, -1 where none is within reach.
func (c curve) nearest(step, reach int64) int {
	best := -1
	for i, p := range c.points {
		if d := distance(p.Step, step); d <= reach && (best < 0 || d < distance(c.points[best].Step, step)) {
			best = i
		}
	}
	return best
}

// normal95 is the 97.5th percentile of the normal distribution.
const normal95 = 1.96

func distance(a, b int64) int64 { return max(a-b, b-a) }

// meanStd returns the mean and the sample standard deviation: NaN for fewer values than one
// and two.
func meanStd(values []float64) (mean, std float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		std += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(std / float64(len(values)-1))
}
