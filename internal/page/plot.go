package page

import (
	"math"
)

// Plot is a drawing of numbers over a count, as small as a phone is wide.
type Plot struct {
	// Title, X and Y name the drawing and its axes.
	Title, X, Y string
	// Alt says in words what is to be seen.
	Alt string
	// Note stands below the drawing.
	Note    string
	Series  []Series
	Levels  []Level
	Crosses []Cross
	// Spans are parts of the horizontal axis that stand out.
	Spans []Span
	// Low and High are numbers that the vertical axis shows at least; NaN for none.
	Low, High float64
	// Log makes the vertical axis logarithmic; all numbers must be positive.
	Log bool
	// Scatter draws points without lines, on axes of one quantity, with the line on which
	// both are equal.
	Scatter bool
	// Numbers is for a horizontal axis of numbers instead of counts.
	Numbers bool
}

// Cross marks a place at which a line ends, with a name.
type Cross struct {
	X, Y  float64
	Name  string
	Style int
}

// Series is a line with a marker at each point. Points that are not finite are left out.
type Series struct {
	Name string
	// Style numbers the colour, the marker and the dashes. Equal numbers look alike, and
	// different ones below 49 do not.
	Style int
	X, Y  []float64
	// Loose draws the markers without the line, Bare the line without the markers.
	Loose, Bare bool
	// From and To are the lower and upper ends of a band around the line, or nil.
	From, To []float64
}

// Level is a horizontal line that says where something ought to be.
type Level struct {
	At   float64
	Name string
}

// Span is a part of the horizontal axis that stands out: it is tinted, bounded by dashed
// lines, and named at its top.
type Span struct {
	From, To float64
	Name     string
	// Style numbers the colour, as that of a Series.
	Style int
}

// The size of a drawing, in points.
const (
	plotWidth  = 340
	plotHeight = 200
)

// SVG draws the plot.
func (p Plot) SVG() HTML {
	f := p.frame()
	c := newCanvas(plotWidth, plotHeight, p.Alt)
	f.draw(c, p.X, p.Y)
	taken := &labels{within: f.box}
	for _, s := range p.Series {
		taken.lines = append(taken.lines, f.place(finite(s.X, s.Y)))
	}
	for _, s := range p.Spans {
		s.draw(c, f, taken)
	}
	for i, s := range p.Series {
		s.draw(c, f, taken.lines[i], !p.Scatter && !s.Loose)
	}
	for _, cross := range p.Crosses {
		cross.draw(c, f)
	}
	for _, level := range p.Levels {
		level.draw(c, f, taken)
	}
	if p.Scatter {
		c.path([]point{{f.box.left, f.box.bottom}, {f.box.right, f.box.top}}, dotted)
	}
	return c.done()
}

// Range is from the least to the greatest number of the series and their bands, (+Inf,
// -Inf) where there is none.
func (p Plot) Range() (low, high float64) {
	r := nothing
	for _, s := range p.Series {
		for _, list := range [][]float64{s.Y, s.From, s.To} {
			for _, at := range finite(list, list) {
				r.add(at.y)
			}
		}
	}
	return r.low, r.high
}

// draw draws the band, the line where that is asked for, and the markers.
func (s Series) draw(c *canvas, f *frame, points []point, joined bool) {
	if len(points) == 0 {
		return
	}
	if len(s.From) > 0 {
		outline := f.place(finite(s.X, s.To))
		from := f.place(finite(s.X, s.From))
		for i := len(from) - 1; i >= 0; i-- {
			outline = append(outline, from[i])
		}
		c.area(outline, s.Style)
	}
	if joined {
		c.path(points, s.stroke())
	}
	if !s.Bare {
		for _, at := range points {
			c.marker(at, s.Style, radius(len(points)))
		}
	}
}

// stroke is the look of the line.
func (s Series) stroke() stroke {
	return stroke{colour: lineColour(s.Style), width: 1.4, dashes: dashes[s.Style%len(dashes)]}
}

// radius is smaller where there are many points.
func radius(points int) float64 {
	if points > 40 {
		return 1.3
	}
	return 2.6
}

// draw draws the cross, and its name beside it: above to the left, or to the right or below
// where there is no room.
func (x Cross) draw(c *canvas, f *frame) {
	for _, at := range f.place(finite([]float64{x.X}, []float64{x.Y})) {
		c.cross(at, 3.5, stroke{colour: lineColour(x.Style), width: 1.4})
		y := at.y - 4
		if y < nameSize {
			y = at.y + nameSize
		}
		if width := widthOf(x.Name, nameSize); at.x-6-width < f.box.left {
			c.name(x.Name, point{at.x + 6, y}, start)
		} else {
			c.name(x.Name, point{at.x - 6, y}, end)
		}
	}
}

// draw draws the level, and writes its name above or below one of its ends.
func (l Level) draw(c *canvas, f *frame, taken *labels) {
	y := f.y.at(l.At)
	c.path([]point{{f.box.left, y}, {f.box.right, y}}, dotted)
	taken.write(c, l.Name, func(width, height float64) []point {
		left, right, above, below := f.box.left+4, f.box.right-width-4, y-2-height, y+3
		return []point{{left, above}, {right, above}, {left, below}, {right, below}}
	})
}

// draw draws the span over the whole height. What lies outside of the axis is cut off.
func (s Span) draw(c *canvas, f *frame, taken *labels) {
	from, to := max(s.From, f.x.low), min(s.To, f.x.high)
	if !(from <= to) { // outside, or no numbers
		return
	}
	left, top, bottom := f.x.at(from), f.box.top, f.box.bottom
	right := max(f.x.at(to), left+1.5) // one step is seen too
	c.area([]point{{left, bottom}, {right, bottom}, {right, top}, {left, top}}, s.Style)
	for _, x := range []float64{left, right} {
		c.path([]point{{x, bottom}, {x, top}}, stroke{colour: lineColour(s.Style), width: 0.8, dashes: "3 2"})
	}
	taken.write(c, s.Name, func(width, height float64) []point {
		high, low := top+1, bottom-height-3
		inside := []point{{left + 3, high}, {right - width - 3, high}, {left + 3, low}, {right - width - 3, low}}
		beside := []point{{left - width - 3, high}, {left - width - 3, low}}
		if width+4 > right-left {
			return append(beside, inside...)
		}
		return append(inside, beside...)
	})
}

// drawable is beyond the numbers that a drawing can hold.
const drawable = 1e300

// finite pairs the numbers, without what cannot be drawn.
func finite(x, y []float64) (out []point) {
	for i := range min(len(x), len(y)) {
		if math.Abs(x[i]) < drawable && math.Abs(y[i]) < drawable { // neither is NaN
			out = append(out, point{x[i], y[i]})
		}
	}
	return out
}
