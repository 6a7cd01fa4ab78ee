package page

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Span is a part of the horizontal axis that stands out: it is tinted, bounded by dashed
// lines, and named at its top.
type Span struct {
	From, To float64
	Name     string
	// Style numbers the colour, as that of a Series.
	Style int
}

// placedSpan is a span, with what its name must not cover.
type placedSpan struct {
	Span
	room *room
}

// Plot draws the span over the whole height. What lies outside of the axis is cut off.
func (s placedSpan) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	from, to := max(s.From, p.X.Min), min(s.To, p.X.Max)
	if !(from <= to) { // outside, or no numbers
		return
	}
	left, right := toX(from), max(toX(to), toX(from)+1.5) // one step is seen too
	c.FillPolygon(bandColor(s.Style), []vg.Point{{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right, Y: c.Max.Y}, {X: left, Y: c.Max.Y}})
	edge := draw.LineStyle{Color: lineColor(s.Style), Width: 0.8, Dashes: []vg.Length{3, 2}}
	for _, x := range []vg.Length{left, right} {
		c.StrokeLine2(edge, x, c.Min.Y, x, c.Max.Y)
	}
	s.room.write(c, p, s.Name, func(width, height vg.Length) []vg.Point {
		top, bottom := c.Max.Y-height-1, c.Min.Y+3
		inside := []vg.Point{{X: left + 3, Y: top}, {X: right - width - 3, Y: top}, {X: left + 3, Y: bottom}, {X: right - width - 3, Y: bottom}}
		beside := []vg.Point{{X: left - width - 3, Y: top}, {X: left - width - 3, Y: bottom}}
		if width+4 > right-left {
			return append(beside, inside...)
		}
		return append(inside, beside...)
	})
}
