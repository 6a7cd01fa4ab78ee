package page

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// add draws the cross, and its name beside it.
func (c Cross) add(drawing *plot.Plot) error {
	at := finite([]float64{c.X}, []float64{c.Y})
	mark, err := plotter.NewScatter(at)
	if err != nil || len(at) == 0 {
		return err
	}
	mark.GlyphStyle = draw.GlyphStyle{Color: lineColor(c.Style), Radius: 5, Shape: draw.CrossGlyph{}}
	name, err := plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: []string{c.Name}})
	if err != nil {
		return err
	}
	name.TextStyle[0].Font.Variant, name.TextStyle[0].Font.Size, name.TextStyle[0].Color = "Sans", font.Points(9.5), ink
	name.TextStyle[0].XAlign = draw.XRight
	name.Offset = vg.Point{X: -6, Y: 4}
	drawing.Add(mark, name)
	return nil
}

// equal gives both axes one range, and draws the line on which they are equal.
func equal(drawing *plot.Plot) {
	low, high := min(drawing.X.Min, drawing.Y.Min), max(drawing.X.Max, drawing.Y.Max)
	line := plotter.NewFunction(func(x float64) float64 { return x })
	line.Color, line.Width, line.Dashes = ink, 0.8, []vg.Length{2, 3}
	drawing.Add(line)
	drawing.X.Min, drawing.X.Max, drawing.Y.Min, drawing.Y.Max = low, high, low, high
}

// powers are marks at powers of ten, five or so, or at numbers between them where the
// range holds few.
func powers(low, high float64) []plot.Tick {
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	step := math.Ceil((to - from) / 5)
	var marks []plot.Tick
	for power := from; power <= to; power += step {
		if at := math.Pow(10, power); at >= low*(1-1e-9) && at <= high*(1+1e-9) {
			marks = append(marks, plot.Tick{Value: at, Label: fmt.Sprintf("%.4g", at)})
		}
	}
	if len(marks) < 2 {
		return numbers(low, high)
	}
	return marks
}
