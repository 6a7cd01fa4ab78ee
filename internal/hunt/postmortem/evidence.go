package postmortem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/words"
)

// The bounds of what is shown; the first bad one is always in it.
const (
	mostLayers  = 12
	mostSteps   = 6
	mostLines   = 6   // losses, a line a run
	mostPoints  = 200 // of one line
	mostScatter = 2
)

// evidence is what can be seen: layers over steps, slopes, losses.
func (w *writer) evidence() {
	w.heats()
	var figures []figure
	for _, g := range wrongOf(w.r.Gradients)[:min(mostScatter, len(wrongOf(w.r.Gradients)))] {
		figures = append(figures, w.slopes(&g)...)
	}
	losses, legend := w.losses()
	if figures = append(figures, losses...); len(figures) > 0 {
		w.add(block{Figures: figures, Legend: legend})
	}
}

// heats are the norms of activations and of gradients.
func (w *writer) heats() {
	steps, layers := w.shownSteps(), w.shownLayers()
	if len(steps) == 0 {
		return
	}
	prefix := commonPrefix(layers)
	var heats []page.Heat
	for _, kind := range []struct {
		title string
		of    func(*hunt.Layer) []*hunt.Float
	}{
		{"Norm of what each layer returns", func(l *hunt.Layer) []*hunt.Float { return l.Activation }},
		{"Norm of the gradient of each layer's own parameters", func(l *hunt.Layer) []*hunt.Float { return l.Gradient }},
	} {
		heat := page.Heat{Title: kind.title, Rows: "step"}
		if prefix != "" {
			heat.Rows = words.Plain(prefix) + "…"
		}
		for _, s := range steps {
			heat.Columns = append(heat.Columns, strconv.Itoa(s))
		}
		for _, l := range layers {
			if values := kind.of(&l); slices.ContainsFunc(values, func(v *hunt.Float) bool { return v != nil }) {
				heat.Lines = append(heat.Lines, w.heatLine(&l, strings.TrimPrefix(l.Module, prefix), values, steps))
			}
		}
		if len(heat.Lines) > 0 {
			heats = append(heats, heat.Shaded())
		}
	}
	if len(heats) == 0 {
		return
	}
	heats[0].Note = "A column is a step; darker is larger, by powers of ten."
	if module, _ := w.firstCell(); module != "" {
		heats[0].Note += " ✗ marks the module of the first bad value, at its step."
	}
	if left := len(w.r.Layers) - len(layers); left > 0 {
		heats[0].Note += fmt.Sprintf(" %d of %d layers are shown.", len(layers), len(w.r.Layers))
	}
	w.add(block{Heats: heats})
}

func (w *writer) heatLine(l *hunt.Layer, name string, values []*hunt.Float, steps []int) page.HeatLine {
	line := page.HeatLine{Name: words.Plain(name)}
	bad, at := w.firstCell()
	for _, s := range steps {
		var cell page.HeatCell
		if i := slices.Index(l.Steps, s); i >= 0 && i < len(values) && values[i] != nil {
			v := float64(*values[i])
			cell.Value = &v
		}
		cell.First = l.Module == bad && s == at
		line.Cells = append(line.Cells, cell)
	}
	return line
}

// firstCell is the module of the first bad value, and the step: that at which the module was
// bad first, else that of the failure. Where it is in no module, it is the first bad one.
func (w *writer) firstCell() (string, int) {
	if w.r.FirstBad == nil || w.r.Failure == nil {
		return "", -1
	}
	module, step := w.r.FirstBad.Module, w.r.Failure.Step
	for _, l := range w.r.Layers {
		if l.BadStep != nil && (l.Module == module || module == "") {
			return l.Module, *l.BadStep
		}
	}
	return module, step
}

// shownSteps are the last ones.
func (w *writer) shownSteps() []int {
	var steps []int
	for _, l := range w.r.Layers {
		steps = append(steps, l.Steps...)
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	return steps[max(0, len(steps)-mostSteps):]
}

// shownLayers are all, or those that ran nearest to the one of the first bad value.
func (w *writer) shownLayers() []hunt.Layer {
	layers := w.r.Layers
	first, _ := w.firstCell()
	at := max(0, slices.IndexFunc(layers, func(l hunt.Layer) bool { return l.Module == first }))
	from := max(0, min(at-mostLayers/2, len(layers)-mostLayers))
	return layers[from:min(len(layers), from+mostLayers)]
}

// commonPrefix is what the names of some modules begin with, up to a dot.
func commonPrefix(layers []hunt.Layer) string {
	if len(layers) < 2 {
		return ""
	}
	prefix := layers[0].Module
	for _, l := range layers[1:] {
		for !strings.HasPrefix(l.Module, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix[:strings.LastIndex(prefix, ".")+1]
}

// slopes draws what backward says over the difference quotient.
func (w *writer) slopes(g *hunt.Gradient) []figure {
	s := page.Series{Name: "elements"}
	for _, p := range g.Points {
		if p[0].Finite() && p[1].Finite() {
			s.X, s.Y = append(s.X, float64(p[1])), append(s.Y, float64(p[0]))
		}
	}
	if len(s.X) == 0 {
		return nil
	}
	p := page.Plot{Title: "Gradient of " + g.Function, X: "difference quotient", Y: "what backward says", Series: []page.Series{s}, Scatter: true, Low: math.NaN(), High: math.NaN()}
	p.Alt = fmt.Sprintf("What the backward of %s says, over the difference quotient, for %s; if it were right, all points would lie on the diagonal.", g.Function, words.Count(len(s.X), "element"))
	note := "Correct gradients lie on the dashed line."
	if left := len(g.Points) - len(s.X); left > 0 {
		note += fmt.Sprintf(" %s with a slope that is not finite cannot be drawn.", words.Count(left, "element"))
	}
	return w.drawn(p, note)
}

// drawn is a drawing with a note below it.
func (w *writer) drawn(p page.Plot, note string) []figure {
	return []figure{{Figure: page.Figure{Title: p.Title, Note: note, SVG: p.SVG()}, Alt: p.Alt}}
}
