package page

import (
	"math"
	"strconv"
	"strings"
)

// frame is the part of a drawing that holds the data, with its axes.
type frame struct {
	x, y axis
	box  box
}

// box is a rectangle of the drawing.
type box struct{ left, top, right, bottom float64 }

// axis places numbers on the drawing.
type axis struct {
	interval
	log      bool
	from, to float64 // where low and high stand
	ticks    []tick
}

// tick is a mark of an axis.
type tick struct {
	at    float64
	label string
}

// interval is a range of numbers.
type interval struct{ low, high float64 }

// nothing is the interval without a number.
var nothing = interval{math.Inf(1), math.Inf(-1)}

func (r *interval) add(v float64) { r.low, r.high = min(r.low, v), max(r.high, v) }

// at is where a number stands.
func (a *axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return a.from + (a.to-a.from)*((v-low)/(high-low))
}

// place gives points their places in the drawing.
func (f *frame) place(points []point) []point {
	for i, p := range points {
		points[i] = point{f.x.at(p.x), f.y.at(p.y)}
	}
	return points
}

// The parts of a drawing around the data, in points.
const (
	tickSize   = 10.5 // of letters
	nameSize   = 9.5  // of letters within the data
	tickLength = 5
	apart      = 5  // from the data to an axis
	below      = 41 // the horizontal axis, its ticks and its name
)

// frame finds the ranges of the axes, and how much room their letters take.
func (p Plot) frame() *frame {
	f := &frame{}
	f.x.interval, f.y.interval = p.ranges()
	f.y.log = p.Log
	if p.Log {
		f.y.ticks = powers(f.y.low, f.y.high)
	} else {
		f.y.ticks = numbers(f.y.low, f.y.high, 0, 6)
	}
	least := 1.0 // counts are whole
	if p.Scatter || p.Numbers {
		least = 0
	}
	f.x.ticks = numbers(f.x.low, f.x.high, least, 6)
	widest := 0.0
	for _, t := range f.y.ticks {
		widest = max(widest, widthOf(t.label, tickSize))
	}
	last := 0.0
	if n := len(f.x.ticks); n > 0 {
		last = widthOf(f.x.ticks[n-1].label, tickSize) / 2
	}
	f.box = box{left: 16 + widest + 3 + tickLength + apart, top: 6, right: plotWidth - max(6, last), bottom: plotHeight - below}
	f.x.from, f.x.to, f.y.from, f.y.to = f.box.left, f.box.right, f.box.bottom, f.box.top
	return f
}

// ranges are what the axes show: all numbers, and never a range of nothing.
func (p Plot) ranges() (x, y interval) {
	x, y = nothing, nothing
	for _, s := range p.Series {
		if len(finite(s.X, s.Y)) == 0 {
			continue
		}
		for _, list := range [][]float64{s.Y, s.From, s.To} {
			for _, at := range finite(s.X, list) {
				x.add(at.x)
				y.add(at.y)
			}
		}
	}
	for _, c := range p.Crosses {
		for _, at := range finite([]float64{c.X}, []float64{c.Y}) {
			x.add(at.x)
			y.add(at.y)
		}
	}
	for _, l := range p.Levels {
		y.add(l.At)
	}
	for _, at := range []float64{p.Low, p.High} {
		if !math.IsNaN(at) {
			y.add(at)
		}
	}
	if p.Scatter {
		x.add(y.low)
		x.add(y.high)
		y = x
	}
	return x.widened(false), y.widened(p.Log)
}

// widened makes room around a single number, where there is nothing else.
func (r interval) widened(log bool) interval {
	switch {
	case r.low > r.high:
		return interval{0, 1}
	case log && r.high-r.low < 1e-12*r.high:
		return interval{r.low / 2, r.high * 2}
	case r.high-r.low < 1e-12*max(1, math.Abs(r.high)):
		room := max(0.5, math.Abs(r.high)/100)
		return interval{r.low - room, r.high + room}
	}
	return r
}

// draw draws the grid and the axes.
func (f *frame) draw(c *canvas, x, y string) {
	ink, faint := stroke{colour: "var(--ink)", width: 0.5}, stroke{colour: "var(--grid)", width: 0.7}
	left, bottom := f.box.left-apart, f.box.bottom+apart
	for _, t := range f.y.ticks {
		at := f.y.at(t.at)
		c.path([]point{{f.box.left, at}, {f.box.right, at}}, faint)
		c.path([]point{{left - tickLength, at}, {left, at}}, ink)
		c.text(t.label, point{left - tickLength - 3, at + 0.35*tickSize}, tickSize, end)
	}
	for _, t := range f.x.ticks {
		at := f.x.at(t.at)
		c.path([]point{{at, bottom}, {at, bottom + tickLength}}, ink)
		c.text(t.label, point{at, bottom + tickLength + tickSize}, tickSize, middle)
	}
	c.path([]point{{left, f.box.top}, {left, f.box.bottom}}, ink)
	c.path([]point{{f.box.left, bottom}, {f.box.right, bottom}}, ink)
	c.text(x, point{(f.box.left + f.box.right) / 2, plotHeight - 4}, tickSize, middle)
	c.upward(y, point{tickSize, (f.box.top + f.box.bottom) / 2}, tickSize)
}

// numbers are ticks at multiples of 1, 2 or 5 times a power of ten, at most some, no closer
// than a least step.
func numbers(low, high, least float64, most int) (ticks []tick) {
	step := max(least, math.Pow(10, math.Floor(math.Log10((high-low)/float64(most)))))
	for i := 0; math.Floor(high/step)-math.Ceil(low/step) >= float64(most); i++ {
		step *= []float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10, 20
	}
	for i := math.Ceil(low/step - 1e-9); i <= high/step+1e-9; i++ {
		ticks = append(ticks, tick{i * step, label(i*step, step, max(math.Abs(low), math.Abs(high)))})
	}
	return ticks
}

// label writes a number with as many digits as tell it from the next tick; greatest is the
// greatest number of the axis.
func label(v, step, greatest float64) string {
	digit := math.Floor(math.Log10(step) + 1e-9) // the last that differs
	switch {
	case v == 0:
		return "0"
	case greatest >= 1e6 || greatest < 1e-3:
		return short(strconv.FormatFloat(v, 'e', max(0, int(math.Floor(math.Log10(math.Abs(v)))-digit)), 64))
	}
	return strconv.FormatFloat(v, 'f', max(0, int(-digit)), 64)
}

// short writes 1e5 for 1e+05.
func short(number string) string {
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(number)
}

// powers are ticks at powers of ten, five or so, or at numbers between them where the
// range holds few.
func powers(low, high float64) (ticks []tick) {
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	step := math.Ceil((to - from) / 5)
	for power := from; power <= to; power += step {
		if at := math.Pow(10, power); at >= low*(1-1e-9) && at <= high*(1+1e-9) {
			ticks = append(ticks, tick{at, short(strconv.FormatFloat(at, 'g', 4, 64))})
		}
	}
	if len(ticks) < 2 {
		return numbers(low, high, 0, 5)
	}
	return ticks
}
