package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/page"
)

// # What is drawn of a finding
//
// A probe keeps numbers of the evaluations, each under a name. Each name is a drawing: a
// line a seed over the evaluations. "low" and "high" are drawn as a band around the first.
// What the fixed program did stands beside it, in the same range of numbers, so that the
// eye compares. "ought" is what the first ought to be.

// stage is a program and what was seen of it: as it is, or with its fixes.
type stage struct {
	title string
	seeds []harness.SeedEvidence
}

// figures draws what the probe of a finding kept, and the legend of the seeds.
func figures(before, after harness.Evidence) ([]page.Figure, []page.Entry) {
	stages := []stage{{"", before.Seeds}}
	if hasPoints(after.Seeds) {
		stages = []stage{{"before the fix", before.Seeds}, {"after the fix", after.Seeds}}
	}
	all := slices.Concat(before.Seeds, after.Seeds)
	var out []page.Figure
	for i, name := range seriesNames(all) {
		for _, p := range drawings(name, i == 0, stages) {
			out = append(out, page.Figure{Title: p.Title, Note: p.Note, SVG: p.SVG()})
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, page.Legend(looks(all))
}

// drawings are those of one name, a stage each, in one range of numbers. The first name
// has a band and a level.
func drawings(name string, first bool, stages []stage) []page.Plot {
	var out []page.Plot
	low, high := math.NaN(), math.NaN()
	for _, s := range stages {
		words := strings.ReplaceAll(name, "_", " ")
		p := page.Plot{Title: capital(words), X: "evaluation", Y: words, Series: seedLines(s.seeds, name, first)}
		if s.title != "" {
			p.Title += ", " + s.title
		}
		p.Alt = altOf(p)
		if from, to := p.Range(); from <= to {
			low, high = least(low, from), -least(-high, -to)
		}
		if first {
			p.Levels = levels(s.seeds)
			p.Note = noteOf(p.Series)
		}
		out = append(out, p)
	}
	for i := range out {
		out[i].Low, out[i].High = low, high
	}
	return out
}

// levels are what the first number ought to be.
func levels(seeds []harness.SeedEvidence) []page.Level {
	for _, s := range seeds {
		if _, y := pointsOf(s, "ought"); len(y) > 0 {
			return []page.Level{{At: y[0], Name: fmt.Sprintf("expected %.4g", y[0])}}
		}
	}
	return nil
}

func noteOf(lines []page.Series) string {
	if slices.ContainsFunc(lines, func(l page.Series) bool { return len(l.From) > 0 }) {
		return "The bands reach from the smallest to the largest element."
	}
	return ""
}

// looks are the seeds for the legend, each once.
func looks(seeds []harness.SeedEvidence) []page.Series {
	var out []page.Series
	for _, s := range seeds {
		name := fmt.Sprintf("seed %d", s.Seed)
		if !slices.ContainsFunc(out, func(l page.Series) bool { return l.Name == name }) {
			out = append(out, page.Series{Name: name, Style: len(out)})
		}
	}
	return out
}

// least is the lesser number; a NaN is none.
func least(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

func hasPoints(seeds []harness.SeedEvidence) bool {
	return slices.ContainsFunc(seeds, func(s harness.SeedEvidence) bool { return len(s.Series) > 0 })
}

// belonging are names that say more of the first one.
var belonging = []string{"low", "high", "ought"}

// seriesNames are the names that are drawn, in the order of the probe.
func seriesNames(seeds []harness.SeedEvidence) []string {
	var out []string
	for _, s := range seeds {
		for _, line := range s.Series {
			if !slices.Contains(belonging, line.Name) && !slices.Contains(out, line.Name) {
				out = append(out, line.Name)
			}
		}
	}
	return out
}

// seedLines are the lines of one name, with the same look for the same seed everywhere.
func seedLines(seeds []harness.SeedEvidence, name string, banded bool) []page.Series {
	var out []page.Series
	for i, s := range seeds {
		line := page.Series{Name: fmt.Sprintf("seed %d", s.Seed), Style: i}
		if line.X, line.Y = pointsOf(s, name); len(line.X) == 0 {
			continue
		}
		if banded {
			line.From, line.To = bandOf(s, len(line.X))
		}
		out = append(out, line)
	}
	return out
}

// bandOf is the band of a seed, nil where it does not fit the line of so many points.
func bandOf(s harness.SeedEvidence, points int) (from, to []float64) {
	_, from = pointsOf(s, "low")
	_, to = pointsOf(s, "high")
	if len(from) != points || len(to) != points {
		return nil, nil
	}
	return from, to
}

// pointsOf are the evaluations, counted from 1, and the numbers.
func pointsOf(s harness.SeedEvidence, name string) (x, y []float64) {
	for _, line := range s.Series {
		if line.Name != name {
			continue
		}
		for _, at := range line.Points {
			if len(at) == 3 {
				x, y = append(x, at[0]+1), append(y, at[2])
			}
		}
	}
	return x, y
}

// altOf says what a plot shows.
func altOf(p page.Plot) string {
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return p.Title + ": no finite number was seen."
	}
	low, high := p.Range()
	return fmt.Sprintf("%s: %s by %s for %s, from %.4g to %.4g.", p.Title, p.Y, p.X, strings.Join(names, ", "), low, high)
}
