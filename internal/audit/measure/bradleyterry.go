package measure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// BradleyTerry gives the strengths b of models of which wins[i][j] says how often i beat j
// (a tie is half a win for each): P(i beats j) = 1/(1 + exp(b_j - b_i)) (Bradley and Terry
// 1952), by maximum likelihood. Strengths are logarithms of odds, with mean 0; times
// 400/ln 10 they are differences of Elo. The diagonal is not read.
//
// It fails for fewer than two models, a table that is not square, entries below 0 or not
// finite, and where the models fall into two sets of which one never beat the other: then no
// finite strength is the likeliest (Ford 1957).
func BradleyTerry(wins [][]float64) ([]float64, error) {
	if err := checkWins(wins); err != nil {
		return nil, err
	}
	k := len(wins)
	b := mat.NewVecDense(k, nil)
	for range 100 {
		step, err := newtonStep(wins, b)
		if err != nil {
			return nil, err
		}
		b = uphill(func(b *mat.VecDense) float64 { return logLikelihood(wins, b) }, b, step)
		if mat.Norm(step, math.Inf(1)) < 1e-8 {
			return b.RawVector().Data, nil
		}
	}
	return nil, errors.New("the strengths do not converge: the results are all but one-sided")
}

// newtonStep solves for the step of the strengths; the ones that are added to the
// information make it regular, and keep the mean at 0.
func newtonStep(wins [][]float64, b *mat.VecDense) (*mat.VecDense, error) {
	k := len(wins)
	score, information := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			information.SetSym(i, j, 1)
		}
	}
	for i := range k {
		for j := range i {
			games := wins[i][j] + wins[j][i]
			p := logistic(b.AtVec(i) - b.AtVec(j))
			surprise := wins[i][j] - games*p
			score.SetVec(i, score.AtVec(i)+surprise)
			score.SetVec(j, score.AtVec(j)-surprise)
			w := games * p * (1 - p)
			information.SetSym(i, i, information.At(i, i)+w)
			information.SetSym(j, j, information.At(j, j)+w)
			information.SetSym(i, j, information.At(i, j)-w)
		}
	}
	var chol mat.Cholesky
	step := mat.NewVecDense(k, nil)
	if !chol.Factorize(information) || chol.SolveVecTo(step, score) != nil {
		return nil, errors.New("the strengths cannot be told: the results are all but one-sided")
	}
	return step, nil
}

func logLikelihood(wins [][]float64, b *mat.VecDense) float64 {
	sum := 0.0
	for i := range wins {
		for j, w := range wins[i] {
			if i != j && w > 0 {
				sum -= w * math.Log1p(math.Exp(b.AtVec(j)-b.AtVec(i)))
			}
		}
	}
	return sum
}

// checkWins looks whether the likelihood has a maximum: each model is to be linked to each
// other one by a chain of wins.
func checkWins(wins [][]float64) error {
	if len(wins) < 2 {
		return fmt.Errorf("%d models: a comparison needs two", len(wins))
	}
	for i, row := range wins {
		if len(row) != len(wins) {
			return fmt.Errorf("row %d has %d entries, and there are %d models", i+1, len(row), len(wins))
		}
		for j, w := range row {
			if i != j && !(w >= 0 && !math.IsInf(w, 1)) {
				return fmt.Errorf("model %d is said to have won %v times against model %d", i+1, w, j+1)
			}
		}
	}
	beats := func(i, j int) bool { return wins[i][j] > 0 }
	beaten := func(i, j int) bool { return wins[j][i] > 0 }
	for _, link := range []func(i, j int) bool{beats, beaten} {
		if lost := unreached(len(wins), link); lost >= 0 {
			return fmt.Errorf("no chain of wins links model 1 and model %d in both directions: strengths need wins on both sides", lost+1)
		}
	}
	return nil
}

// unreached is a model that no chain of links from the first one leads to, or -1.
func unreached(k int, link func(i, j int) bool) int {
	seen, open := make([]bool, k), []int{0}
	seen[0] = true
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		for j := range k {
			if !seen[j] && link(i, j) {
				seen[j] = true
				open = append(open, j)
			}
		}
	}
	for i := range seen {
		if !seen[i] {
			return i
		}
	}
	return -1
}
