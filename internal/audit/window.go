package audit

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// A level never rests on one value. At each logged value the mean of the last few (the
// window) is compared with a border, and is over it only where it is so by more than
// `certain` standard errors, and where most of the values themselves are over. Once over,
// it ends when the mean has come back to the border. Everything at a value depends on
// that value and those before it, so what was alerted stays alerted whatever comes later,
// and following a run live gives what reading it afterwards gives.
//
// Four, not two or three: there is a look at each of some hundred windows of some twenty
// signals, and the noise of training has heavier tails than a normal distribution.
//
// The noise of a logged series is that from value to value: the mean absolute difference of
// neighbours, once spikes are cut, which a drift hardly moves. The more noise
// against the border, the longer the window, up to a quarter of what was logged. Noise that
// lasts for some steps does not average out so well: what counts then is how far the means of
// the windows before were apart.
const (
	shortestWindow = 8
	longestWindow  = 64
	fewestValues   = 5  // below which nothing is said
	pooled         = 30 // completions that make a window by themselves
	certain        = 4.0
	precise        = 0.1 // of the border: the uncertainty that a window should not exceed
	spike          = 6.0 // standard deviations from its neighbours at which a value is a spike
)

// excess is a stretch of a curve over a border.
type excess struct {
	span Span
	// worst is the windowed mean that is farthest over, window its number of values.
	worst  float64
	window int
}

// exceeds returns the stretches of c over a border (under it where sign is -1), in the
// order of their steps.
func exceeds(c curve, at, sign float64) []excess {
	var found []excess
	w := newWindows(c, at, sign)
	open := false
	for i := range c.points {
		n := w.length(i)
		if n == 0 {
			continue
		}
		mean := w.mean(i, n)
		switch {
		case open && mean <= w.at:
			open = false
			found[len(found)-1].span.To = w.lastOver(i)
		case open:
			found[len(found)-1].deepen(sign*mean, sign, n)
		case mean-certain*w.stderr(i, n) > w.at && w.mostOver(i, n):
			open = true
			e := excess{span: Span{From: w.onset(i, n, lastEnd(found)), To: -1}, worst: sign * mean, window: n}
			found = append(found, e)
		}
	}
	return found
}

func (e *excess) deepen(mean, sign float64, n int) {
	if sign*mean > sign*e.worst {
		e.worst, e.window = mean, n
	}
}

func lastEnd(found []excess) int64 {
	if len(found) == 0 {
		return math.MinInt64
	}
	return found[len(found)-1].span.To
}

// windows are the running sums over a curve, turned so that over is up.
type windows struct {
	points []record.Point
	values []float64
	at     float64
	sums   []float64 // of values, before each
	jumps  []float64 // of absolute differences, before each
	of     curve
}

func newWindows(c curve, at, sign float64) *windows {
	w := &windows{points: c.points, at: sign * at, of: c}
	w.sums, w.jumps = make([]float64, len(c.points)+1), make([]float64, len(c.points)+1)
	for i, p := range c.points {
		w.values = append(w.values, sign*p.Value)
		if c.errors == nil {
			w.values[i] = w.despiked(i, c.points, sign)
		}
		w.sums[i+1] = w.sums[i] + w.values[i]
		if i > 0 {
			w.jumps[i+1] = w.jumps[i] + math.Abs(w.values[i]-w.values[i-1])
		}
	}
	return w
}

// despiked is the value at i, brought to within some noise of the median of the last few: a
// new level is there after three values, and a spike is never.
func (w *windows) despiked(i int, points []record.Point, sign float64) float64 {
	if i < fewestValues {
		return w.values[i]
	}
	var few [fewestValues]float64
	for k := range few {
		few[k] = sign * points[i-k].Value
	}
	slices.Sort(few[:])
	middle, reach := few[fewestValues/2], spike*w.noise(i-1)
	return min(max(w.values[i], middle-reach), middle+reach)
}

// length is the number of values in the window that ends at i, 0 where there are too few.
func (w *windows) length(i int) int {
	if w.of.errors != nil {
		return w.pool(i)
	}
	if i+1 < fewestValues {
		return 0
	}
	wanted := certain * w.noise(i) / (precise * math.Abs(w.at))
	longest := min(max(shortestWindow, (i+1)/4), longestWindow, i+1)
	if !(wanted*wanted < float64(longest)) {
		return longest
	}
	return min(max(int(math.Ceil(wanted*wanted)), shortestWindow), longest)
}

// pool is the fewest steps whose completions are enough together.
func (w *windows) pool(i int) int {
	for n, size := 1, 0; n <= i+1; n++ {
		if size += w.of.sizes[i+1-n]; size >= pooled {
			return n
		}
	}
	return 0
}

func (w *windows) mean(i, n int) float64 { return (w.sums[i+1] - w.sums[i+1-n]) / float64(n) }

// noise is the standard deviation of a value about its neighbours: for Gaussian noise the
// mean absolute difference of two is 2/sqrt(pi) of it.
func (w *windows) noise(i int) float64 {
	n := min(i, longestWindow)
	return (w.jumps[i+1] - w.jumps[i+1-n]) / float64(n) * math.Sqrt(math.Pi) / 2
}

// between is the same for the means of the windows before the one that ends at i, which is
// left out, since what it shows may be what is looked for; 0 where there are fewer than four.
// It is read off how far each is from the middle of its neighbours, which a steady drift does
// not move: that has sqrt(3/2) of the deviation of a mean.
func (w *windows) between(i, n int) float64 {
	sum, triples := 0.0, 0
	for end := i - n; end-3*n >= -1 && triples < shortestWindow; end -= n {
		sum += math.Abs(w.mean(end-n, n) - (w.mean(end, n)+w.mean(end-2*n, n))/2)
		triples++
	}
	if triples < 2 {
		return 0
	}
	return sum / float64(triples) * math.Sqrt(math.Pi/2) / math.Sqrt(1.5)
}

func (w *windows) stderr(i, n int) float64 {
	if w.of.errors == nil {
		return max(w.noise(i)/math.Sqrt(float64(n)), w.between(i, n))
	}
	return w.of.stderr(i, n)
}

func (w *windows) mostOver(i, n int) bool {
	over := 0
	for _, v := range w.values[i+1-n : i+1] {
		if v > w.at {
			over++
		}
	}
	return 2*over > n
}

// onset is where the excess that the window at i shows began: the step from which on the
// values sum up to the most over the border.
func (w *windows) onset(i, n int, after int64) int64 {
	sum, most, step := 0.0, 0.0, w.points[i].Step
	for j := i; j > i-n && w.points[j].Step > after; j-- {
		if sum += w.values[j] - w.at; sum > most {
			most, step = sum, w.points[j].Step
		}
	}
	return step
}

// lastOver is the step of the last value over the border, at i or before.
func (w *windows) lastOver(i int) int64 {
	for i > 0 && w.values[i] <= w.at {
		i--
	}
	return w.points[i].Step
}

// last is the mean over the window that ends the curve, and its number of values.
func last(c curve) (float64, int) {
	w, end := newWindows(c, 0, 1), len(c.points)-1
	n := min(end+1, shortestWindow)
	if c.errors != nil {
		n = max(1, w.pool(end))
	}
	return w.mean(end, n), n
}
