package measure

import (
	"math"

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
// none (Heinze and Schemper 2002); it pulls a rate of n outcomes towards one half by
// 0.5/(n+1) at most. The interval is Wald's on the scale of the logarithm of the odds; with
// ties or means of raters it covers more than 95 %. Where all of one model's answers are longer the rate
// at equal length is an extrapolation, and the interval wide.
//
// It is not defined without outcomes, for outcomes outside of 0 to 1, and where all
// differences are the same and not 0, for then nothing tells length from quality.
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
	x := mat.Matrix(design)
	if spread == 0 {
		if lengthDifferences[0] != 0 {
			return undefined(n)
		}
		x = design.Slice(0, n, 0, 1)
	}
	beta, cov, ok := firth(x, outcomes)
	if !ok {
		return undefined(n)
	}
	odds := around(beta[0], math.Sqrt(cov.At(0, 0)), math.Inf(1), n)
	return Interval{logistic(odds.Value), logistic(odds.Low), logistic(odds.High), n}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// firth fits a logistic regression under Jeffreys' prior by Fisher scoring with steps of at most 5, as
// Heinze and Schemper do. It is not ok where the columns of x depend on each other, or for
// values that are not finite.
func firth(x mat.Matrix, y []float64) (beta []float64, cov *mat.SymDense, ok bool) {
	_, k := x.Dims()
	beta = make([]float64, k)
	for range 200 {
		score, cov, ok := firthScore(x, y, beta)
		if !ok {
			return nil, nil, false
		}
		var step mat.VecDense
		step.MulVec(cov, score)
		largest := mat.Norm(&step, math.Inf(1))
		for j := range beta {
			beta[j] += step.AtVec(j) * math.Min(1, 5/largest)
		}
		if largest < 1e-9 {
			return beta, cov, true
		}
	}
	return nil, nil, false
}

// firthScore is the penalised score, X'(y - p + h (1/2 - p)) with h the diagonal of the hat
// matrix, and the inverse of the information.
func firthScore(x mat.Matrix, y, beta []float64) (*mat.VecDense, *mat.SymDense, bool) {
	n, k := x.Dims()
	p := make([]float64, n)
	information := mat.NewSymDense(k, nil)
	rows := make([]*mat.VecDense, n)
	for i := range n {
		rows[i] = mat.NewVecDense(k, mat.Row(nil, i, x))
		p[i] = logistic(mat.Dot(rows[i], mat.NewVecDense(k, beta)))
		information.SymRankOne(information, p[i]*(1-p[i]), rows[i])
	}
	var chol mat.Cholesky
	cov := &mat.SymDense{}
	if !chol.Factorize(information) || chol.InverseTo(cov) != nil {
		return nil, nil, false
	}
	score := mat.NewVecDense(k, nil)
	for i, row := range rows {
		hat := p[i] * (1 - p[i]) * mat.Inner(row, cov, row)
		score.AddScaledVec(score, y[i]-p[i]+hat*(0.5-p[i]), row)
	}
	return score, cov, true
}
