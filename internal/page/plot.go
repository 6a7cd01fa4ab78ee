package page

import (
	"fmt"
	"html/template"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
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

// The size of a drawing, in points.
const (
	plotWidth  = 340
	plotHeight = 200
)

// SVG draws the plot.
func (p Plot) SVG() (template.HTML, error) {
	drawing := plot.New()
	p.axes(drawing)
	taken := &room{}
	for _, s := range p.Series {
		taken.lines = append(taken.lines, finite(s.X, s.Y))
	}
	for _, s := range p.Spans {
		drawing.Add(placedSpan{s, taken})
	}
	for _, s := range p.Series {
		if err := s.add(drawing, !p.Scatter && !s.Loose); err != nil {
			return "", err
		}
	}
	for _, c := range p.Crosses {
		if err := c.add(drawing); err != nil {
			return "", err
		}
	}
	for _, level := range p.Levels {
		drawing.Add(placedLevel{level, taken})
		drawing.Y.Min, drawing.Y.Max = min(drawing.Y.Min, level.At), max(drawing.Y.Max, level.At)
	}
	p.widen(drawing)
	if p.Scatter {
		equal(drawing)
	}
	canvas := vgsvg.New(plotWidth, plotHeight)
	drawing.Draw(draw.Crop(draw.New(canvas), 0, -8, 0, 0))
	return themed(canvas, p.Alt)
}

// Range is from the least to the greatest number of the series and their bands, (+Inf,
// -Inf) where there is none.
func (p Plot) Range() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, list := range [][]float64{s.Y, s.From, s.To} {
			for _, at := range finite(list, list) {
				low, high = min(low, at.Y), max(high, at.Y)
			}
		}
	}
	return low, high
}

// axes gives the drawing its letters, axes and grid.
func (p Plot) axes(drawing *plot.Plot) {
	drawing.BackgroundColor = nil
	drawing.X.Label.Text, drawing.Y.Label.Text = p.X, p.Y
	for _, axis := range []*plot.Axis{&drawing.X, &drawing.Y} {
		for _, style := range []*draw.TextStyle{&axis.Label.TextStyle, &axis.Tick.Label} {
			style.Font.Variant, style.Font.Size, style.Color = "Sans", font.Points(10.5), ink
		}
		axis.Label.Padding = 3
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = ink, ink
	}
	drawing.X.Tick.Marker, drawing.Y.Tick.Marker = plot.TickerFunc(counts), plot.TickerFunc(numbers)
	if p.Scatter || p.Numbers {
		drawing.X.Tick.Marker = plot.TickerFunc(numbers)
	}
	if p.Log {
		drawing.Y.Scale, drawing.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(powers)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color, grid.Horizontal.Width = faint, 0.7
	drawing.Add(grid)
}

// widen makes the vertical axis show what the plot asks for, and never a range of nothing.
func (p Plot) widen(drawing *plot.Plot) {
	y := &drawing.Y
	for _, at := range []float64{p.Low, p.High} {
		if !math.IsNaN(at) {
			y.Min, y.Max = min(y.Min, at), max(y.Max, at)
		}
	}
	for _, axis := range []*plot.Axis{&drawing.X, y} {
		if p.Log && axis == y && axis.Max-axis.Min < 1e-12*axis.Max {
			axis.Min, axis.Max = axis.Min/2, axis.Max*2
		} else if axis.Max-axis.Min < 1e-12*max(1, math.Abs(axis.Max)) {
			axis.Min, axis.Max = axis.Min-0.5, axis.Max+0.5
		}
	}
}

// add draws the band, the line where that is asked for, and the markers.
func (s Series) add(drawing *plot.Plot, joined bool) error {
	points := finite(s.X, s.Y)
	if len(points) == 0 {
		return nil
	}
	line, marks, err := s.lineAndMarks(points)
	if err != nil {
		return err
	}
	if len(s.From) > 0 {
		band, err := plotter.NewPolygon(around(finite(s.X, s.From), finite(s.X, s.To)))
		if err != nil {
			return err
		}
		band.LineStyle.Width, band.Color = 0, bandColor(s.Style)
		drawing.Add(band)
	}
	if joined {
		drawing.Add(line)
	}
	if !s.Bare {
		drawing.Add(marks)
	}
	return nil
}

func (s Series) lineAndMarks(points plotter.XYs) (*plotter.Line, *plotter.Scatter, error) {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return nil, nil, err
	}
	colour := lineColor(s.Style)
	line.Color, line.Width, line.Dashes = colour, 1.4, dashes[s.Style%len(dashes)]
	marks.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: radius(len(points)), Shape: shapes[(s.Style+s.Style/len(shapes))%len(shapes)]}
	return line, marks, nil
}

// radius is smaller where there are many points.
func radius(points int) vg.Length {
	if points > 40 {
		return 1.3
	}
	return 2.6
}

// placedLevel is a level, with what its name must not cover.
type placedLevel struct {
	Level
	room *room
}

// Plot draws the level, and writes its name above or below one of its ends.
func (l placedLevel) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	y := toY(l.At)
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.8, Dashes: []vg.Length{2, 3}}, c.Min.X, y, c.Max.X, y)
	l.room.write(c, p, l.Name, func(width, height vg.Length) []vg.Point {
		left, right, above, below := c.Min.X+4, c.Max.X-width-4, y+2, y-height-3
		return []vg.Point{{X: left, Y: above}, {X: right, Y: above}, {X: left, Y: below}, {X: right, Y: below}}
	})
}

// drawable is beyond the numbers that a drawing can hold.
const drawable = 1e300

// finite pairs the numbers, without what cannot be drawn.
func finite(x, y []float64) plotter.XYs {
	var out plotter.XYs
	for i := range min(len(x), len(y)) {
		if math.Abs(x[i]) < drawable && math.Abs(y[i]) < drawable { // neither is NaN
			out = append(out, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	return out
}

// around is the outline of a band.
func around(from, to plotter.XYs) plotter.XYs {
	out := append(plotter.XYs{}, to...)
	for i := len(from) - 1; i >= 0; i-- {
		out = append(out, from[i])
	}
	return out
}

// The shapes and dashes by which lines are told apart without colour.
var (
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}}
	dashes = [][]vg.Length{nil, {6, 2}, {2, 2}, {8, 2, 2, 2}, {4, 4}, {1, 2}, {10, 3}}
)

// Colours of a drawing stand for variables of the style sheet.
var (
	ink   = color.RGBA{1, 2, 250, 255}
	faint = color.RGBA{1, 2, 251, 255}
)

func lineColor(style int) color.Color { return color.RGBA{1, 2, uint8(style % len(shapes)), 255} }
func bandColor(style int) color.Color { return color.RGBA{1, 3, uint8(style % len(shapes)), 255} }

// numbers are gonum's marks, with labels short enough for a small drawing.
func numbers(low, high float64) []plot.Tick {
	marks := plot.DefaultTicks{}.Ticks(low, high)
	for i, m := range marks {
		if m.Label != "" {
			if math.Abs(m.Value) < 1e-9*(high-low) {
				m.Value = 0 // and not 1e-17
			}
			marks[i].Label = fmt.Sprintf("%.4g", m.Value)
		}
	}
	return marks
}

// counts are marks at some whole numbers, five or so.
func counts(low, high float64) []plot.Tick {
	step := 1.0
	for i := 0; (high-low)/step > 6; i++ {
		step *= []float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10, 20
	}
	var marks []plot.Tick
	for at := step * math.Ceil(low/step); at <= high; at += step {
		marks = append(marks, plot.Tick{Value: at, Label: fmt.Sprintf("%.0f", at)})
	}
	return marks
}
