package postmortem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/words"
)

// losses draws the losses of the runs before the fix and after it, in one range, and the
// legend of the seeds.
func (w *writer) losses() ([]figure, []page.Entry) {
	shown := shownRuns(w.r.Seeds)
	plots := []page.Plot{lossPlot("Loss", w.r.Seeds, shown)}
	if after := w.r.Fix.After; after != nil && len(after.Seeds) > 0 {
		plots = []page.Plot{lossPlot("Loss before the fix", w.r.Seeds, shown), lossPlot("Loss after the fix", after.Seeds, shown)}
	}
	alike(plots)
	var figures []figure
	for _, p := range plots {
		if len(p.Series) > 0 {
			figures = append(figures, w.drawn(p, noteOf(&p, w.r, shown))...)
		}
	}
	if len(figures) == 0 {
		return nil, nil
	}
	return figures, page.Legend(looks(shown))
}

// shownRuns are the seeds that are drawn: those that failed first.
func shownRuns(seeds []hunt.Seed) (out []int) {
	sorted := slices.Clone(seeds)
	slices.SortStableFunc(sorted, func(a, b hunt.Seed) int { return rank(a) - rank(b) })
	failed := 0
	for _, s := range sorted {
		if s.Failure != nil {
			failed++
		}
	}
	if failed >= mostLines && failed < len(sorted) { // a clean one beside them
		sorted = append(sorted[:mostLines-1:mostLines-1], sorted[failed:]...)
	}
	for _, s := range sorted[:min(len(sorted), mostLines)] {
		out = append(out, s.Seed)
	}
	slices.Sort(out)
	return out
}

func looks(shown []int) (out []page.Series) {
	for i, seed := range shown {
		out = append(out, page.Series{Name: fmt.Sprintf("seed %d", seed), Style: i})
	}
	return out
}

// lossPlot has a line a seed, and a cross where it ends in what is no number.
func lossPlot(title string, seeds []hunt.Seed, shown []int) page.Plot {
	p := page.Plot{Title: title, X: "optimizer step", Y: "loss", Low: math.NaN(), High: math.NaN()}
	for _, s := range seeds {
		i := slices.Index(shown, s.Seed)
		if i < 0 {
			continue
		}
		line := page.Series{Name: fmt.Sprintf("seed %d", s.Seed), Style: i}
		for _, l := range s.Losses {
			if l.Value.Finite() {
				line.X, line.Y = append(line.X, float64(l.Step)), append(line.Y, float64(l.Value))
			}
		}
		if end := len(line.X) - 1; end >= 0 && s.Failure != nil {
			p.Crosses = append(p.Crosses, page.Cross{X: line.X[end], Y: line.Y[end], Name: ending(s), Style: i})
		}
		line.X, line.Y = thinned(line.X), thinned(line.Y)
		p.Series = append(p.Series, line)
	}
	p.Alt = altOf(&p)
	return p
}

// ending names what a line ends in: the loss that is no number, or the kind of failure.
func ending(s hunt.Seed) string {
	if n := len(s.Losses); n > 0 && !s.Losses[n-1].Value.Finite() {
		return s.Losses[n-1].Value.String()
	}
	return strings.ReplaceAll(s.Failure.Kind, "-", " ")
}

// thinned keeps some of many numbers, the last one among them.
func thinned(list []float64) []float64 {
	every := (len(list) + mostPoints - 1) / mostPoints
	if every < 2 {
		return list
	}
	var out []float64
	for i := (len(list) - 1) % every; i < len(list); i += every {
		out = append(out, list[i])
	}
	return out
}

// decades is from where on an axis is logarithmic.
const decades = 2

// alike gives plots one range of numbers, and a logarithmic axis where they span decades
// and all are positive.
func alike(plots []page.Plot) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range plots {
		from, to := p.Range()
		low, high = min(low, from), max(high, to)
	}
	if low > high {
		return
	}
	for i := range plots {
		plots[i].Low, plots[i].High = low, high
		plots[i].Log = low > 0 && math.Log10(high/low) >= decades
	}
}

func noteOf(p *page.Plot, r *hunt.Result, shown []int) string {
	var said []string
	if len(p.Crosses) > 0 {
		said = append(said, "A cross marks the last finite loss of a run, and says how it ended.")
	}
	if p.Log {
		said = append(said, "The axis is logarithmic.")
	}
	if len(shown) < len(r.Seeds) {
		said = append(said, fmt.Sprintf("%d of %d runs are drawn.", len(shown), len(r.Seeds)))
	}
	return strings.Join(said, " ")
}

func altOf(p *page.Plot) string {
	low, high := p.Range()
	if low > high {
		return p.Title + ": no finite loss."
	}
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	out := fmt.Sprintf("%s by optimizer step for %s, from %.4g to %.4g.", p.Title, words.And(names), low, high)
	for _, c := range p.Crosses {
		out += fmt.Sprintf(" A run ends at step %.0f: %s.", c.X, c.Name)
	}
	return out
}
