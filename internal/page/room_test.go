package page

import (
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// TestRoom: a name stands where it covers no line and no other name, and at the first of its
// places where none is free.
func TestRoom(t *testing.T) {
	drawing := plot.New()
	drawing.X.Min, drawing.X.Max, drawing.Y.Min, drawing.Y.Max = 0, 100, 0, 100
	canvas := draw.New(vgsvg.New(100, 100))
	r := &room{lines: []plotter.XYs{{{X: 0, Y: 50}, {X: 50, Y: 50}, {X: 50, Y: 0}}}}
	on, below, right, above, out := vg.Point{X: 5, Y: 48}, vg.Point{X: 5, Y: 20}, vg.Point{X: 60, Y: 48}, vg.Point{X: 5, Y: 70}, vg.Point{X: 95, Y: 70}
	for i, c := range []struct {
		places []vg.Point
		want   vg.Point
	}{
		{[]vg.Point{on, right, above}, right}, // the line ends before it
		{[]vg.Point{on, right, above}, above}, // a name stands there now
		{[]vg.Point{out, on, below}, below},
		{[]vg.Point{on, out}, on}, // nothing is free
	} {
		r.write(canvas, drawing, "alert", func(_, _ vg.Length) []vg.Point { return c.places })
		if got := r.names[len(r.names)-1].Min; got != c.want {
			t.Errorf("%d: the name stands at %v, want %v", i, got, c.want)
		}
	}
}
