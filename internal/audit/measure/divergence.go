package measure

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// K1, K2 and K3 estimate KL(policy || reference) from samples of the policy (Schulman 2020,
// Approximating KL Divergence): logp are the log-probs that the policy gives its own samples,
// ref those of the reference, in nats. The estimate is in nats per whatever one pair is: with
// sums over the tokens of a completion nats per sequence, with tokens nats per token. Tokens
// of one completion are not independent, and the standard error is too small for them.
//
// Without pairs both results are NaN, with one the standard error is.

// K1 is the mean of logp - ref: without bias, with large variance, below 0 by chance.
func K1(logp, ref []float64) (mean, stderr float64) {
	return overPairs(logp, ref, func(d float64) float64 { return d })
}

// K2 is the mean of (logp - ref)²/2: little variance, and a bias that grows with the
// divergence: a quarter of it at 0.5 nats between unit Gaussians.
func K2(logp, ref []float64) (mean, stderr float64) {
	return overPairs(logp, ref, func(d float64) float64 { return d * d / 2 })
}

// K3 is the mean of r - 1 - ln r with r = exp(ref - logp): without bias, never below 0, with
// little variance while the policies are close. Far apart, as sums over long completions
// are, one sample with ref above logp rules the mean; it may be +Inf.
func K3(logp, ref []float64) (mean, stderr float64) {
	return overPairs(logp, ref, func(d float64) float64 { return math.Expm1(-d) + d })
}

// overPairs is the mean of a term over the pairs, and its standard error.
func overPairs(logp, ref []float64, term func(difference float64) float64) (mean, stderr float64) {
	sameLength(len(logp), len(ref))
	terms := make([]float64, len(logp))
	for i := range logp {
		terms[i] = term(logp[i] - ref[i])
	}
	return MeanError(terms)
}

// MeanError is the mean of independent values and its standard error; NaN without values,
// the error NaN with one.
func MeanError(values []float64) (mean, stderr float64) {
	if len(values) == 0 {
		return nan, nan
	}
	if len(values) == 1 {
		return values[0], nan
	}
	mean, std := stat.MeanStdDev(values, nil)
	return mean, std / math.Sqrt(float64(len(values)))
}

// BestOf is the number of samples, not rounded, of which the best is a divergence of kl nats
// from the policy that drew them, per sequence, to tell how far a KL is: the inverse of
// ln n - (n-1)/n (Stiennon et al. 2020, appendix G.3), which is an upper bound where samples
// repeat. NaN below 0, +Inf where no number holds it.
func BestOf(kl float64) float64 {
	switch {
	case !(kl >= 0):
		return nan
	case kl > 710:
		return math.Inf(1)
	}
	x := kl + 1 // ln n, which lies between kl and kl + 1, where x - 1 + exp(-x) is convex
	for range 60 {
		x = math.Max(0, x-(x+math.Expm1(-x)-kl)/math.Max(-math.Expm1(-x), 1e-12))
	}
	return math.Exp(x)
}
