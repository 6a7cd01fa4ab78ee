package audit

import (
	"fmt"
	"math"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// A trend counts where its slope could be that steep by chance in a share of `rarely` of all
// the runs with as many evaluations: the more windows are looked at, the steeper it has to be.
// Windows have these numbers of evaluations, so that a short fall and a slow one are both
// seen; in fewer than nine it is not to be seen how much an evaluation says of the next.
const rarely = 0.02

var trendWindows = []int{9, 13, 19, 28}

// fewestEvaluations is the number below which nothing is said of a held-out score.
const fewestEvaluations = 6

const basisProxy = "Gao et al. 2022: past the peak the proxy rises and the gold score falls; the windows are our proposal"

// proxyAgainstHeldOut finds where the trained reward rises and a held-out score falls: any
// of them, since a judge's taste for length can hide in one what another shows.
func proxyAgainstHeldOut(e *evidence) Signal {
	proxy, ok := e.reward()
	if !ok {
		return unknown("the reward is not logged")
	}
	s := Signal{Level: OK, Unit: record.Plain, Threshold: "reward up and held-out score down, in 1 window (warn) or 2, or at 1 evaluation (warn) or 2", Basis: basisProxy}
	known := 0
	for _, held := range e.heldOuts() {
		steps, values := held.scores()
		known = max(known, len(steps))
		if len(steps) < fewestEvaluations {
			continue
		}
		if s.Curve == nil {
			s.Curve = pointsOf(steps, values)
			s.Note = fmt.Sprintf("in no window of evaluations did %s fall while the reward rose", words(held.name()))
		}
		falls := drops(proxy, held)
		if len(falls) == 0 {
			falls = partings(proxy, steps, values)
		}
		if len(falls) > 0 {
			s.Curve = pointsOf(steps, values)
			return parted(s, words(held.name()), falls)
		}
	}
	switch {
	case known == 0:
		return unknown("no held-out score is logged: an evaluation that training does not maximise, at %d steps or more", fewestEvaluations)
	case s.Curve == nil:
		return unknown("a held-out score is known at %s, and %d are needed to tell a trend", count(known, "step", "steps"), fewestEvaluations)
	}
	return s
}

// parting is a window in which the two go apart: from its best evaluation to its end.
type parting struct {
	peak, end int64
	lost      float64
	last      int // index of its last evaluation
}

// partings are the windows of evaluations, by their ends, over which the score falls and
// the proxy rises; the longest window at each end is taken.
func partings(proxy curve, steps []int64, values []float64) (found []parting) {
	for i := range steps {
		for _, n := range trendWindows {
			if n > i+1 {
				break
			}
			if p, ok := partingOf(proxy, steps[i+1-n:i+1], values[i+1-n:i+1], rarely/float64(len(steps))); ok {
				p.last = i
				found = append(found, p)
				break
			}
		}
	}
	return found
}

func partingOf(proxy curve, steps []int64, values []float64, chance float64) (parting, bool) {
	if measure.Rising(floats(steps), negated(values)) > chance {
		return parting{}, false
	}
	var x, y []float64
	for _, p := range proxy.points {
		if p.Step >= steps[0] && p.Step <= steps[len(steps)-1] {
			x, y = append(x, float64(p.Step)), append(y, p.Value)
		}
	}
	if len(x) < fewestValues || !(measure.Rising(x, y) < 0.025) {
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

// drops are the evaluations at which the score is below the best before it by more than
// `certain` standard errors of their difference, while the proxy is as surely above what it
// was there. It sees a fall by a step, which a line through a window takes for noise. The fall
// begins behind the last evaluation that is not surely below.
func drops(proxy curve, held heldOut) (found []parting) {
	steps, values := held.scores()
	best, stride := 0, 1+len(steps)/compared
	for i := stride; i < len(steps); i += stride {
		if values[i] >= values[best] {
			best = i
			continue
		}
		lost, ok := held.less(steps[best], steps[i])
		if ok && surely(lost) && proxy.rose(steps[best], steps[i]) {
			found = append(found, parting{peak: steps[i-stride], end: steps[i], lost: lost.Value, last: i / stride})
		}
	}
	return found
}

// surely says whether a difference is above 0 by `certain` standard errors.
func surely(m Metric) bool {
	return m.Low != nil && m.High != nil && m.Value > certain*(*m.High-*m.Low)/(2*normal95)
}

// rose says whether a series of the log is higher at one step than at another before it, by
// more than `certain` standard errors of the few values next to each.
func (c curve) rose(from, to int64) bool {
	a, b := c.near(from, math.MaxInt64), c.near(to, math.MaxInt64)
	if len(a) < fewestValues || len(b) < fewestValues {
		return false
	}
	noise := newWindows(c, 0, 1).noise(len(c.points) - 1)
	return median(b)-median(a) > certain*noise*math.Sqrt(2/float64(len(a)))
}

// parted is the signal of windows that go apart: one warns, two that follow each other alert.
func parted(s Signal, name string, falls []parting) Signal {
	s.Level = Warn
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
	s.Note = fmt.Sprintf("the reward rises and %s falls, from step %d on (by %s): what training maximises is no longer what is wanted; take a checkpoint from before, and mend the reward before training on", name, first.peak, short(worst))
	return s
}

// overOptimisation fits the law of Gao et al. to held-out scores over KL.
func overOptimisation(e *evidence) Signal {
	fit, why := e.overOptimisation()
	if fit == nil {
		return unknown("%s", why)
	}
	s := Signal{Level: OK, Value: &fit.PeakKL, Unit: record.NatsPerSequence, Threshold: "KL beyond the peak, and a score that fell since", Basis: "Gao, Schulman, Hilton 2022: R(d) = d (a - b ln d), d the square root of the KL"}
	if !(fit.B > 0) {
		s.Value = nil
		s.Note = fmt.Sprintf("over %d checkpoints the held-out score has no peak: it rises with the KL as far as the run went", fit.N)
		return s
	}
	s.Note = fmt.Sprintf("fitted over %d checkpoints, the held-out score is highest at a KL of %s nats per sequence", fit.N, short(fit.PeakKL))
	if !fit.Passed {
		s.Note += "; that the run went past it is not certain"
		return s
	}
	s.Level, s.Step = Alert, &fit.passedAt
	s.Spans = []Span{{From: fit.passedAt, To: -1}}
	s.Note += fmt.Sprintf(", and the run is past it since step %d: more reward is less quality there; take the checkpoint before, and raise the KL coefficient or stop earlier", fit.passedAt)
	return s
}

// passing is the fit, and the first step with a KL beyond its peak.
type passing struct {
	OverOptimisation
	passedAt int64
}

// overOptimisation returns the fit, or why there is none.
func (e *evidence) overOptimisation() (*passing, string) {
	held := e.primary()
	if held == nil {
		return nil, "no held-out score is logged: one at four checkpoints or more is needed"
	}
	kl, ok := e.sequenceKL()
	if !ok {
		return nil, "the KL to the reference over the sequence is not logged (or its mean over tokens, and the tokens)"
	}
	steps, scores := held.scores()
	var kls, gains []float64
	start, known := startScore(held, kl)
	if !known {
		return nil, "the held-out score of the policy that training began with is not known"
	}
	var at []int64
	for i, step := range steps {
		if k := kl.near(step, (e.last-e.first)/10); len(k) > 0 {
			kls, gains, at = append(kls, median(k)), append(gains, scores[i]-start), append(at, step)
		}
	}
	fit, err := measure.OverOptimisation(kls, gains)
	if err != nil {
		return nil, "over-optimisation cannot be fitted: " + err.Error()
	}
	if fit.B > 0 && fit.PeakKL < least(kls) {
		return nil, "the law of over-optimisation does not fit these scores: its peak would be before the first of them"
	}
	return passed(fit, start, held, kls, at), ""
}

// least is the smallest KL above 0, infinite where there is none.
func least(kls []float64) float64 {
	low := math.Inf(1)
	for _, k := range kls {
		if k > 0 {
			low = math.Min(low, k)
		}
	}
	return low
}

// material is the part of what was gained up to the peak that has to be lost since.
const material = 0.2

// passed says whether the run went past the peak: the slope at its end is below 0 beyond
// doubt, and the score there is below that next to the peak by more than its error, and by
// enough to matter.
func passed(fit measure.Fit, start float64, held heldOut, kls []float64, at []int64) *passing {
	p := &passing{OverOptimisation: OverOptimisation{A: fit.A, B: fit.B, PeakKL: fit.PeakKL, PeakScore: fit.PeakGold, Start: start, N: fit.N}}
	if !fit.Passed() {
		return p
	}
	nearest, end := 0, 0
	for i, k := range kls {
		if math.Abs(k-fit.PeakKL) < math.Abs(kls[nearest]-fit.PeakKL) {
			nearest = i
		}
		if k >= kls[end] {
			end = i
		}
	}
	lost, ok := held.less(at[end], at[nearest])
	if !ok || lost.High == nil || *lost.High >= 0 || -lost.Value < material*fit.PeakGold {
		return p
	}
	certain := math.Max(fit.PeakKL, fit.PeakKLHigh)
	if math.IsNaN(certain) || certain > kls[end] {
		certain = fit.PeakKL
	}
	for i, k := range kls {
		if k > certain && surelyBelow(held, at[i], at[nearest]) { // a peak before the first score is a guess
			p.Passed, p.passedAt = true, at[i]
			break
		}
	}
	return p
}

// surelyBelow says whether the score at a step is below that at another beyond its error.
func surelyBelow(held heldOut, step, other int64) bool {
	lost, ok := held.less(step, other)
	return ok && lost.High != nil && *lost.High < 0
}

// startScore is the held-out score at no KL: one half for a win rate against the base, else
// the first score, if the policy had hardly moved by then.
func startScore(held heldOut, kl curve) (float64, bool) {
	steps, scores := held.scores()
	if j, ok := held.(interface{ preference() bool }); ok && j.preference() {
		return 0.5, true
	}
	if len(steps) == 0 || len(kl.points) == 0 {
		return 0, false
	}
	first, end := median(kl.near(steps[0], math.MaxInt64)), median(kl.near(steps[len(steps)-1], math.MaxInt64))
	return scores[0], steps[0] <= kl.points[0].Step || first < 0.05*end
}

// preference says whether the score is a rate of wins against the base.
func (j judged) preference() bool { return j.unit == record.Share }

// sequenceKL is the KL over the sequence: as logged, from the log-probs of completions, or
// the mean over tokens times their number.
func (e *evidence) sequenceKL() (curve, bool) {
	if c, ok := e.curve(record.KLReference, record.NatsPerSequence); ok {
		return c, true
	}
	if c, ok := e.texts.kl(); ok {
		return c, true
	}
	c, ok := e.curve(record.KLReference, record.NatsPerToken)
	length, logged := e.curve(record.Length, record.Tokens)
	if !ok || !logged {
		return curve{}, false
	}
	c.points = append([]record.Point(nil), c.points...)
	for i, p := range c.points {
		c.points[i].Value = p.Value * mean(length.near(p.Step, math.MaxInt64))
	}
	c.unit, c.start = record.NatsPerSequence, startOf(c.points, e.early())
	return c, true
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
