package measure

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// ratings spells a table of counts out as the words of two raters.
func ratings(table [][]int) (a, b []int) {
	for i, row := range table {
		for j, count := range row {
			for range count {
				a, b = append(a, i), append(b, j)
			}
		}
	}
	return a, b
}

// cohenOf is the kappa of a table, of items that are independent.
func cohenOf(table [][]int) Interval {
	a, b := ratings(table)
	return CohenKappa(a, b, nil)
}

// TestCohenKappaOfTextbooks: the examples of Wikipedia (Cohen's kappa), of Fleiss, Levin and
// Paik 2003 (Statistical Methods for Rates and Proportions, table 18.1), and, with its
// interval, of the manual of SAS (FREQ procedure: two dermatologists, 0.3449 from 0.2030 to
// 0.4868).
func TestCohenKappaOfTextbooks(t *testing.T) {
	for _, c := range []struct {
		table         [][]int
		kappa, digits float64
	}{
		{[][]int{{20, 5}, {10, 15}}, 0.4, 1e-12},
		{[][]int{{45, 15}, {25, 15}}, 0.1304, 5e-5},
		{[][]int{{25, 35}, {5, 35}}, 0.2593, 5e-5},
		{[][]int{{75, 1, 4}, {5, 4, 1}, {0, 0, 10}}, 0.68, 5e-3},
	} {
		near(t, "kappa", cohenOf(c.table).Value, c.kappa, c.digits)
	}
	skin := [][]int{{10, 4, 1, 0}, {5, 10, 12, 2}, {2, 4, 12, 5}, {0, 2, 6, 13}}
	nearInterval(t, "kappa of the dermatologists", cohenOf(skin), 0.3449, 0.2030, 0.4868, 5e-5)
}

// TestCohenKappaErrorIsTheDeltaMethod: the published formula is the variance of the shares
// of the table carried through kappa's derivatives, which are taken numerically here.
func TestCohenKappaErrorIsTheDeltaMethod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 4).Draw(t, "categories")
		table := make([][]int, k)
		for i := range table {
			table[i] = rapid.SliceOfN(rapid.IntRange(5, 40), k, k).Draw(t, "row")
			table[i][i] += 40 // so that the ends stay within -1 and 1
		}
		got := cohenOf(table)
		near(t, "the error", (got.High-got.Low)/(2*normal95), deltaError(table), 1e-6)
	})
}

func deltaError(table [][]int) float64 {
	var shares []float64
	n, k := 0.0, len(table)
	for _, row := range table {
		for _, count := range row {
			n += float64(count)
			shares = append(shares, float64(count))
		}
	}
	kappa := func(p []float64) float64 {
		sum, agreed, chance := 0.0, 0.0, 0.0
		for _, v := range p {
			sum += v
		}
		for i := range k {
			agreed += p[i*k+i] / sum
			for j := range k {
				for l := range k {
					chance += p[i*k+j] * p[l*k+i] / (sum * sum)
				}
			}
		}
		return (agreed - chance) / (1 - chance)
	}
	mean, square := 0.0, 0.0
	for i := range shares {
		shares[i] /= n
	}
	for i, share := range shares {
		const h = 1e-6
		shares[i] = share + h
		up := kappa(shares)
		shares[i] = share - h
		slope := (up - kappa(shares)) / (2 * h)
		shares[i] = share
		mean += share * slope
		square += share * slope * slope
	}
	return math.Sqrt((square - mean*mean) / n)
}

// diagnoses are the 30 patients of Fleiss (1971, Psychological Bulletin 76, table 1), each
// diagnosed by six psychiatrists: depression, personality disorder, schizophrenia, neurosis,
// other.
var diagnoses = [][]int{
	{0, 0, 0, 6, 0}, {0, 3, 0, 0, 3}, {0, 1, 4, 0, 1}, {0, 0, 0, 0, 6}, {0, 3, 0, 3, 0},
	{2, 0, 4, 0, 0}, {0, 0, 4, 0, 2}, {2, 0, 3, 1, 0}, {2, 0, 0, 4, 0}, {0, 0, 0, 0, 6},
	{1, 0, 0, 5, 0}, {1, 1, 0, 4, 0}, {0, 3, 3, 0, 0}, {1, 0, 0, 5, 0}, {0, 2, 0, 3, 1},
	{0, 0, 5, 0, 1}, {3, 0, 0, 1, 2}, {5, 1, 0, 0, 0}, {0, 2, 0, 4, 0}, {1, 0, 2, 0, 3},
	{0, 0, 0, 0, 6}, {0, 1, 0, 5, 0}, {0, 2, 0, 1, 3}, {2, 0, 0, 4, 0}, {1, 0, 0, 4, 1},
	{0, 5, 0, 1, 0}, {4, 0, 0, 0, 2}, {0, 2, 0, 4, 0}, {1, 0, 5, 0, 0}, {0, 0, 0, 0, 6},
}

// subjects are the ten of Wikipedia's page on Fleiss' kappa, fourteen raters each.
var subjects = [][]int{
	{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1},
	{7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7},
}

