package measure

import (
	"math"
	"sort"
)

// Wilson is the score interval of a rate (Wilson 1927; Brown, Cai and DasGupta 2001 advise
// it from the smallest n on). Successes may be a fraction, as half-won ties make them. It is
// not defined for n < 1, nor for successes outside of 0 to n.
func Wilson(successes float64, n int) Interval {
	if n < 1 || !(successes >= 0 && successes <= float64(n)) {
		return undefined(max(n, 0))
	}
	return scoreInterval(successes/float64(n), float64(n), n)
}

// scoreInterval is Wilson's for a rate that count independent observations would know as well.
func scoreInterval(rate, count float64, n int) Interval {
	middle, reach := wilson(rate, count)
	return Interval{rate, math.Min(rate, middle-reach), math.Max(rate, middle+reach), n}.clip(0, 1)
}

// wilson gives the middle of the interval, and half its width.
func wilson(rate, count float64) (middle, reach float64) {
	const z2 = normal95 * normal95
	spread := rate*(1-rate)/count + z2/(4*count*count)
	return (rate + z2/(2*count)) / (1 + z2/count), normal95 * math.Sqrt(spread) / (1 + z2/count)
}

// PromptsFor is the least number of prompts for which the interval of Wilson, at the given
// rate, reaches no further than halfWidth to either side of its middle. It is 0 where
// nothing can be told: a half width that is not above 0, a rate outside of 0 to 1. A half
// width below 1e-4 counts as 1e-4.
func PromptsFor(halfWidth, rate float64) int {
	if !(halfWidth > 0) || !(rate >= 0 && rate <= 1) {
		return 0
	}
	halfWidth = math.Max(halfWidth, 1e-4)
	// The half width at n is below z/(2 sqrt(n)), whatever the rate.
	enough := int(math.Ceil(math.Pow(normal95/(2*halfWidth), 2)))
	return 1 + sort.Search(enough, func(n int) bool {
		_, reach := wilson(rate, float64(n+1))
		return reach <= halfWidth
	})
}
