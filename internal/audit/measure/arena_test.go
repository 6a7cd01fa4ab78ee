package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tournament draws games of three players on prompts, on each of which one player is better
// than it is on average, several games a prompt.
func tournament(random *rand.Rand, prompts int, strengths []float64) (all [][]Game) {
	for range prompts {
		luck := random.IntN(3)
		var games []Game
		for range 4 {
			i := random.IntN(3)
			j := (i + 1 + random.IntN(2)) % 3
			gap := strengths[i] - strengths[j]
			switch luck {
			case i:
				gap += 1.5
			case j:
				gap -= 1.5
			}
			g := Game{i, j, 0}
			if random.Float64() < logistic(gap) {
				g.Won = 1
			}
			games = append(games, g)
		}
		all = append(all, games)
	}
	return all
}

// TestArenaCoverage: the interval of the chance of one player against another holds what many
// prompts show; games of one prompt are not taken for independent.
func TestArenaCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(61, 62))
	strengths := []float64{0.5, 0, -0.5}
	chance := func(b []float64) float64 { return Chance(b[0], b[2]) }
	all, err := ArenaOf(tournament(random, 40000, strengths), 3, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	truth, covered := chance(all.Strengths), 0
	const runs = 200
	for seed := range uint64(runs) {
		a, err := ArenaOf(tournament(random, 60, strengths), 3, 200, seed)
		if err != nil {
			t.Fatal(err)
		}
		covered += covers(a.Interval(chance), truth)
	}
	near(t, "the coverage", float64(covered)/runs, 0.94, 0.04)
}

// TestArenaOfTwo: two players are a rate: of ten prompts with six wins and two ties, 0.7.
func TestArenaOfTwo(t *testing.T) {
	var prompts [][]Game
	for i := range 10 {
		won := []float64{1, 1, 1, 1, 1, 1, 0.5, 0.5, 0, 0}[i]
		if i%2 == 0 {
			prompts = append(prompts, []Game{{0, 1, won}})
		} else {
			prompts = append(prompts, []Game{{1, 0, 1 - won}}, nil)
		}
	}
	a, err := ArenaOf(prompts, 2, 500, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := a.Interval(func(b []float64) float64 { return Chance(b[0], b[1]) })
	near(t, "the rate", got.Value, 0.7, 1e-6)
	if got.N != 10 || !(got.Low < 0.55 && got.High > 0.85 && got.High <= 1) {
		t.Errorf("%+v", got)
	}
	if _, err := ArenaOf([][]Game{{{0, 1, 1}}}, 2, 10, 1); err == nil {
		t.Error("one win ranks two players")
	}
	one := a
	one.drawn = [][]float64{nil, nil}
	if got := one.Interval(func(b []float64) float64 { return b[0] }); got.Bounded() || math.IsNaN(got.Value) {
		t.Errorf("of resamples that rank nobody: %+v", got)
	}
}
