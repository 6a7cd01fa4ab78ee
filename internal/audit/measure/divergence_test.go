package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEstimatorsOnGaussians repeats Schulman's experiment (2020, Approximating KL
// Divergence): samples of N(0,1), the reference N(mu,1), of divergence mu²/2. His table has
// bias/KL and std/KL; k1 at 0.1 is 0 and 20.
func TestEstimatorsOnGaussians(t *testing.T) {
	const samples = 1 << 18
	random := rand.New(rand.NewPCG(3, 4))
	logp, ref := make([]float64, samples), make([]float64, samples)
	for _, c := range []struct {
		mu        float64
		bias, std [3]float64
	}{
		{0.1, [3]float64{0, 0.0025, 0}, [3]float64{20, 1.42, 1.42}},
		{1, [3]float64{0, 0.25, 0}, [3]float64{2, 1.73, 1.70}},
	} {
		for i := range logp {
			x := random.NormFloat64()
			logp[i], ref[i] = -x*x/2, -(x-c.mu)*(x-c.mu)/2
		}
		kl := c.mu * c.mu / 2
		for k, estimate := range []func(logp, ref []float64) (float64, float64){K1, K2, K3} {
			mean, stderr := estimate(logp, ref)
			near(t, "the bias", mean/kl-1, c.bias[k], 4*c.std[k]/math.Sqrt(samples))
			near(t, "the deviation", stderr*math.Sqrt(samples)/kl, c.std[k], 0.03*c.std[k])
		}
	}
}

// TestEstimatorsOnADiscretePolicy: weighted by the policy, k1 and k3 are the divergence
// to the last digit, whatever the two distributions.
func TestEstimatorsOnADiscretePolicy(t *testing.T) {
	policy, reference := []int{5, 3, 1, 1}, []int{1, 2, 3, 4} // in tenths
	kl, logp, ref := 0.0, []float64(nil), []float64(nil)
	for i, p := range policy {
		a, b := math.Log(float64(p)/10), math.Log(float64(reference[i])/10)
		kl += float64(p) / 10 * (a - b)
		logp = append(logp, slices.Repeat([]float64{a}, p)...)
		ref = append(ref, slices.Repeat([]float64{b}, p)...)
	}
	k1, _ := K1(logp, ref)
	k3, _ := K3(logp, ref)
	near(t, "k1", k1, kl, 1e-12)
	near(t, "k3", k3, kl, 1e-12)
}

func TestEstimatorsAtTheEdges(t *testing.T) {
	if mean, stderr := K3([]float64{-900}, []float64{0}); !math.IsInf(mean, 1) || !math.IsNaN(stderr) {
		t.Errorf("k3 far apart is %v, error %v", mean, stderr)
	}
	if mean, stderr := K1(nil, nil); !math.IsNaN(mean) || !math.IsNaN(stderr) {
		t.Errorf("k1 of nothing is %v, error %v", mean, stderr)
	}
	if mean, _ := K1([]float64{math.NaN(), -1}, []float64{-1, -1}); !math.IsNaN(mean) {
		t.Errorf("k1 with a NaN is %v", mean)
	}
	// Close policies: r - 1 - ln r must not drown in rounding.
	mean, _ := K3([]float64{1e-9}, []float64{0})
	near(t, "k3 of close policies over its size", mean/5e-19, 1, 1e-6)
}

// bestOfNKL is the formula that BestOf turns round.
func bestOfNKL(n float64) float64 { return math.Log(n) - (n-1)/n }

// TestBestOfN: the formula against the divergence of the best of n equally likely ranks, which
// is what it is for a continuous score. Over m ranks, rank i is the best of n draws with
// probability (i/m)^n - ((i-1)/m)^n.
func TestBestOfN(t *testing.T) {
	for _, n := range []int{1, 2, 4, 16, 64} {
		const m = 50000
		kl := 0.0
		for i := 1; i <= m; i++ {
			p := math.Pow(float64(i)/m, float64(n)) - math.Pow(float64(i-1)/m, float64(n))
			if p > 0 {
				kl += p * math.Log(p*m)
			}
		}
		near(t, "the divergence", bestOfNKL(float64(n)), kl, 1e-3)
	}
	for _, n := range []int{1, 2, 7, 1000, 1 << 40} {
		near(t, "the samples, over the true number", BestOf(bestOfNKL(float64(n)))/float64(n), 1, 1e-6)
	}
	if below, far, end := BestOf(-1), BestOf(1000), BestOf(math.Inf(1)); !math.IsNaN(below) || !math.IsInf(far, 1) || !math.IsInf(end, 1) {
		t.Errorf("%v, %v and %v samples", below, far, end)
	}
}
