package audit

import (
	"fmt"
	"math"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// A fall counts where chance alone would bring one about in a share of `rarely` of all the runs
// with as many evaluations, however many pairs of evaluations, windows and held-out scores are
// looked at: the more there are, the more has to be lost. BenchmarkHeldOut measures it.
//
// Windows have these numbers of evaluations, so that a short fall and a slow one are both
// seen; in fewer than nine it is not to be seen how much an evaluation says of the next.
const rarely = 0.02

var trendWindows = []int{9, 13, 19, 28, 42, 63}

// fewestEvaluations is the number below which nothing is said of a held-out score.
const fewestEvaluations = 6

const basisProxy = "Gao et al. 2022: past the peak the proxy reward rises and the gold score falls; the windows are our choice"

// proxyAgainstHeldOut finds where the trained reward rises and a held-out score falls: any
// of them, since a judge's taste for length can hide in one what another shows.
func proxyAgainstHeldOut(e *evidence) Signal {
	proxy, ok := e.reward()
	if !ok {
		return unknown("the reward is not logged")
	}
	tried, most := e.evaluated()
	switch {
	case most == 0:
		return unknown("no held-out score is logged; evaluate with something that training does not maximise, at %d steps or more", fewestEvaluations)
	case len(tried) == 0:
		return unknown("a held-out score is logged at %s; a trend needs %d", words.Count(most, "step"), fewestEvaluations)
	}
	s := Signal{Level: OK, Unit: record.Plain, Threshold: "a fall at 1 evaluation, or in 1 window", Basis: basisProxy}
	s.rests(tried[0])
	s.Note = fmt.Sprintf("%s never fell while the reward rose", spaced(tried[0].name()))
	for _, held := range tried {
		chance := rarely / float64(2*len(tried))
		for _, falls := range [][]parting{drops(proxy, held, chance), partings(proxy, held, chance)} {
			if found := parted(s, held, falls); worse(found, s) {
				s = found
			}
		}
	}
	if s.Level == OK {
		return s
	}
	return e.played(s)
}

// evaluated are the held-out scores with enough evaluations to tell a trend, and the most
// evaluations that one of all has.
func (e *evidence) evaluated() (enough []heldOut, most int) {
	for _, held := range e.held {
		steps, _ := held.scores()
		if most = max(most, len(steps)); len(steps) >= fewestEvaluations {
			enough = append(enough, held)
		}
	}
	return enough, most
}

// parting is a window in which the two go apart: from its best evaluation to its end.
type parting struct {
	peak, end int64
	lost      float64
	last      int // index of its last evaluation
}

// partings are the windows of evaluations, by their ends, over which the score falls and
// the proxy rises; the shortest such window at each end is taken. Chance is the share of runs
// in which noise may bring one about.
func partings(proxy curve, held heldOut, chance float64) (found []parting) {
	steps, values := held.scores()
	memory := held.noise().Memory
	for i := range steps {
		for _, n := range trendWindows {
			if n > i+1 {
				break
			}
			if p, ok := partingOf(proxy, steps[i+1-n:i+1], values[i+1-n:i+1], memory, chance/float64(len(steps))); ok {
				p.last = i
				found = append(found, p)
				break
			}
		}
	}
	return found
}

func partingOf(proxy curve, steps []int64, values []float64, memory, chance float64) (parting, bool) {
	if measure.Rising(floats(steps), negated(values), memory) > chance {
		return parting{}, false
	}
	var x, y []float64
	for _, p := range proxy.points {
		if p.Step >= steps[0] && p.Step <= steps[len(steps)-1] {
			x, y = append(x, float64(p.Step)), append(y, p.Value)
		}
	}
	if len(x) < fewestValues || !(measure.Rising(x, y, 0) < 0.025) {
		return parting{}, false
	}
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	end := len(steps) - 1
	return parting{peak: steps[best], end: steps[end], lost: values[best] - values[end]}, true
}

// compared bounds the evaluations that are compared with the best one before them.
const compared = 64

// drops are the evaluations at which the score is below the best before it by more than noise
// explains, over all pairs of evaluations, in a share `chance` of runs, while the proxy is surely
// above what it was there. It sees a fall by a step, which a line through a window takes for
// noise. The fall begins behind the last evaluation that is not surely below.
func drops(proxy curve, held heldOut, chance float64) (found []parting) {
	steps, values := held.scores()
	best, stride := 0, 1+len(steps)/compared
	looks := (len(steps) + stride - 1) / stride
	for i := stride; i < len(steps); i += stride {
		if values[i] >= values[best] {
			best = i
			continue
		}
		lost, ok := held.less(steps[best], steps[i])
		if ok && surely(lost, chance/float64(looks*(looks-1)/2), held.freedom(lost)) && proxy.rose(steps[best], steps[i]) {
			found = append(found, parting{peak: steps[i-stride], end: steps[i], lost: lost.Value, last: i / stride})
		}
	}
	return found
}

// surely says whether a difference is so far above 0 as noise brings it in less than a share
// `chance` of cases.
func surely(m Metric, chance, freedom float64) bool {
	if m.Low == nil || m.High == nil {
		return false
	}
	stderr := (*m.High - *m.Low) / 2 / measure.Reach(0.025, freedom)
	return m.Value > measure.Reach(chance, freedom)*stderr
}

// rose says whether a series of the log is higher at one step than at another before it, by
// more than `certain` standard errors of the few values next to each.
func (c curve) rose(from, to int64) bool {
	a, b := c.near(from, math.MaxInt64), c.near(to, math.MaxInt64)
	if len(a) < fewestValues || len(b) < fewestValues {
		return false
	}
	noise := newWindows(c, 0, 1).noise(len(c.points) - 1)
	return measure.Median(b)-measure.Median(a) > certain*noise*math.Sqrt(2/float64(len(a)))
}

// parted is the signal of windows that go apart: one warns, two that follow each other alert.
func parted(s Signal, held heldOut, falls []parting) Signal {
	if len(falls) == 0 {
		return s
	}
	s.Level = Warn
	s.rests(held)
	first := falls[0]
	for i := 1; i < len(falls); i++ {
		if falls[i].last == falls[i-1].last+1 {
			if s.Level == Warn {
				s.Level, first = Alert, falls[i-1]
			}
			s.Spans = []Span{{From: first.peak + 1, To: -1}}
		}
	}
	worst := falls[len(falls)-1].lost
	step := first.peak
	s.Step, s.Value = &step, &worst
	if s.Level == Alert {
		s.Threshold = "a fall at 2 evaluations, or in 2 windows"
	}
	if score, ok := held.at(step); ok && score.Unit == record.Share {
		s.Unit = record.Share
	}
	s.Note = fmt.Sprintf("the reward rises while %s falls, from step %d on (by %s)", spaced(held.name()), first.peak, lossInUnit(worst, s.Unit))
	s.Why, s.Help = "training maximises something other than what you want", "take an earlier checkpoint, and fix the reward before you train on"
	return s
}

// rests makes the signal rest on the curve of a held-out score.
func (s *Signal) rests(held heldOut) {
	steps, values := held.scores()
	s.Curve, s.CurveOf = pointsOf(steps, values), held.name()
	if m, ok := held.at(steps[0]); ok {
		s.CurveUnit = m.Unit
	}
}

// played says of a policy that acts in an environment what its evaluation means: the reward is
// the same, so nothing is cheated. A single bad evaluation is a few unlucky episodes.
func (e *evidence) played(s Signal) Signal {
	switch {
	case !e.run.Environment:
	case s.Level == Warn:
		s.Level, s.Step = OK, nil
		s.Note, s.Why, s.Help = fmt.Sprintf("one evaluation fell by %s; the next recovered", lossInUnit(*s.Value, s.Unit)), "", ""
	default:
		s.Level, s.Spans = Warn, nil
		s.Note = fmt.Sprintf("the training reward rises while the evaluation falls, from step %d on (by %s)", *s.Step, lossInUnit(*s.Value, s.Unit))
		s.Why = "what is evaluated differs from what is trained (exploration, normalisation, wrappers, seeds), or too few episodes are evaluated"
		s.Help = "take an earlier checkpoint, and compare the two environments"
	}
	return s
}

func pointsOf(steps []int64, values []float64) []record.Point {
	points := make([]record.Point, len(steps))
	for i := range points {
		points[i] = record.Point{Step: steps[i], Value: values[i], Count: 1}
	}
	return points
}

func floats(steps []int64) []float64 {
	x := make([]float64, len(steps))
	for i, s := range steps {
		x[i] = float64(s)
	}
	return x
}

func negated(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = -v
	}
	return out
}
