package audit

import (
	"fmt"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

const basisPeak = "Gao, Schulman, Hilton 2022: R(d) = d (a - b ln d), d the square root of the KL"

// overOptimisation fits the law of Gao et al. to held-out scores over KL.
func overOptimisation(e *evidence) Signal {
	p, why := e.overOptimisation()
	if p == nil {
		return unknown("%s", why)
	}
	s := Signal{Level: OK, Value: &p.fit.LastKL, Unit: record.NatsPerSequence, Threshold: "a KL beyond the peak, and a score that fell since", Basis: basisPeak, Note: p.words()}
	if p.Passed {
		s.Level, s.Step, s.Spans = Alert, &p.passedAt, []Span{{From: p.passedAt, To: -1}}
		s.Why, s.Help = "past the peak, more reward means less quality", "take an earlier checkpoint, and "+raiseKL+" or stop earlier"
	}
	return s
}

// peak is the fit, and the first step with a KL beyond its peak.
type peak struct {
	OverOptimisation
	fit      measure.Fit
	passedAt int64
}

// extrapolated is how many times as far as the run went a peak may lie to be told of.
const extrapolated = 4

// near says whether the curve turns within reach of the points.
func (p *peak) near() bool { return p.fit.B > 0 && p.fit.PeakKL <= extrapolated*p.fit.LastKL }

// slight says that what was gained at the peak is no more than the scores scatter.
func (p *peak) slight() bool { return !(p.fit.PeakGold > p.fit.Residual) }

// shown says whether there is a peak to show.
func (p *peak) shown() bool { return p.near() && !p.slight() }

// words say where the peak is, and whether the run is past it.
func (p *peak) words() string {
	reached := fmt.Sprintf("fitted over %d checkpoints, up to a KL of %s nats per sequence", p.N, short(p.fit.LastKL))
	switch {
	case p.Passed && p.slight():
		return fmt.Sprintf("%s: the held-out score falls almost from the start; the run passed its peak at step %d", reached, p.passedAt)
	case p.Passed:
		return fmt.Sprintf("%s: the held-out score is highest at %s; the run passed it at step %d", reached, p.where(), p.passedAt)
	case !p.near() && p.fit.Before():
		return reached + ": the held-out score still rises, without a peak"
	case !p.near():
		return reached + ": the held-out score shows no peak; whether it still rises is not certain"
	case p.PeakKL > p.fit.LastKL:
		return fmt.Sprintf("%s: the held-out score would be highest beyond that, at %s", reached, p.where())
	case p.slight():
		return reached + ": the held-out score has no peak larger than its scatter"
	}
	return fmt.Sprintf("%s: the held-out score is highest at %s; whether the run passed it is not certain", reached, p.where())
}

// where is the KL of the peak with its interval.
func (p *peak) where() string {
	at := short(p.PeakKL)
	switch {
	case p.PeakKLLow == nil:
	case p.PeakKLHigh == nil:
		at += fmt.Sprintf(" (95 %%: %s or more)", short(*p.PeakKLLow))
	default:
		at += fmt.Sprintf(" (95 %%: %s to %s)", short(*p.PeakKLLow), short(*p.PeakKLHigh))
	}
	if n := math.Round(measure.BestOf(p.PeakKL)); n >= 2 && n < 1e6 {
		at += fmt.Sprintf(", as far from the reference as the best of %s of its samples", short(n))
	}
	return at
}

// overOptimisation returns the fit, or why there is none.
func (e *evidence) overOptimisation() (*peak, string) {
	held := e.primary()
	if held == nil {
		return nil, "no held-out score is logged: one at four checkpoints or more is needed"
	}
	kl, ok := e.sequenceKL()
	if !ok {
		return nil, "the KL to the reference over the sequence is not logged (or its mean over tokens, and the tokens)"
	}
	start, known := startScore(held, kl)
	if !known {
		return nil, "the held-out score of the base model (step 0) is not logged"
	}
	var kls, gains []float64
	var at []int64
	steps, scores := held.scores()
	for i, step := range steps {
		if k := kl.near(step, (e.last-e.first)/10); len(k) > 0 {
			kls, gains, at = append(kls, measure.Median(k)), append(gains, scores[i]-start), append(at, step)
		}
	}
	fit, err := measure.OverOptimisation(kls, gains)
	if err != nil {
		return nil, "over-optimisation cannot be fitted: " + err.Error()
	}
	if reason := unfit(fit, held, kls, gains, at); reason != "" {
		return nil, reason
	}
	return passed(fit, start, held, kls, at), ""
}

// unfit says why the law does not describe the scores, "" where it may. It goes up from the
// start, to a peak or not: a score that falls from the start, or falls and then stays, is bad
// enough, but no peak says since when.
func unfit(fit measure.Fit, held heldOut, kls, gains []float64, at []int64) string {
	for _, v := range []float64{fit.A, fit.B, fit.LastKL, fit.Residual} {
		if !finite(v) {
			return "over-optimisation cannot be fitted: the scores, or the KL, are too large"
		}
	}
	if least, most := slices.Min(gains), slices.Max(gains); least == most {
		return "over-optimisation cannot be fitted: the held-out score is the same at all checkpoints"
	}
	first, end := ends(kls)
	switch {
	case fit.B > 0 && fit.PeakKL < kls[first]:
		return "the held-out score falls from the start, so the law of over-optimisation has no peak to fit"
	case !(fit.B > 0) && surelyBelow(held, at[end], at[slices.Index(gains, slices.Max(gains))]):
		return "the held-out score falls as the KL grows, but not by the law of over-optimisation, which then cannot say where the peak is"
	}
	return ""
}

// ends are the indices of the smallest KL above 0, and of the largest, the last of equals.
func ends(kls []float64) (first, end int) {
	first = -1
	for i, k := range kls {
		if k > 0 && (first < 0 || k < kls[first]) {
			first = i
		}
		if k >= kls[end] {
			end = i
		}
	}
	return first, end
}

// material is the part of what was gained up to the peak that has to be lost since.
const material = 0.2

// passed says whether the run went past the peak: the slope at its end is below 0 beyond
// doubt, and the score there is below that next to the peak by more than its error, and by
// enough to matter.
func passed(fit measure.Fit, start float64, held heldOut, kls []float64, at []int64) *peak {
	p := &peak{fit: fit, OverOptimisation: OverOptimisation{A: fit.A, B: fit.B, PeakKL: fit.PeakKL, PeakScore: fit.PeakGold, Start: start, N: fit.N}}
	if !math.IsNaN(fit.PeakKLLow) {
		p.PeakKLLow = &fit.PeakKLLow
		if finite(fit.PeakKLHigh) {
			p.PeakKLHigh = &fit.PeakKLHigh
		}
	}
	if !fit.Passed() {
		return p
	}
	nearest := 0
	for i, k := range kls {
		if math.Abs(k-fit.PeakKL) < math.Abs(kls[nearest]-fit.PeakKL) {
			nearest = i
		}
	}
	_, end := ends(kls)
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
	if isPreference(held) {
		return equal, true
	}
	if len(steps) == 0 || len(kl.points) == 0 {
		return 0, false
	}
	first, end := measure.Median(kl.near(steps[0], math.MaxInt64)), measure.Median(kl.near(steps[len(steps)-1], math.MaxInt64))
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
