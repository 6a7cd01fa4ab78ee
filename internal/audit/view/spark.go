package view

import (
	"math"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// The heights of a sparkline, with blocks and with letters that every terminal has.
var (
	blocks  = []rune("▁▂▃▄▅▆▇█")
	letters = []rune("_.-=+*#@")
)

// spark draws the points in so many columns: each is the mean of its part of the steps, and
// the steps of a column are equally many, so that what was logged often is not drawn wide.
// A part without a point is a space; nothing is drawn of fewer than two points.
func spark(points []record.Point, columns int, heights []rune) string {
	means := thin(points, columns)
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range means {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	out := make([]rune, len(means))
	for i, v := range means {
		switch {
		case math.IsNaN(v):
			out[i] = ' '
		case high == low:
			out[i] = heights[len(heights)/2-1]
		default:
			at := (v/2 - low/2) / (high/2 - low/2) // which cannot overflow
			out[i] = heights[min(len(heights)-1, int(at*float64(len(heights))))]
		}
	}
	return string(out)
}

// thin returns the means over equal parts of the steps, as many as there are points at
// most; NaN where a part has none.
func thin(points []record.Point, parts int) []float64 {
	if len(points) < 2 || parts < 2 {
		return nil
	}
	first, last := points[0].Step, points[len(points)-1].Step
	parts = min(parts, len(points))
	sums, counts := make([]float64, parts), make([]float64, parts)
	for _, p := range points {
		at := int(float64(p.Step-first) / (float64(last-first) + 1) * float64(parts))
		at = max(0, min(parts-1, at))
		counts[at]++
		sums[at] += (p.Value - sums[at]) / counts[at] // the mean so far
	}
	for i, n := range counts {
		if n == 0 {
			sums[i] = math.NaN()
		}
	}
	return sums
}
