package measure

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// JensenShannon is the distance of two distributions, given by counts or weights of 0 or
// more: the root of the Jensen-Shannon divergence in bits (Lin 1991; Endres and Schindelin
// 2003), from 0 for equal to 1 for disjoint. NaN where one is empty, or has a weight below 0.
// Two samples of one distribution are never at 0: Drift says how far chance puts them.
func JensenShannon(p, q map[string]float64) float64 {
	both := sparse([]map[string]float64{p, q})
	return distance(both.total([]int{0}), both.total([]int{1}))
}

// Drifted says how far texts are from those of the base model.
type Drifted struct {
	// Distance is that of Jensen and Shannon, from 0 to 1; Chance is what it stays below,
	// 95 times in 100, when which text is whose is drawn by lot. A distance above Chance
	// is a change. Both are NaN where one side counts nothing.
	Distance, Chance float64
}

// shuffles is how often Drift draws lots.
const shuffles = 199

// Drift compares texts with the base model's by what count counts in a text: Scripts, which
// tells languages of different scripts apart, or Trigrams, which tells all languages apart,
// and topics and formats too. The same seed gives the same chance.
func Drift(base, now []string, count func(string) map[string]float64, seed uint64) Drifted {
	var counts []map[string]float64
	for _, text := range slices.Concat(base, now) {
		counts = append(counts, count(text))
	}
	all, order := sparse(counts), make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	apart := func() float64 { return distance(all.total(order[:len(base)]), all.total(order[len(base):])) }
	d := Drifted{apart(), nan}
	if math.IsNaN(d.Distance) {
		return d
	}
	random, draws := rand.New(rand.NewPCG(seed, seed)), make([]float64, 0, shuffles)
	for range shuffles {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if v := apart(); !math.IsNaN(v) {
			draws = append(draws, v)
		}
	}
	if slices.Sort(draws); len(draws) > 0 {
		d.Chance = stat.Quantile(0.95, stat.Empirical, draws, nil)
	}
	return d
}

// rows are weights of several texts, each with the number of its key.
type rows struct {
	keys    int
	weights [][]weight
}

type weight struct {
	key   int32
	value float64
}

// sparse numbers the keys, in the order of the alphabet within a text, so that sums round
// the same each time.
func sparse(counts []map[string]float64) rows {
	numbers, out := numbering[string]{}, rows{}
	for _, texts := range counts {
		var row []weight
		for _, key := range slices.Sorted(maps.Keys(texts)) {
			row = append(row, weight{numbers.of(key), texts[key]})
		}
		out.weights = append(out.weights, row)
	}
	out.keys = len(numbers)
	return out
}

// total adds up the weights of the texts that are named.
func (r rows) total(texts []int) []float64 {
	sum := make([]float64, r.keys)
	for _, text := range texts {
		for _, w := range r.weights[text] {
			if !(w.value >= 0) {
				sum[w.key] = nan
			}
			sum[w.key] += w.value
		}
	}
	return sum
}

// distance is that of two lists of weights, of the same keys.
func distance(p, q []float64) float64 {
	sumP, sumQ := 0.0, 0.0
	for i := range p {
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
