package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/page"
)

// The looks of lines and marks; each differs from the others in shape and dashes too.
const (
	mainStyle = iota
	alertStyle
	otherStyle
	// outStyle has the colour of alertStyle, and filled marks.
	outStyle = 36
)

// plotPoints bounds a line: a drawing is no wider.
const plotPoints = 120

// draw makes a figure of a plot.
func draw(p page.Plot) page.Figure {
	if p.Low == 0 && p.High == 0 {
		p.Low, p.High = math.NaN(), math.NaN()
	}
	return page.Figure{Title: p.Title, Note: p.Note, SVG: p.SVG()}
}

// line is a series of a plot, thinned; where points were merged a band reaches from the
// least to the greatest.
func line(name string, points []record.Point, style int, scale float64) page.Series {
	s := page.Series{Name: name, Style: style, Bare: len(points) > 40}
	if len(points) == 0 {
		return s
	}
	parts := min(plotPoints, len(points))
	first, last := points[0].Step, points[len(points)-1].Step
	for at := 0; at < len(points); {
		part := partOf(points[at].Step, first, last, parts)
		sum, low, high, n := 0.0, math.Inf(1), math.Inf(-1), 0
		from := points[at].Step
		for ; at < len(points) && partOf(points[at].Step, first, last, parts) == part; at++ {
			value := scale * points[at].Value
			n++
			sum += (value - sum) / float64(n)
			low, high = min(low, value), max(high, value)
		}
		s.X, s.Y = append(s.X, float64(from+points[at-1].Step)/2), append(s.Y, sum)
		s.From, s.To = append(s.From, low), append(s.To, high)
	}
	if len(s.X) == len(points) { // nothing was merged
		s.From, s.To = nil, nil
	}
	return s
}

// partOf says in which of equal parts of the steps a step lies.
func partOf(step, first, last int64, parts int) int {
	at := int(float64(step-first) / (float64(last-first) + 1) * float64(parts))
	return max(0, min(parts-1, at))
}

// signalFigures draws what a signal rests on, with its borders and where it alerts; none
// where there is nothing to draw. Of a metric beside the reward, the reward stands beside it.
func signalFigures(r *audit.Result, s *audit.Signal) []page.Figure {
	points := curve(r, s)
	if len(points) < 2 {
		return nil
	}
	name, y := named(s.Name), ""
	scale, unit := scaleOf(s.Unit)
	if y = unit; s.CurveOf != "" {
		name = named(s.CurveOf)
		scale, _ = scaleOf(s.CurveUnit)
		y = axis(name, s.CurveUnit)
	}
	p := page.Plot{Title: name, X: "step", Y: y, Series: []page.Series{line(name, points, mainStyle, scale)}}
	p.Spans = spans([]audit.Signal{*s}, points[len(points)-1].Step)
	for _, b := range s.Borders {
		p.Levels = append(p.Levels, page.Level{At: scale * b.At, Name: map[audit.Level]string{audit.Alert: "alert", audit.Warn: "warn"}[b.Level]})
	}
	p.Alt = alt(p)
	if s.CurveOf == "" {
		return []page.Figure{draw(p)}
	}
	return append([]page.Figure{draw(p)}, rewardFigure(r, s)...)
}

// rewardFigure draws the reward of training, with where a signal alerts; none where it was not
// logged.
func rewardFigure(r *audit.Result, s *audit.Signal) []page.Figure {
	reward := series(r.Record, record.Reward)
	if reward == nil || len(reward.Points) < 2 {
		return nil
	}
	scale, _ := scaleOf(reward.Unit)
	p := page.Plot{Title: "reward of training", X: "step", Y: axis("reward", reward.Unit), Series: []page.Series{line("reward", reward.Points, otherStyle, scale)}}
	p.Spans = spans([]audit.Signal{*s}, reward.Points[len(reward.Points)-1].Step)
	p.Alt = alt(p)
	return []page.Figure{draw(p)}
}

// scaleOf is the factor by which a unit is drawn, and its name.
func scaleOf(unit record.Unit) (float64, string) {
	if unit == record.Share {
		return 100, "%"
	}
	if unit == record.Plain {
		return 1, ""
	}
	return 1, plain(string(unit))
}