func TestFleissKappaOfTextbooks(t *testing.T) {
	near(t, "kappa of the diagnoses", FleissKappa(diagnoses, nil).Value, 0.430, 5e-4)
	near(t, "kappa of the subjects", FleissKappa(subjects, nil).Value, 0.210, 5e-4)
}

// TestFleissKappaErrorIsTheJackknife: leaving each item out in turn is another way to the
// same error; for the diagnoses, and for items of which most fall into one category, where how
// often that is chosen is the larger part of it.
func TestFleissKappaErrorIsTheJackknife(t *testing.T) {
	var skewed [][]int
	for i := range 120 {
		skewed = append(skewed, [][]int{{4, 0}, {4, 0}, {4, 0}, {3, 1}, {0, 4}, {4, 0}}[i%6])
	}
	for _, items := range [][][]int{diagnoses, skewed} {
		got, n := FleissKappa(items, nil), float64(len(items))
		values, sum := make([]float64, len(items)), 0.0
		for i := range items {
			rest := append(append([][]int(nil), items[:i]...), items[i+1:]...)
			values[i] = FleissKappa(rest, nil).Value
			sum += values[i] / n
		}
		squares := 0.0
		for _, v := range values {
			squares += (v - sum) * (v - sum)
		}
		jackknife := math.Sqrt(squares * (n - 1) / n)
		near(t, "the error", (got.High-got.Low)/(2*student95(n-1)), jackknife, 0.03*jackknife)
	}
}

// TestRatersMayDifferInNumber: an item with one rater changes nothing, one that repeats all
// ratings of an item hardly does.
func TestRatersMayDifferInNumber(t *testing.T) {
	with := append([][]int{{1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}, diagnoses...)
	if got, want := FleissKappa(with, nil), FleissKappa(diagnoses, nil); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	doubled := append([][]int{{0, 0, 0, 12, 0}}, diagnoses[1:]...)
	if got := FleissKappa(doubled, nil); !got.Bounded() || got.Value < 0.42 || got.Value > 0.45 {
		t.Errorf("%+v", got)
	}
}

func TestPerfectAgreementOfFewIsNotCertain(t *testing.T) {
	words := []int{0, 1, 0, 1, 1}
	if got := CohenKappa(words, words, nil); got.Value != 1 || got.High != 1 || !(got.Low > 0 && got.Low < 0.3) {
		t.Errorf("Cohen: %+v", got)
	}
	if got := CohenKappa([]int{1, 0, 0, 0, 1, 2}, make([]int, 6), nil); !(got.Low < -0.3 && got.High > 0.3) {
		t.Errorf("a rater of one word: %+v", got)
	}
	if got := FleissKappa([][]int{{3, 0}, {0, 3}, {3, 0}, {0, 3}, {0, 3}}, nil); got.Value != 1 || got.High != 1 || !(got.Low > 0 && got.Low < 0.3) {
		t.Errorf("Fleiss: %+v", got)
	}
}

func TestAgreementThatIsNotDefined(t *testing.T) {
	for _, got := range []Interval{
		CohenKappa(nil, nil, nil), CohenKappa([]int{1, 1}, []int{1, 1}, nil),
		FleissKappa(nil, nil), FleissKappa([][]int{{1, 0}}, nil), FleissKappa([][]int{{3, 0}, {3, 0}}, nil),
		FleissKappa([][]int{{3, -1}}, nil), FleissKappa([][]int{{3, 0}, {3, 0, 1}}, nil), FleissKappa([][]int{{}}, nil),
	} {
		if got.Defined() {
			t.Errorf("%+v is defined", got)
		}
	}
}

// TestKappaBounds: kappa is at most 1, its interval holds it, and the order of the raters
// and the names of the words do not matter.
func TestKappaBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		a := rapid.SliceOfN(rapid.IntRange(-1, 1), n, n).Draw(t, "a")
		b := rapid.SliceOfN(rapid.IntRange(-1, 1), n, n).Draw(t, "b")
		got, swapped := CohenKappa(a, b, nil), CohenKappa(b, a, nil)
		if !got.Defined() {
			return
		}
		if !(-1 <= got.Low && got.Low <= got.Value && got.Value <= got.High && got.High <= 1) {
			t.Fatalf("%+v", got)
		}
		near(t, "kappa of the swapped raters", swapped.Value, got.Value, 1e-12)
		near(t, "the low end of the swapped raters", swapped.Low, got.Low, 1e-9)
		// Two raters of Fleiss' kind have the same words to choose from, so that more
		// of their agreement is chance.
		counts := make([][]int, n)
		for i := range counts {
			counts[i] = make([]int, 3)
			counts[i][a[i]+1]++
			counts[i][b[i]+1]++
		}
		fleiss := FleissKappa(counts, nil).Value
		near(t, "Scott's pi", fleiss, scott(a, b), 1e-9)
		if fleiss > got.Value+1e-9 {
			t.Fatalf("Fleiss %v is above Cohen %v", fleiss, got.Value)
		}
	})
}

