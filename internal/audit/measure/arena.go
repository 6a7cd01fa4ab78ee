package measure

import (
	"math/rand/v2"
	"slices"
)

// Game is a comparison of two players, by their numbers: Won is 1 where First won, 0 where
// Second did, 0.5 for a tie.
type Game struct {
	First, Second int
	Won           float64
}

// Arena are the strengths of players by the comparisons of several prompts, and what they
// would have been with other prompts.
type Arena struct {
	// Strengths are those of BradleyTerry.
	Strengths []float64
	// Prompts counts those with a game.
	Prompts int
	drawn   [][]float64
}

// ArenaOf fits BradleyTerry to the games, grouped by prompt, and to rounds resamples of whole
// prompts, of which those that rank nobody are left out. It fails where BradleyTerry does.
func ArenaOf(prompts [][]Game, players, rounds int, seed uint64) (Arena, error) {
	prompts = slices.DeleteFunc(slices.Clone(prompts), func(g []Game) bool { return len(g) == 0 })
	strengths, err := BradleyTerry(table(prompts, players, func(i int) int { return i }))
	if err != nil {
		return Arena{}, err
	}
	a := Arena{Strengths: strengths, Prompts: len(prompts)}
	random := rand.New(rand.NewPCG(seed, seed))
	for range rounds {
		drawn, err := BradleyTerry(table(prompts, players, func(int) int { return random.IntN(len(prompts)) }))
		if err != nil {
			drawn = nil
		}
		a.drawn = append(a.drawn, drawn)
	}
	return a, nil
}

// table adds up the games of as many prompts as there are, of those that pick names.
func table(prompts [][]Game, players int, pick func(int) int) [][]float64 {
	wins := make([][]float64, players)
	for i := range wins {
		wins[i] = make([]float64, players)
	}
	for i := range prompts {
		for _, g := range prompts[pick(i)] {
			wins[g.First][g.Second] += g.Won
			wins[g.Second][g.First] += 1 - g.Won
		}
	}
	return wins
}

// Interval is that of what is read off the strengths, over prompts as in Bootstrap.
func (a Arena) Interval(of func(strengths []float64) float64) Interval {
	next := 0
	low, high := resample(len(a.drawn), a.Prompts, func() float64 {
		next++
		if a.drawn[next-1] == nil {
			return nan
		}
		return of(a.drawn[next-1])
	})
	return Interval{of(a.Strengths), low, high, a.Prompts}
}

// Chance is the probability that a player wins against one of another strength.
func Chance(strength, other float64) float64 { return logistic(strength - other) }
