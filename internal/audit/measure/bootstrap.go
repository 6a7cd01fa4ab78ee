package measure

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Rounds is a number of resamples at which the ends of an interval are steady to about a
// twentieth of its width.
const Rounds = 2000

// Bootstrap is the interval of a statistic when whole groups are drawn anew: the groups are
// prompts, their values the judgements or scores of one prompt, which are not independent of
// each other. The statistic sees the values of the drawn groups one behind the other, and
// must not keep or change the slice. The same seed gives the same interval.
//
// The ends are percentiles, moved outwards for few groups so that the interval of a mean has
// the width of Student's rather than a smaller one (Hesterberg 2015, What Teachers Should
// Know About the Bootstrap, "expanded percentile interval"). N counts the groups; empty ones
// are left out. The ends are NaN with one group, where more than one resample in twenty has no
// value, and where all resamples have the same one: values that are all alike do not tell how
// they vary. Below about ten groups no bootstrap is to be trusted.
func Bootstrap(groups [][]float64, statistic func([]float64) float64, rounds int, seed uint64) Interval {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g []float64) bool { return len(g) == 0 })
	if len(groups) == 0 {
		return undefined(0)
	}
	value := statistic(slices.Concat(groups...))
	random := rand.New(rand.NewPCG(seed, seed))
	var drawn []float64
	low, high := resample(rounds, len(groups), func() float64 {
		drawn = drawn[:0]
		for range groups {
			drawn = append(drawn, groups[random.IntN(len(groups))]...)
		}
		return statistic(drawn)
	})
	return Interval{value, low, high, len(groups)}
}

// resample calls draw round by round, and returns the ends of the expanded percentile
// interval for n groups.
func resample(rounds, n int, draw func() float64) (low, high float64) {
	if n < 2 || rounds < 1 {
		return nan, nan
	}
	values := make([]float64, 0, rounds)
	for range rounds {
		if v := draw(); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) < 1 || float64(rounds-len(values)) > 0.05*float64(rounds) {
		return nan, nan
	}
	slices.Sort(values)
	if values[0] == values[len(values)-1] {
		return nan, nan
	}
	tail := expandedTail(n)
	return stat.Quantile(tail, stat.Empirical, values, nil), stat.Quantile(1-tail, stat.Empirical, values, nil)
}

// expandedTail is what is cut off at each end, instead of 0.025, for n groups.
func expandedTail(n int) float64 {
	ratio := math.Sqrt(float64(n) / float64(n-1))
	return distuv.UnitNormal.CDF(-ratio * student95(float64(n-1)))
}
