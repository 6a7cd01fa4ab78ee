package measure

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Rising is how often a line through noise alone would rise as steeply: the one-sided
// probability of a slope like that of y over x where the true one is 0, by Student's
// distribution with the error and the degrees of freedom of slopeOf. It is 1 where that knows no
// error, or so few independent steps that no slope would count; negate y to ask for a fall.
// Neighbours are taken to be correlated by memory at least, which is 0 where x and y alone say.
func Rising(x, y []float64, memory float64) float64 {
	slope, stderr, freedom := slopeOf(x, y, memory)
	if math.IsNaN(slope) || math.IsNaN(stderr) || math.IsInf(stderr, 0) || !(freedom > 0) {
		return 1
	}
	if stderr == 0 {
		return map[bool]float64{true: 0, false: 1}[slope > 0]
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(slope / stderr)
}

// Reach is how many standard errors a value of 0 is said to lie above 0 by chance in a share of
// all cases, by Student's distribution with the degrees of freedom of the error. NaN for a
// share that is not between 0 and 1, and without a degree of freedom.
func Reach(chance, freedom float64) float64 {
	if !(chance > 0 && chance < 1 && freedom > 0) {
		return nan
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - chance)
}
