package measure

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Shares says how much of a gain in reward goes with longer completions.
type Shares struct {
	// Share is 1 - Within/Gain: 1 where completions of equal length gained nothing, 0
	// where they gained as much as all together, below 0 where the policy gained although
	// it became shorter. Not defined where the reward did not rise, or no bin holds both.
	// Its ends are NaN where the gain itself may be 0, as more than one resample in twenty
	// says.
	Share Interval
	// Gain is the difference of the mean rewards, Within the mean over bins of length of
	// the difference inside of a bin; both in points.
	Gain, Within float64
	// Bins counts the bins of length, Shared those that hold completions of both sides.
	Bins, Shared int
	// Overlap is the share of the later completions that lie in shared bins. What lies
	// outside was never seen before at its length, and no gain at equal length can be told
	// of it: below about a half the share speaks for a minority.
	Overlap float64
}

// LengthShare compares completions before (0) and after (1) by length, as Singhal et al. 2023
// (arXiv 2310.03716) do with their non-length reward gain: lengths in any unit, rewards in
// points, a pair for each completion. The bins are quantiles of all lengths together, at most
// twenty, of twelve completions or more. A bin counts with n0 n1/(n0 + n1), by which its
// difference is known; one that is empty on one side counts nothing, and Overlap says how much
// that leaves out. Within a bin the later completions are still the longer ones, the more so
// the fewer bins there are; what that makes is taken off by the slope of reward over length
// within the bins of each side.
//
// The interval is the bootstrap's over completions, with the bins held fast and a fixed seed.
func LengthShare(lengths0, rewards0, lengths1, rewards1 []float64) Shares {
	sameLength(len(lengths0), len(rewards0))
	sameLength(len(lengths1), len(rewards1))
	n := min(len(lengths0), len(lengths1))
	edges := lengthEdges(lengths0, lengths1, max(1, min(20, n/6)))
	before, after := binned(lengths0, rewards0, edges), binned(lengths1, rewards1, edges)
	s := compare(before, after, len(edges)+1)
	s.Share.N = n
	random := rand.New(rand.NewPCG(uint64(len(before)), uint64(len(after))))
	again := func(from, to []inBin) {
		for i := range to {
			to[i] = from[random.IntN(len(from))]
		}
	}
	drawn0, drawn1 := make([]inBin, len(before)), make([]inBin, len(after))
	if s.Share.Defined() {
		s.Share.Low, s.Share.High = resample(Rounds, n, func() float64 {
			again(before, drawn0)
			again(after, drawn1)
			return compare(drawn0, drawn1, len(edges)+1).Share.Value
		})
	}
	return s
}

// inBin is a completion and the bin of its length.
type inBin struct {
	bin            int
	length, reward float64
}

// lengthEdges are the inner borders of the bins, ascending, each once.
func lengthEdges(lengths0, lengths1 []float64, bins int) []float64 {
	all := slices.Concat(lengths0, lengths1)
	slices.Sort(all)
	var edges []float64
	for b := 1; b < bins; b++ {
		edges = append(edges, stat.Quantile(float64(b)/float64(bins), stat.Empirical, all, nil))
	}
	return slices.Compact(edges)
}

func binned(lengths, rewards, edges []float64) []inBin {
	out := make([]inBin, len(lengths))
	for i, length := range lengths {
		bin, _ := slices.BinarySearch(edges, length)
		out[i] = inBin{bin, length, rewards[i]}
	}
	return out
}

// compare gives everything but the ends of the interval.
func compare(before, after []inBin, bins int) Shares {
	cells0, cells1 := tally(before, bins), tally(after, bins)
	slope := slopeWithin(cells0, cells1)
	s := Shares{Share: undefined(0), Bins: bins}
	weights, differences, total0, total1 := 0.0, 0.0, 0.0, 0.0
	for b := range bins {
		c0, c1 := cells0[b], cells1[b]
		total0, total1 = total0+c0.n*c0.reward, total1+c1.n*c1.reward
		if c0.n == 0 || c1.n == 0 {
			continue
		}
		weight := c0.n * c1.n / (c0.n + c1.n)
		weights += weight
		differences += weight * (c1.reward - c0.reward - slope*(c1.length-c0.length))
		s.Shared++
		s.Overlap += c1.n / float64(len(after))
	}
	s.Gain = total1/float64(len(after)) - total0/float64(len(before))
	s.Within = differences / weights
	if s.Gain > 0 && !math.IsNaN(s.Within) {
		s.Share.Value = 1 - s.Within/s.Gain
	}
	return s
}

// cell is the completions of one side in one bin: how many, their means, and the sums of
// squares and products about these.
type cell struct{ n, length, reward, squares, products float64 }

// tally runs over the completions once (Welford 1962).
func tally(values []inBin, bins int) []cell {
	cells := make([]cell, bins)
	for _, v := range values {
		c := &cells[v.bin]
		c.n++
		off := v.length - c.length
		c.length += off / c.n
		c.reward += (v.reward - c.reward) / c.n
		c.squares += off * (v.length - c.length)
		c.products += off * (v.reward - c.reward)
	}
	return cells
}

// slopeWithin is the slope of reward over length with a constant of its own for each cell, 0
// where no cell has two lengths.
func slopeWithin(sides ...[]cell) float64 {
	squares, products := 0.0, 0.0
	for _, cells := range sides {
		for _, c := range cells {
			squares, products = squares+c.squares, products+c.products
		}
	}
	if squares == 0 {
		return 0
	}
	return products / squares
}
