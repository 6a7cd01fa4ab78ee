package page

import (
	"fmt"
	"math"
	"strconv"
)

// Heat is a table of magnitudes: the larger the number, the darker its cell. The numbers
// stand in it, so that nothing is said by colour alone.
type Heat struct {
	Title, Rows string
	Columns     []string
	Lines       []HeatLine
	// Note stands below the table.
	Note string
}

// HeatLine is a row of the table.
type HeatLine struct {
	Name  string
	Cells []HeatCell
}

// HeatCell is a number: nil where there is none. First marks the one to look at.
type HeatCell struct {
	Value *float64
	First bool
	shade int
}

// shades is the number of shades of finite numbers.
const shades = 6

// Shaded returns the table with shades by the logarithm of the numbers, from the least to
// the greatest of all cells.
func (h Heat) Shaded() Heat {
	low, high := math.Inf(1), math.Inf(-1)
	h.each(func(c *HeatCell) {
		if m, ok := c.magnitude(); ok {
			low, high = min(low, m), max(high, m)
		}
	})
	h.each(func(c *HeatCell) {
		if m, ok := c.magnitude(); ok && high > low {
			c.shade = min(shades-1, int(shades*(m-low)/(high-low)))
		}
	})
	return h
}

func (h Heat) each(visit func(*HeatCell)) {
	for _, l := range h.Lines {
		for i := range l.Cells {
			visit(&l.Cells[i])
		}
	}
}

// magnitude is the logarithm; false where there is none.
func (c *HeatCell) magnitude() (float64, bool) {
	if c.Value == nil || *c.Value == 0 || math.IsNaN(*c.Value) || math.IsInf(*c.Value, 0) {
		return 0, false
	}
	return math.Log10(math.Abs(*c.Value)), true
}

// Class is the look of the cell.
func (c HeatCell) Class() string {
	class := fmt.Sprintf("heat-%d", c.shade)
	if c.Value != nil && (math.IsNaN(*c.Value) || math.IsInf(*c.Value, 0)) {
		class = "heat-bad"
	}
	if c.First {
		class += " heat-first"
	}
	return class
}

// Text is the number in two digits, with a sign where it is the one to look at.
func (c HeatCell) Text() string {
	text := "–"
	if c.Value != nil {
		switch v := *c.Value; {
		case math.IsNaN(v):
			text = "nan"
		case math.IsInf(v, 0):
			text = "inf"
		default:
			text = twoDigits(v)
		}
	}
	if c.First {
		text += " ✗"
	}
	return text
}

// twoDigits writes 120 and not 1.2e+02, but no long rows of zeros.
func twoDigits(v float64) string {
	text := strconv.FormatFloat(v, 'g', 2, 64)
	if m := math.Abs(v); m >= 100 && m < 1e4 {
		v, _ = strconv.ParseFloat(text, 64) // the two digits
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return text
}
