package measure

import (
	"math"
	"slices"
	"sort"
)

// Noise is how values of a series scatter about a path that bends little from one to the next.
type Noise struct {
	// Std is the standard deviation, in the unit of the values; NaN below five values.
	Std float64
	// Memory is how much of a deviation the next value keeps, the correlation of neighbours, of
	// 0 to mostMemory: beyond that noise and path cannot be told apart.
	Memory float64
	// Freedom is the number of degrees of freedom that Std has in the comparison of values of
	// the same series. It is more than the values alone give, 1.5 of each: extreme values
	// make the noise larger by which they are judged (found by simulation).
	Freedom float64
}

// mostMemory is where noise that lasts begins to look like a path.
const mostMemory = 0.8

// Few values say little of how long a deviation lasts, since a step of the path looks as if it
// lasted: up to fewForMemory the memory is taken to be usual, and beyond it as if asManyAs more
// had shown it to be.
const (
	usualMemory  = 0.3
	fewForMemory = 12
	asManyAs     = 10
)

// NoiseOf reads the noise off how far values are from the middle of their neighbours, and of
// the neighbours next to these. A steady trend moves neither; what scatters independently is as
// far from both, and what lasts is farther from the second, by (1+ρ)(3-ρ²)/(3-ρ) in the variance.
// Distances far beyond the usual are cut, so that a step of the path counts little.
func NoiseOf(values []float64) Noise {
	n := len(values)
	if n < 5 {
		return Noise{nan, usualMemory, 0}
	}
	next, memory := scatter(values, 1), usualMemory
	if n > fewForMemory && next > 0 {
		told, ratio := float64(n-fewForMemory), scatter(values, 2)/next
		memory = (memoryOf(ratio*ratio)*told + usualMemory*asManyAs) / (told + asManyAs)
	}
	// A value that remembers ρ is off the middle of its neighbours by (1-ρ)(3-ρ)/2 of its variance.
	return Noise{next / math.Sqrt((1-memory)*(3-memory)/2), memory, 1.5 * float64(n)}
}

// memoryOf inverts (1+ρ)(3-ρ²)/(3-ρ), which grows from 1 at 0 to 2 at 1.
func memoryOf(ratio float64) float64 {
	const steps = 1000
	return mostMemory / steps * float64(sort.Search(steps, func(i int) bool {
		r := mostMemory * float64(i) / steps
		return (1+r)*(3-r*r)/(3-r) >= ratio
	}))
}

// scatter is the deviation of values from the middle of the two that are apart from them, each
// no more than three times the median; for Gaussian noise, that of all of them.
func scatter(values []float64, apart int) float64 {
	const cut, gaussian = 3, 0.7817 // mean of |z| where no more than 3 times its median
	var far []float64
	for i := apart; i+apart < len(values); i++ {
		far = append(far, math.Abs(values[i]-(values[i-apart]+values[i+apart])/2))
	}
	most, sum := cut*Median(far), 0.0
	if most == 0 { // most lie on the path to the last digit, and the others are all there is
		most = math.Inf(1)
	}
	for _, v := range far {
		sum += math.Min(v, most)
	}
	return sum / float64(len(far)) / gaussian
}

// Median is that of one value or more, which a spike does not move.
func Median(values []float64) float64 {
	in := slices.Sorted(slices.Values(values))
	return (in[(len(in)-1)/2] + in[len(in)/2]) / 2
}
