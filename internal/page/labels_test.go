package page

import "testing"

// TestLabels: a name stands where it covers no line and no other name, and at the first of its
// places where none is free.
func TestLabels(t *testing.T) {
	r := &labels{within: box{0, 0, 100, 100}, lines: [][]point{{{0, 50}, {50, 50}, {50, 100}}}}
	on, below, right, above, out := point{5, 45}, point{5, 80}, point{60, 45}, point{5, 20}, point{95, 20}
	for i, c := range []struct {
		places []point
		want   point
	}{
		{[]point{on, right, above}, right}, // the line ends before it
		{[]point{on, right, above}, above}, // a name stands there now
		{[]point{out, on, below}, below},
		{[]point{on, out}, on}, // nothing is free
	} {
		r.write(newCanvas(100, 100, ""), "alert", func(_, _ float64) []point { return c.places })
		if got := r.names[len(r.names)-1]; got.left != c.want.x || got.top != c.want.y {
			t.Errorf("%d: the name stands at %v, want %v", i, got, c.want)
		}
	}
}
