package measure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with the ends of its 95 % interval, in the unit of the estimate.
type Interval struct {
	// Value is NaN where it is not defined, Low and High where the spread is not known.
	Value, Low, High float64
	// N counts the observations behind it: judgements, prompts, items or points.
	N int
}

// Defined says whether there is a value.
func (i Interval) Defined() bool { return !math.IsNaN(i.Value) }

// Bounded says whether there are a value and both finite ends.
func (i Interval) Bounded() bool {
	return i.Defined() && !math.IsNaN(i.High-i.Low) && !math.IsInf(i.High-i.Low, 0)
}

// normal95 is the 97.5th percentile of the normal distribution.
const normal95 = 1.959963984540054

var nan = math.NaN()

// undefined is the interval of what has no value.
func undefined(n int) Interval { return Interval{nan, nan, nan, n} }

// Around is the interval of a value with a standard error of so many degrees of freedom
// (infinitely many: the normal one), by Student's distribution; without one the ends are NaN.
func Around(value, stderr, freedom float64, n int) Interval {
	reach := student95(freedom) * stderr
	return Interval{value, value - reach, value + reach, n}
}

// student95 is the 97.5th percentile of Student's distribution; NaN without a degree of freedom.
func student95(freedom float64) float64 {
	switch {
	case !(freedom > 0):
		return nan
	case freedom > 1e6:
		return normal95
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
}

// clip keeps the ends within what the value can be.
func (i Interval) clip(low, high float64) Interval {
	i.Low, i.High = math.Max(i.Low, low), math.Min(i.High, high)
	return i
}

// sameLength panics where two slices that belong together differ in length.
func sameLength(a, b int) {
	if a != b {
		panic(fmt.Sprintf("measure: %d values beside %d", a, b))
	}
}
