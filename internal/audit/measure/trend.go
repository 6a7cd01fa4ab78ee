package measure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Spearman is the rank correlation, ties at the mean of their ranks. Its interval is that of
// Bonett and Wright (2000), by Fisher's transformation with the variance
// (1 + r²/2)/(n - 3), NaN below four pairs; it takes the pairs for independent. Not defined
// below two pairs, for constant values, and for NaN.
func Spearman(x, y []float64) Interval {
	sameLength(len(x), len(y))
	n := len(x)
	if n < 2 || slices.ContainsFunc(x, math.IsNaN) || slices.ContainsFunc(y, math.IsNaN) {
		return undefined(n)
	}
	r := stat.Correlation(ranks(x), ranks(y), nil)
	if math.IsNaN(r) || n < 4 {
		return Interval{r, nan, nan, n}
	}
	// Ranks that agree in full are taken as if two neighbours had changed places, lest a few
	// pairs make a certainty.
	most := 1 - 12/float64(n*(n*n-1))
	from := math.Max(-most, math.Min(r, most))
	reach := normal95 * math.Sqrt((1+from*from/2)/float64(n-3))
	low, high := math.Tanh(math.Atanh(from)-reach), math.Tanh(math.Atanh(from)+reach)
	return Interval{r, math.Min(r, low), math.Max(r, high), n}.clip(-1, 1)
}

// ranks are from 1 up; equal values share the mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

// slopeOf is the least squares slope of y over x, in units of y per unit of x, its standard
// error, and the degrees of freedom that this has. The pairs are to be in the order of x, which is the steps of a run, where
// what is left over at one step resembles that of the step before. So the error counts only
// as many steps as are independent of each other, n (1 - ρ)/(1 + ρ) with ρ the
// correlation of neighbours (Santer et al. 2000, J. Geophys. Res. 105, 7337), corrected for the
// bias of ρ in short series; it is +Inf where that leaves two or fewer, so that no slope is
// ever that many errors from 0. Below eight pairs ρ cannot be told, and the
// pairs are taken for independent; what is left over is taken to remember no less than memory. A series that wanders like a random walk has an error
// that is still too small: of walks of 200 steps one in five has a slope two errors from 0.
//
// The slope is NaN below two pairs and for constant x, the error below three.
func slopeOf(x, y []float64, memory float64) (slope, stderr, freedom float64) {
	sameLength(len(x), len(y))
	n := float64(len(x))
	if n < 2 {
		return nan, nan, nan
	}
	alpha, slope := stat.LinearRegression(x, y, nil, false)
	if n < 3 || math.IsNaN(slope) || math.IsInf(slope, 0) {
		return slope, nan, nan
	}
	left, squares := make([]float64, len(x)), 0.0
	for i := range x {
		left[i] = y[i] - alpha - slope*x[i]
		squares += left[i] * left[i]
	}
	freedom = independent(left, memory) - 2
	if squares > 0 && freedom <= 0 {
		return slope, math.Inf(1), 0
	}
	spread := stat.Variance(x, nil) * (n - 1)
	return slope, math.Sqrt(squares / freedom / spread), freedom
}

// independent is how many independent values the residuals of a line are worth, of which
// neighbours are correlated by memory at least.
func independent(left []float64, memory float64) float64 {
	n, squares, neighbours := float64(len(left)), 0.0, 0.0
	for i, v := range left {
		squares += v * v
		if i > 0 {
			neighbours += v * left[i-1]
		}
	}
	rho := memory
	if n >= 8 && squares > 0 {
		// The residuals of a line underrate ρ by about (2 + 4ρ)/n.
		rho = math.Max(rho, math.Min((neighbours/squares*n+2)/(n-4), 1))
	}
	return n * (1 - rho) / (1 + rho)
}
