package measure

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// LengthControlled is the win rate that remains when both answers are equally long, after
// AlpacaEval 2 (Dubois et al. 2024, arXiv 2404.04475): a logistic regression of the outcome
// on a constant and tanh(difference/std of the differences), read where the second term is
// zero. Outcomes are 1 for a win against the base, 0 for a loss, 0.5 for a tie, or means of
// several raters of one prompt; lengthDifferences are this answer's length less the base's,
// in any unit. Unlike AlpacaEval there is no term for how hard the instruction is: it needs
// judgements of many models.
//
// The likelihood carries the penalty of Firth (1993), so that outcomes which the length
// separates (all longer answers win) give a finite estimate with a wide interval, instead of
// none (Heinze and Schemper 2002); it pulls the rate of n outcomes towards one half, where
// lengths are equal by 0.5/(n+1) at most. The interval is Wald's on the scale of the logarithm
// of the odds; with ties or means of raters it covers more than 95 %. Where all of one model's
// answers are longer the rate at equal length is an extrapolation, and the interval wide.
//
// It is not defined without outcomes, for outcomes outside of 0 to 1, and where all
// differences are about the same and far from 0, for then nothing tells length from quality.
func LengthControlled(outcomes, lengthDifferences []float64) Interval {
	sameLength(len(outcomes), len(lengthDifferences))
	n := len(outcomes)
	if n == 0 {
		return undefined(0)
	}
	design := mat.NewDense(n, 2, nil)
	spread := math.Sqrt(stat.PopVariance(lengthDifferences, nil))
	for i, difference := range lengthDifferences {
		if !(outcomes[i] >= 0 && outcomes[i] <= 1) {
			return undefined(n)
		}
		design.SetRow(i, []float64{1, math.Tanh(difference / spread)})
	}
	if spread == 0 {
		if lengthDifferences[0] != 0 {
			return undefined(n)
		}
		design = mat.DenseCopyOf(design.Slice(0, n, 0, 1))
	}
	beta, cov, ok := firth(design, outcomes)
	if !ok {
		return undefined(n)
	}
	odds := Around(beta[0], math.Sqrt(cov.At(0, 0)), math.Inf(1), n)
	return Interval{logistic(odds.Value), logistic(odds.Low), logistic(odds.High), n}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// firth fits a logistic regression under Jeffreys' prior, whose likelihood carries the root
// of the information's determinant, by Fisher's scoring. cov is the inverse of the
// information. It is not ok where the columns of x depend on each other, and for values that
// are not finite.
func firth(x *mat.Dense, y []float64) (beta []float64, cov *mat.SymDense, ok bool) {
	_, k := x.Dims()
	b := mat.NewVecDense(k, nil)
	var step *mat.VecDense
	for range 200 {
		if step, cov, ok = firthStep(x, y, b); !ok {
			return nil, nil, false
		}
		b = uphill(func(b *mat.VecDense) float64 { return penalised(x, y, b) }, b, step)
		if mat.Norm(step, math.Inf(1)) < 1e-8*(1+mat.Norm(b, math.Inf(1))) {
			break
		}
	}
	// Where the top is all but flat the steps become small slowly; what counts is that they
	// are small against the error.
	for j := range k {
		ok = ok && math.Abs(step.AtVec(j)) < 1e-3*math.Sqrt(cov.At(j, j))
	}
	return b.RawVector().Data, cov, ok
}

// firthStep solves for the step: the score is X'(y - p + h (1/2 - p)), with h the diagonal
// of the hat matrix, and an outcome that h changed weighs 1 + h (Kosmidis and Firth 2021,
// Biometrika 108, 71).
func firthStep(x *mat.Dense, y []float64, b *mat.VecDense) (step *mat.VecDense, cov *mat.SymDense, ok bool) {
	p, weights := chances(x, b)
	var chol mat.Cholesky
	cov = &mat.SymDense{}
	if !chol.Factorize(information(x, weights)) || chol.InverseTo(cov) != nil {
		return nil, nil, false
	}
	var leverage mat.Dense
	leverage.Mul(x, cov)
	surprise := make([]float64, len(y))
	for i := range y {
		hat := weights[i] * floats.Dot(leverage.RawRowView(i), x.RawRowView(i))
		surprise[i] = y[i] - p[i] + hat*(0.5-p[i])
		weights[i] *= 1 + hat
	}
	var score mat.VecDense
	score.MulVec(x.T(), mat.NewVecDense(len(y), surprise))
	step = &mat.VecDense{}
	if !chol.Factorize(information(x, weights)) || chol.SolveVecTo(step, &score) != nil {
		return nil, nil, false
	}
	return step, cov, true
}

// penalised is the logarithm of the likelihood that firth climbs; -Inf where the information
// vanishes.
func penalised(x *mat.Dense, y []float64, b *mat.VecDense) float64 {
	p, weights := chances(x, b)
	var chol mat.Cholesky
	if !chol.Factorize(information(x, weights)) {
		return math.Inf(-1)
	}
	sum := chol.LogDet() / 2
	for i := range y {
		sum += times(y[i], math.Log(p[i])) + times(1-y[i], math.Log1p(-p[i]))
	}
	return sum
}

// times is 0 for 0, whatever it is multiplied with.
func times(y, x float64) float64 {
	if y == 0 {
		return 0
	}
	return y * x
}

// chances are the probabilities of a win, and their variances, which weigh the outcomes.
func chances(x *mat.Dense, b *mat.VecDense) (p, weights []float64) {
	var odds mat.VecDense
	odds.MulVec(x, b)
	p, weights = make([]float64, odds.Len()), make([]float64, odds.Len())
	for i := range p {
		p[i] = logistic(odds.AtVec(i))
		weights[i] = p[i] * (1 - p[i])
	}
	return p, weights
}

// information is X'WX.
func information(x *mat.Dense, weights []float64) *mat.SymDense {
	scaled := mat.DenseCopyOf(x)
	for i, w := range weights {
		floats.Scale(math.Sqrt(w), scaled.RawRowView(i))
	}
	var sum mat.SymDense
	sum.SymOuterK(1, scaled.T())
	return &sum
}
