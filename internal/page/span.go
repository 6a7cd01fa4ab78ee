package page

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
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

// Plot draws the span over the whole height. What lies outside of the axis is cut off.
func (s Span) Plot(c draw.Canvas, p *plot.Plot) {
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
	s.write(c, p.X.Tick.Label, left, right)
}

// write writes the name within the span, or beside it where it does not fit.
func (s Span) write(c draw.Canvas, style draw.TextStyle, left, right vg.Length) {
	style.Font.Size, style.Color, style.XAlign, style.YAlign = font.Points(9.5), color.Color(ink), draw.XLeft, draw.YTop
	at := vg.Point{X: left + 3, Y: c.Max.Y - 1}
	if width := style.Width(s.Name); width+4 > right-left && left-width-3 > c.Min.X {
		at.X = left - width - 3
	}
	c.FillText(style, at, s.Name)
}
