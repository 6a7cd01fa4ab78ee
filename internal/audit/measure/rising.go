package measure

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Rising is how often a line through noise alone would rise as steeply: the one-sided
// probability of a slope like that of y over x where the true one is 0, by Student's
// distribution with the error and the degrees of freedom of slopeOf. It is 1 where that knows no
// error, or so few independent steps that no slope would count; negate y to ask for a fall.
func Rising(x, y []float64) float64 {
	slope, stderr, freedom := slopeOf(x, y)
	if math.IsNaN(slope) || math.IsNaN(stderr) || math.IsInf(stderr, 0) || !(freedom > 0) {
		return 1
	}
	if stderr == 0 {
		return map[bool]float64{true: 0, false: 1}[slope > 0]
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(slope / stderr)
}