// spans are where any of the signals alerts, merged.
func spans(list []audit.Signal, last int64) []page.Span {
	var all []audit.Span
	for _, s := range list {
		for _, span := range joined(s) {
			if span.To < 0 || span.To > last {
				span.To = last
			}
			if span.From <= span.To {
				all = append(all, span)
			}
		}
	}
	slices.SortFunc(all, func(a, b audit.Span) int { return cmp.Compare(a.From, b.From) })
	var out []page.Span
	for _, s := range all {
		if n := len(out); n > 0 && float64(s.From) <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, float64(s.To))
			continue
		}
		name := "alert"
		if len(out) > 0 {
			name = "" // the first says it for all
		}
		out = append(out, page.Span{From: float64(s.From), To: float64(s.To), Name: name, Style: alertStyle})
	}
	return out
}

// joined are the spans of a signal, those as one between which it has no value: evaluations that
// follow each other.
func joined(s audit.Signal) []audit.Span {
	var out []audit.Span
	for _, span := range s.Spans {
		last := len(out) - 1
		if last >= 0 && out[last].To >= 0 && len(s.Curve) > 0 && !slices.ContainsFunc(s.Curve, func(p record.Point) bool {
			return p.Step > out[last].To && p.Step < span.From
		}) {
			out[last].To = span.To
			continue
		}
		out = append(out, span)
	}
	return out
}

// overview are the quantities whose curves are always shown, where they were logged.
var overview = []record.Quantity{record.Reward, record.HeldOut, record.KLReference, record.Length, record.Truncated, record.Entropy, record.ClipFraction}

// addCurves adds the curves of a run, with all that alerts marked.
func (v *pageView) addCurves(r *audit.Result) {
	for _, q := range overview {
		s := series(r.Record, q)
		if s == nil || len(s.Points) < 2 {
			continue
		}
		scale, unit := scaleOf(s.Unit)
		p := page.Plot{Title: capital(named(string(q))), X: "step", Y: unit, Series: []page.Series{line(named(string(q)), s.Points, mainStyle, scale)}}
		p.Spans = spans(level(r, audit.Alert), s.Points[len(s.Points)-1].Step)
		p.Note = "Logged as " + plain(s.Name)
		if s.Basis != "" {
			p.Note += ": " + plain(s.Basis)
		}
		p.Note += "."
		if s.Trap != "" {
			p.Note += " " + capital(plain(s.Trap)) + "."
		}
		p.Alt = alt(p)
		v.Curves = append(v.Curves, draw(p))
	}
}

// metricFigure draws a metric of the checkpoints by step, with its intervals; nil where
// fewer than two have it.
func metricFigure(r *audit.Result, name string) *page.Figure {
	s := page.Series{Name: named(name)}
	unit := record.Unit("")
	for _, c := range r.Checkpoints {
		m, ok := c.Metrics[name]
		if !ok {
			continue
		}
		unit = m.Unit
		scale, _ := scaleOf(unit)
		s.X, s.Y = append(s.X, float64(c.Step)), append(s.Y, scale*m.Value)
		if m.Low != nil && m.High != nil {
			s.From, s.To = append(s.From, scale**m.Low), append(s.To, scale**m.High)
		}
	}
	if len(s.X) < 2 {
		return nil
	}
	note := ""
	if len(s.From) != len(s.X) {
		s.From, s.To = nil, nil
	} else {
		note = "The band is the 95 % interval of each."
	}
	_, y := scaleOf(unit)
	p := page.Plot{Title: capital(named(name)), X: "step", Y: y, Series: []page.Series{s}, Note: note}
	if unit == record.Share {
		p.Levels = []page.Level{{At: 50, Name: "as often as the base"}}
	}
	p.Alt = alt(p)
	f := draw(p)
	return &f
}

// alt says in words what a plot shows.
func alt(p page.Plot) string {
	low, high := p.Range()
	if low > high {
		return p.Title + ": no number to draw."
	}
	y := p.Series[0].Y
	out := fmt.Sprintf("%s over %s: from %s at first to %s at last, between %s and %s", p.Title, p.X, number(y[0]), number(y[len(y)-1]), number(low), number(high))
	for _, s := range p.Spans {
		out += fmt.Sprintf("; an alert from %s to %s", number(s.From), number(s.To))
	}
	return out + "."
}
