package page

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// room knows what of a drawing is taken, so that names stand where they cover no line.
type room struct {
	lines []plotter.XYs
	names []vg.Rectangle
}

// write writes a name at the first of some places that is free, else at the first of all. A
// place is the lower left corner of the name.
func (r *room) write(c draw.Canvas, p *plot.Plot, name string, places func(width, height vg.Length) []vg.Point) {
	if name == "" {
		return
	}
	style := p.X.Tick.Label
	style.Font.Size, style.Color, style.XAlign, style.YAlign = font.Points(9.5), ink, draw.XLeft, draw.YBottom
	size := vg.Point{X: style.Width(name), Y: style.Font.Size}
	all := places(size.X, size.Y)
	at := all[0]
	for _, place := range all {
		if r.free(c, p, vg.Rectangle{Min: place, Max: place.Add(size)}) {
			at = place
			break
		}
	}
	r.names = append(r.names, vg.Rectangle{Min: at, Max: at.Add(size)})
	c.FillText(style, at, name)
}

// free reports whether a part of the canvas holds no line and no name.
func (r *room) free(c draw.Canvas, p *plot.Plot, box vg.Rectangle) bool {
	if box.Min.X < c.Min.X || box.Max.X > c.Max.X || box.Min.Y < c.Min.Y || box.Max.Y > c.Max.Y+2 {
		return false
	}
	for _, n := range r.names {
		if box.Min.X < n.Max.X && n.Min.X < box.Max.X && box.Min.Y < n.Max.Y && n.Min.Y < box.Max.Y {
			return false
		}
	}
	x, y := p.Transforms(&c)
	for _, line := range r.lines {
		for i := 1; i < len(line); i++ {
			if crosses(box, vg.Point{X: x(line[i-1].X), Y: y(line[i-1].Y)}, vg.Point{X: x(line[i].X), Y: y(line[i].Y)}) {
				return false
			}
		}
	}
	return true
}

// pieces are those of a stretch that are looked at: shorter than a letter.
const pieces = 64

// crosses reports whether a stretch of a line comes into a box.
func crosses(box vg.Rectangle, a, b vg.Point) bool {
	if max(a.X, b.X) < box.Min.X || min(a.X, b.X) > box.Max.X || max(a.Y, b.Y) < box.Min.Y || min(a.Y, b.Y) > box.Max.Y {
		return false
	}
	for i := range pieces + 1 {
		at := a.Add(b.Sub(a).Scale(vg.Length(i) / pieces))
		if at.X >= box.Min.X && at.X <= box.Max.X && at.Y >= box.Min.Y && at.Y <= box.Max.Y {
			return true
		}
	}
	return false
}
