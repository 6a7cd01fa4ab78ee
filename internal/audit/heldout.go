package audit

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// heldOut is a score that training did not see, over the steps.
type heldOut interface {
	// name is that of the metric.
	name() string
	// scores are the steps at which it is known, ascending, and its values there.
	scores() ([]int64, []float64)
	// at is the score at, or near, a step.
	at(step int64) (Metric, bool)
	// less is the score at one step less that at another, with its interval, and the
	// number of prompts that both have.
	less(a, b int64) (Metric, bool)
	// paired says whether less compares prompt by prompt.
	paired(a, b int64) bool
	// noise is how evaluations scatter about the path of the score, as far as it lasts from
	// one to the next.
	noise() measure.Noise
	// freedom is the number of degrees of freedom of the interval of a difference.
	freedom(Metric) float64
}

// primary is the held-out score by which checkpoints are ranked, nil where there is none: what
// people or models preferred (in comparisons of checkpoints with each other, where there are
// some), then what they scored, then the gold scores of the completions, then an evaluation of
// the log; or the one that the options name. Preferences are read at equal length where that can
// be told of every checkpoint: where it can be told of some only, they could not be compared
// with the others.
func (e *evidence) primary() heldOut {
	for _, h := range e.held {
		steps, _ := h.scores()
		c, ok := h.(controlled)
		whole := !ok || len(c.rates) == len(c.values)
		if len(steps) > 0 && (e.options.Primary == "" && whole || e.options.Primary == h.name()) {
			return h
		}
	}
	return nil
}

// heldOuts are all held-out scores, the one to trust most first.
func (e *evidence) heldOuts() []heldOut {
	preferred, lengths := e.preferences()
	all := []heldOut{judged{"score", e.scores(), record.Points, e.rounds()}, judged{"gold", e.golds(), record.Points, e.rounds()}}
	all = append([]heldOut{judged{"win_rate", preferred, record.Share, e.rounds()}}, all...)
	if lengths != nil {
		all = append([]heldOut{controlledOf(judged{"win_rate_length_controlled", preferred, record.Share, e.rounds()}, lengths)}, all...)
	}
	if a, why := e.arena(); a != nil {
		at := 0 // where it knows checkpoints that nobody compared with the base
		if steps, _ := a.scores(); len(steps) == len(preferred) && lengths != nil {
			at = 1
		}
		all = slices.Insert(all, at, heldOut(a))
	} else {
		e.unranked = why
	}
	if c, ok := e.curve(record.HeldOut); ok {
		all = append(all, loggedOf(c, (e.last-e.first)/20))
	}
	return all
}

// byPrompt is the values of each prompt, by step.
type byPrompt map[int64]map[string][]float64

func (b byPrompt) add(step int64, prompt string, value float64) {
	if b[step] == nil {
		b[step] = map[string][]float64{}
	}
	b[step][prompt] = append(b[step][prompt], value)
}

// preferences are 1 for a win against the base, 0.5 for a tie, 0 for a loss; and, where
// every one has its lengths, the differences of the lengths.
func (e *evidence) preferences() (outcomes, lengths byPrompt) {
	outcomes, lengths = byPrompt{}, byPrompt{}
	for _, p := range e.run.Judgements.Preferences {
		if p.Against != nil {
			continue
		}
		outcomes.add(p.Step, p.Prompt, float64(p.Outcome-record.Loss)/2)
		if p.Length <= 0 || p.BaseLength <= 0 {
			lengths = nil
		}
		if lengths != nil {
			lengths.add(p.Step, p.Prompt, p.Length-p.BaseLength)
		}
	}
	if len(outcomes) == 0 {
		lengths = nil
	}
	return outcomes, lengths
}

func (e *evidence) scores() byPrompt {
	b := byPrompt{}
	if scales(e.run.Judgements.Scores) != "" {
		return b
	}
	for _, s := range e.run.Judgements.Scores {
		b.add(s.Step, s.Prompt, s.Value)
	}
	return b
}

func (e *evidence) golds() byPrompt {
	b := byPrompt{}
	for _, s := range e.texts.steps {
		for _, c := range s.completions {
			if c.Gold != nil {
				b.add(s.step, c.Prompt, *c.Gold)
			}
		}
	}
	return b
}

func (e *evidence) rounds() int { return cmp.Or(e.options.Rounds, measure.Rounds) }

// judged is a score of single prompts.
type judged struct {
	metric string
	values byPrompt
	unit   record.Unit
	rounds int
}

func (j judged) name() string { return j.metric }

func (j judged) scores() (steps []int64, values []float64) {
	for _, step := range slices.Sorted(maps.Keys(j.values)) {
		steps, values = append(steps, step), append(values, mean(slices.Concat(j.groups(step)...)))
	}
	return steps, values
}

// groups are the values of each prompt, in an order that does not depend on the file's.
func (j judged) groups(step int64) (groups [][]float64) {
	prompts := j.values[step]
	for _, prompt := range slices.Sorted(maps.Keys(prompts)) {
		groups = append(groups, sorted(prompts[prompt]))
	}
	return groups
}

