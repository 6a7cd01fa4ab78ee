package watch

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/words"
)

//go:generate go run github.com/valyala/quicktemplate/qtc -skipLineComments -ext=qtpl

// WritePage writes the curves as one page of HTML that needs nothing else.
func WritePage(w io.Writer, r *Result) error {
	v := &pageView{Script: r.Script}
	for _, p := range r.Places {
		s := section{Name: p.Text, Where: fmt.Sprintf("%s, %s%s", p.Where(), words.Count(len(p.Values), "evaluation"), p.is()), Doubt: words.Plain(p.Doubt)}
		s.Figures, s.Legend = figures(p)
		v.Sections = append(v.Sections, s)
	}
	return page.Render(w, v)
}

// pageView is what the template shows.
type pageView struct {
	Script   string
	Sections []section
}

type section struct {
	Name, Where, Doubt string
	Figures            []page.Figure
	Legend             []page.Entry
}

// mostPoints is how many points a line has, more than which nobody reads.
const mostPoints = 300

// figures are the curves of a place: the mean with its extremes, and what else is known.
func figures(p Place) (out []page.Figure, legend []page.Entry) {
	groups := Groups(p.Values)
	for _, c := range []struct {
		name string
		of   func(Group) float64
		band bool
	}{
		{"mean", func(g Group) float64 { return g.Mean }, true},
		{"std", func(g Group) float64 { return g.Std }, false},
		{"share clipped", func(g Group) float64 { return g.Clipped }, false},
		{"approximate KL", func(g Group) float64 { return g.KL }, false},
	} {
		lines := lines(groups, c.of, c.band)
		if len(lines) == 0 {
			continue
		}
		plot := page.Plot{
			Title: p.Text + ": " + c.name, X: "mini-epoch, all updates in a row", Y: c.name, Series: lines, Low: math.NaN(), High: math.NaN(),
			Alt: fmt.Sprintf("The %s of %s over the mini-epochs, a line a seed.", c.name, p.Text),
		}
		note := ""
		if c.band {
			note = "The bands reach from the smallest to the largest number."
		}
		out = append(out, page.Figure{Title: plot.Title, Note: note, SVG: plot.SVG()})
		legend = page.Legend(lines)
	}
	return out, legend
}

// lines are a line a seed; those of which nothing is known are left out.
func lines(groups []Group, of func(Group) float64, band bool) (out []page.Series) {
	for _, own := range bySeed(groups) {
		s := page.Series{Name: "seed " + strconv.Itoa(own[0].Seed), Style: len(out)}
		every := (len(own) + mostPoints - 1) / mostPoints
		for i := 0; i < len(own); i += every {
			y := of(own[i])
			if math.IsNaN(y) || math.IsInf(y, 0) {
				continue
			}
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, y)
			if band {
				s.From, s.To = append(s.From, own[i].Low), append(s.To, own[i].High)
			}
		}
		if len(s.X) > 0 {
			out = append(out, s)
		}
	}
	return out
}
