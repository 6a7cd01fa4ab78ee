package measure

import (
	"maps"
	"math"
	"slices"
)

// JensenShannon is the distance of two distributions, given by counts or weights of 0 or
// more: the root of the Jensen-Shannon divergence in bits (Lin 1991; Endres and Schindelin
// 2003), from 0 for equal to 1 for disjoint. NaN where one is empty, or has a weight below 0.
// Two samples of one distribution are never at 0, and the smaller they are the further apart.
func JensenShannon(p, q map[string]float64) float64 {
	keys := map[string]bool{}
	for _, weights := range []map[string]float64{p, q} {
		for key := range weights {
			keys[key] = true
		}
	}
	var listed [2][]float64
	for _, key := range slices.Sorted(maps.Keys(keys)) { // so that sums round the same each time
		listed[0], listed[1] = append(listed[0], p[key]), append(listed[1], q[key])
	}
	return distance(listed[0], listed[1])
}

// distance is that of two lists of weights, of the same keys.
func distance(p, q []float64) float64 {
	sumP, sumQ := 0.0, 0.0
	for i := range p {
		if !(p[i] >= 0) || !(q[i] >= 0) {
			return nan
		}
		sumP, sumQ = sumP+p[i], sumQ+q[i]
	}
	if !(sumP > 0) || !(sumQ > 0) {
		return nan
	}
	divergence := 0.0
	for i := range p {
		a, b := p[i]/sumP, q[i]/sumQ
		divergence += (bits(a, (a+b)/2) + bits(b, (a+b)/2)) / 2
	}
	return math.Sqrt(math.Max(0, math.Min(divergence, 1)))
}

// bits is a term of the divergence of a from the mixture m.
func bits(a, m float64) float64 {
	if a == 0 {
		return 0
	}
	return a * math.Log2(a/m)
}