func (j judged) at(step int64) (Metric, bool) {
	groups := j.groups(step)
	if len(groups) == 0 {
		return Metric{}, false
	}
	if j.preference() {
		i := measure.RateOverPrompts(groups)
		return metricOf(i, j.unit), i.Defined()
	}
	return metricOf(measure.Bootstrap(groups, mean, j.rounds, 0), j.unit), true
}

// less compares prompt by prompt where both steps have the prompts, which takes out how
// hard they are.
func (j judged) less(a, b int64) (Metric, bool) {
	groups := j.differences(a, b)
	if len(groups) < fewestValues {
		return apart(j, a, b)
	}
	if m, same := constant(groups, j.unit); same {
		return m, true
	}
	return metricOf(measure.Bootstrap(groups, mean, j.rounds, 0), j.unit), true
}

// constant is a difference that is the same at every prompt, and not 0: it has no error to be
// measured, and with so many prompts chance is no explanation (sign test, 2 * 0.5^6 < 0.05).
func constant(differences [][]float64, unit record.Unit) (Metric, bool) {
	v := differences[0][0]
	if len(differences) < 6 || v == 0 || slices.ContainsFunc(differences, func(d []float64) bool { return d[0] != v }) {
		return Metric{}, false
	}
	return Metric{Value: v, Low: &v, High: &v, Unit: unit, N: len(differences)}, true
}

func (j judged) paired(a, b int64) bool { return len(j.differences(a, b)) >= fewestValues }

// differences are those of the prompts that both steps have.
func (j judged) differences(a, b int64) (groups [][]float64) {
	for _, prompt := range slices.Sorted(maps.Keys(j.values[a])) {
		if other, ok := j.values[b][prompt]; ok {
			groups = append(groups, []float64{mean(sorted(j.values[a][prompt])) - mean(sorted(other))})
		}
	}
	return groups
}

// noise of judgements is that of drawing prompts, which each evaluation tells of itself: what
// moves beyond it is the policy.
func (j judged) noise() measure.Noise { return measure.Noise{} }

func (j judged) freedom(m Metric) float64 { return float64(m.N - 1) }

// controlled is a win rate at equal length.
type controlled struct {
	judged
	rates map[int64]Metric
}

// uninformative is the width of an interval of a win rate from which on nothing is known:
// where nearly every answer is longer than the base's, no two of one length are compared.
const uninformative = 0.8

// controlledOf takes the length out of the preferences at each step where that can be done.
func controlledOf(j judged, lengths byPrompt) controlled {
	c := controlled{j, map[int64]Metric{}}
	for step, prompts := range j.values {
		var outcomes, differences []float64
		for _, prompt := range slices.Sorted(maps.Keys(prompts)) {
			outcomes = append(outcomes, mean(sorted(prompts[prompt])))
			differences = append(differences, mean(sorted(lengths[step][prompt])))
		}
		if i := measure.LengthControlled(outcomes, differences); i.Defined() && !(i.High-i.Low > uninformative) {
			c.rates[step] = metricOf(i, j.unit)
		}
	}
	return c
}

func (c controlled) at(step int64) (Metric, bool) {
	m, ok := c.rates[step]
	return m, ok
}

func (c controlled) less(a, b int64) (Metric, bool) { return apart(c, a, b) }

func (c controlled) paired(a, b int64) bool { return false }

// scores are those of the steps at which the length can be taken out.
func (c controlled) scores() (steps []int64, values []float64) {
	for _, step := range slices.Sorted(maps.Keys(c.rates)) {
		steps, values = append(steps, step), append(values, c.rates[step].Value)
	}
	return steps, values
}

// apart is the difference of two scores taken as independent, which is wider than the
// truth where the same prompts were used.
func apart(h heldOut, a, b int64) (Metric, bool) {
	x, okX := h.at(a)
	y, okY := h.at(b)
	if !okX || !okY {
		return Metric{}, false
	}
	i := measure.Interval{Value: x.Value - y.Value, Low: math.NaN(), High: math.NaN(), N: min(x.N, y.N)}
	if x.Low != nil && y.Low != nil {
		i.Low = i.Value - math.Hypot(x.Value-*x.Low, *y.High-y.Value)
		i.High = i.Value + math.Hypot(*x.High-x.Value, y.Value-*y.Low)
	}
	return metricOf(i, x.Unit), i.Defined()
}

// metricOf is an interval as a metric; ends that are not finite are none.
func metricOf(i measure.Interval, unit record.Unit) Metric {
	m := Metric{Value: i.Value, Unit: unit, N: i.N}
	if i.Bounded() {
		m.Low, m.High = &i.Low, &i.High
	}
	return m
}

func mean(values []float64) float64 {
	m, _ := meanStd(values)
	return m
}

// sorted returns the values in an order that does not depend on that of the file.
func sorted(values []float64) []float64 { return slices.Sorted(slices.Values(values)) }
