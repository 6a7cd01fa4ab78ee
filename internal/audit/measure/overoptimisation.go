package measure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Fit is a curve of over-optimisation: how the gold score, less that of the reference model,
// goes with d = sqrt(KL) from the reference. Gao, Schulman and Hilton 2022 (arXiv
// 2210.10760) found R(d) = d (a - b ln d) for reinforcement learning, over policies that were
// each scored once.
//
// The fit is by least squares of the gold scores, which is right where their noise is the same
// at every point. Checkpoints of one run are not independent, and all share the score of the
// reference model: the errors are the least that is possible.
type Fit struct {
	// A and B are in points per unit of d; AError and BError are their standard errors.
	A, B, AError, BError float64
	// PeakD, PeakKL (nats) and PeakGold (points above the reference) are where the curve is
	// highest; NaN where B is not above 0, so that the curve has no peak, and where the
	// peak is so far that no number holds it.
	PeakD, PeakKL, PeakGold float64
	// PeakKLLow and PeakKLHigh are the ends of the peak's 95 % interval (Fieller 1954): the
	// divergences at which the slope of the curve may be 0. Both are NaN where B is not
	// above 0 beyond doubt: then nothing bounds the peak. High may be +Inf.
	PeakKLLow, PeakKLHigh float64
	// LastKL is the largest divergence among the points; LastSlope the slope of the curve
	// there, in points per unit of d.
	LastKL    float64
	LastSlope Interval
	// Residual is the standard deviation of the points around the curve, in points.
	Residual float64
	// N counts the points that were used.
	N int
}

// Passed says that the run went past the peak beyond doubt: at the largest divergence the
// curve falls, and so does the upper end of its slope's 95 % interval.
func (f Fit) Passed() bool { return f.B > 0 && f.LastSlope.High < 0 }

// Before says that the run stayed before the peak beyond doubt: at the largest divergence
// the lower end of the slope's interval is above 0. Neither holding, the points cannot tell.
func (f Fit) Before() bool { return f.LastSlope.Low > 0 }

// The curve is R(d) = a d - b bend(d), of slope a - b turn(d). Its peak is where turn(d) = a/b,
// since turn grows; back inverts it.
func bend(d float64) float64 { return d * math.Log(d) }
func turn(d float64) float64 { return 1 + math.Log(d) }
func back(t float64) float64 { return math.Exp(t - 1) }

// OverOptimisation fits d (a - b ln d) to checkpoints: kl in nats per sequence, gold in points
// above the reference model's score. Its peak is at d* = exp(a/b - 1), of height b d*. Points
// with a KL of 0 or less say nothing of the curve and are left out. It fails with fewer than
// four points, with points at fewer than three different divergences, and on values that are
// not finite.
func OverOptimisation(kl, gold []float64) (Fit, error) {
	d, gold, err := distances(kl, gold)
	if err != nil {
		return Fit{}, err
	}
	design := mat.NewDense(len(d), 2, nil)
	for i, x := range d {
		design.SetRow(i, []float64{x, -bend(x)})
	}
	beta, cov, residual, err := leastSquares(design, gold)
	if err != nil {
		return Fit{}, fmt.Errorf("the divergences are too close to each other for a curve: %w", err)
	}
	f := Fit{A: beta[0], B: beta[1], AError: math.Sqrt(cov.At(0, 0)), BError: math.Sqrt(cov.At(1, 1)), Residual: residual, N: len(d)}
	last := slices.Max(d)
	f.LastKL = last * last
	f.LastSlope = f.slope(cov, last)
	f.peak(cov)
	return f, nil
}

// distances turns divergences into d, without the points that say nothing.
func distances(kl, gold []float64) (d, kept []float64, err error) {
	sameLength(len(kl), len(gold))
	different := map[float64]bool{}
	for i := range kl {
		if math.IsNaN(kl[i]+gold[i]) || math.IsInf(kl[i], 0) || math.IsInf(gold[i], 0) {
			return nil, nil, fmt.Errorf("point %d is not finite: KL %v, score %v", i+1, kl[i], gold[i])
		}
		if kl[i] > 0 {
			d, kept = append(d, math.Sqrt(kl[i])), append(kept, gold[i])
			different[kl[i]] = true
		}
	}
	switch {
	case len(d) < 4:
		return nil, nil, fmt.Errorf("the fit needs 4 checkpoints with a score and a KL above 0, and has %d", len(d))
	case len(different) < 3:
		return nil, nil, fmt.Errorf("the fit needs checkpoints at 3 different divergences, and has %d", len(different))
	}
	return d, kept, nil
}

// leastSquares gives the coefficients, their covariance, and the standard deviation of what
// is left.
func leastSquares(design *mat.Dense, y []float64) (beta []float64, cov *mat.SymDense, residual float64, err error) {
	n, k := design.Dims()
	var gram mat.SymDense
	gram.SymOuterK(1, design.T())
	var chol mat.Cholesky
	if !chol.Factorize(&gram) || chol.Cond() > 1e12 {
		return nil, nil, 0, fmt.Errorf("the least squares are singular")
	}
	observed := mat.NewVecDense(n, y)
	var moment, b, left mat.VecDense
	moment.MulVec(design.T(), observed)
	if err := chol.SolveVecTo(&b, &moment); err != nil {
		return nil, nil, 0, err
	}
	left.MulVec(design, &b)
	left.SubVec(observed, &left)
	variance := mat.Dot(&left, &left) / float64(n-k)
	cov = &mat.SymDense{}
	if err := chol.InverseTo(cov); err != nil {
		return nil, nil, 0, err
	}
	cov.ScaleSym(variance, cov)
	return b.RawVector().Data, cov, math.Sqrt(variance), nil
}

// slope is a - b turn(d), which is linear in a and b, so that its interval is exact.
func (f Fit) slope(cov mat.Symmetric, d float64) Interval {
	t := turn(d)
	variance := cov.At(0, 0) - 2*t*cov.At(0, 1) + t*t*cov.At(1, 1)
	return Around(f.A-f.B*t, math.Sqrt(math.Max(variance, 0)), float64(f.N-2), f.N)
}

// peak fills in where the curve is highest. The interval holds the d at which the slope is
// not told from 0: (a - b t)² <= q² var(a - b t), a quadratic in t = turn(d).
func (f *Fit) peak(cov mat.Symmetric) {
	f.PeakD, f.PeakKL, f.PeakGold, f.PeakKLLow, f.PeakKLHigh = nan, nan, nan, nan, nan
	d := back(f.A / f.B)
	if !(f.B > 0) || math.IsInf(d*d, 0) {
		return
	}
	f.PeakD, f.PeakKL, f.PeakGold = d, d*d, f.A*d-f.B*bend(d)
	q2 := math.Pow(student95(float64(f.N-2)), 2)
	p := f.B*f.B - q2*cov.At(1, 1)
	half := f.A*f.B - q2*cov.At(0, 1)
	r := f.A*f.A - q2*cov.At(0, 0)
	if root := half*half - p*r; p > 0 && root >= 0 {
		low, high := back((half-math.Sqrt(root))/p), back((half+math.Sqrt(root))/p)
		f.PeakKLLow, f.PeakKLHigh = low*low, high*high
	}
}