// scott is the kappa of two raters whose words are drawn from one urn (Scott 1955), which
// Fleiss' is for two.
func scott(a, b []int) float64 {
	agreed, chance, n := 0.0, 0.0, float64(len(a))
	both := append(append([]int(nil), a...), b...)
	for i := range a {
		if a[i] == b[i] {
			agreed += 1 / n
		}
	}
	for _, x := range both {
		for _, y := range both {
			if x == y {
				chance += 1 / (4 * n * n)
			}
		}
	}
	return (agreed - chance) / (1 - chance)
}

// TestKappaCoverage draws raters who say the truth seven times in ten, else any of three
// words; kappa is then 0.49 for each pair of them.
func TestKappaCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	say := func(truth int) int {
		if random.Float64() < 0.7 {
			return truth
		}
		return random.IntN(3)
	}
	const rounds, items = 2000, 60
	cohen, fleiss := 0, 0
	for range rounds {
		a, b, counts := make([]int, items), make([]int, items), make([][]int, items)
		for i := range items {
			truth := random.IntN(3)
			a[i], b[i], counts[i] = say(truth), say(truth), make([]int, 3)
			for _, word := range []int{a[i], b[i], say(truth), say(truth)} {
				counts[i][word]++
			}
		}
		cohen += covers(CohenKappa(a, b, nil), 0.49)
		fleiss += covers(FleissKappa(counts, nil), 0.49)
	}
	near(t, "the coverage of Cohen's", float64(cohen)/rounds, 0.95, 0.02)
	near(t, "the coverage of Fleiss'", float64(fleiss)/rounds, 0.95, 0.02)
}

// TestKappaOverPromptsCoverage: two raters, and a third, judge the answers of twelve checkpoints
// to each of 25 prompts, of which some are clear and some are not. The interval over prompts
// covers the truth; that over comparisons does not.
func TestKappaOverPromptsCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	draw := func(prompts int) (a, b []int, counts [][]int, of []string) {
		for p := range prompts {
			clear, truth := random.Float64() < 0.5, random.IntN(3)
			say := func() int {
				if clear {
					return truth
				}
				return random.IntN(3)
			}
			for range 12 {
				row := make([]int, 3)
				x, y := say(), say()
				for _, word := range []int{x, y, say()} {
					row[word]++
				}
				a, b, counts, of = append(a, x), append(b, y), append(counts, row), append(of, strconv.Itoa(p))
			}
		}
		return a, b, counts, of
	}
	const rounds = 1000
	cohen, fleiss, loose := 0, 0, 0
	for range rounds {
		a, b, counts, of := draw(25)
		cohen += covers(CohenKappa(a, b, of), 0.5)
		fleiss += covers(FleissKappa(counts, of), 0.5)
		loose += covers(CohenKappa(a, b, nil), 0.5)
	}
	near(t, "the coverage of Cohen's over prompts", float64(cohen)/rounds, 0.94, 0.02)
	near(t, "the coverage of Fleiss' over prompts", float64(fleiss)/rounds, 0.94, 0.02)
	if loose > rounds*8/10 {
		t.Errorf("comparisons alone cover %d of %d: the test does not tell them apart", loose, rounds)
	}
}

// TestKappaOverPromptsIsTheBootstrap: drawing whole prompts anew is another way to the same
// error; a prompt for each item changes little, and one prompt for all leaves no interval.
func TestKappaOverPromptsIsTheBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var a, b []int
	var of, own []string
	for p := range 60 {
		truth := random.IntN(3)
		for range 1 + random.IntN(8) {
			x, y := truth, truth
			if p%3 == 0 {
				x, y = random.IntN(3), random.IntN(3)
			}
			a, b, of, own = append(a, x), append(b, y), append(of, strconv.Itoa(p)), append(own, strconv.Itoa(len(own)))
		}
	}
	var kappas []float64
	for range 2000 {
		var x, y []int
		for range 60 {
			p := strconv.Itoa(random.IntN(60))
			for i := range a {
				if of[i] == p {
					x, y = append(x, a[i]), append(y, b[i])
				}
			}
		}
		kappas = append(kappas, CohenKappa(x, y, nil).Value)
	}
	got, spread := CohenKappa(a, b, of), stat.StdDev(kappas, nil)
	near(t, "the error", (got.High-got.Low)/(2*student95(59)), spread, 0.1*spread)
	alone, items := CohenKappa(a, b, own), CohenKappa(a, b, nil)
	near(t, "the reach of a prompt an item", alone.High-alone.Low, items.High-items.Low, 0.02*(items.High-items.Low))
	if one := CohenKappa(a, b, make([]string, len(a))); !one.Defined() || one.Bounded() {
		t.Errorf("one prompt: %+v", one)
	}
}

func TestAgreementWords(t *testing.T) {
	for kappa, want := range map[float64]string{-0.1: "poor", 0: "slight", 0.2: "slight", 0.21: "fair", 0.5: "moderate", 0.7: "substantial", 0.81: "almost perfect", 1: "almost perfect"} {
		if got := AgreementWord(kappa); got != want {
			t.Errorf("%v is %s, want %s", kappa, got, want)
		}
	}
	if got := AgreementWord(nan); got != "undefined" {
		t.Errorf("NaN is %s", got)
	}
}
