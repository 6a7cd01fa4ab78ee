package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// texts are the completions of a run, and those that they are compared with.
type texts struct {
	steps []sample // the policy's, by step, ascending
	base  sample
	// origin says whose the base is.
	origin string
	unit   record.Unit // of lengths
	// stretch is the number of words over which repetition is counted: longer texts repeat
	// more for being longer.
	stretch int
	scripts map[string]float64 // letters of the base's completions
	curves  map[string]curve   // what was measured, by name of the quantity
}

// sample is completions of one step.
type sample struct {
	step        int64
	completions []record.Completion
}

// textQuantity is something that can be measured of completions without a model.
type textQuantity struct {
	name string
	unit record.Unit // that of the lengths where it is ""
	// value is that of a single completion, NaN where it says nothing.
	value func(t *texts, c record.Completion) float64
	// share is, instead, the part of n completions that have something in common.
	share func(c []record.Completion) (part float64, n int)
}

// readTexts collects the completions by step. The base is the reference model's
// completions where they were logged, else the first ones of the run.
func readTexts(e *evidence) *texts {
	t := &texts{origin: "the base model's", curves: map[string]curve{}}
	for _, b := range sortedBatches(e.run.Batches) {
		if b.Base {
			t.base.completions = append(t.base.completions, b.Kept...)
			continue
		}
		if n := len(t.steps); n > 0 && t.steps[n-1].step == b.Step {
			t.steps[n-1].completions = append(slices.Clone(t.steps[n-1].completions), b.Kept...)
			continue
		}
		t.steps = append(t.steps, sample{b.Step, b.Kept})
	}
	if len(t.base.completions) == 0 {
		t.firstAsBase()
	}
	t.unit, t.stretch, t.scripts = t.lengthUnit(), t.typicalWords(), measure.Sum(textsOf(t.base.completions), measure.Scripts)
	return t
}

func sortedBatches(batches []record.Batch) []record.Batch {
	sorted := slices.Clone(batches)
	slices.SortStableFunc(sorted, func(a, b record.Batch) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Source, b.Source))
	})
	return sorted
}

// firstAsBase takes the completions of the first steps until they are enough.
func (t *texts) firstAsBase() {
	for _, s := range t.steps {
		if len(t.base.completions) >= pooled {
			return
		}
		t.base.completions = append(t.base.completions, s.completions...)
		t.origin = fmt.Sprintf("those up to step %d", s.step)
	}
}

// lengthUnit is tokens where a tokenizer counted every completion, else words.
func (t *texts) lengthUnit() record.Unit {
	counted := func(c []record.Completion) bool {
		return !slices.ContainsFunc(c, func(c record.Completion) bool { return c.Tokens <= 0 })
	}
	for _, s := range t.steps {
		if !counted(s.completions) {
			return record.Words
		}
	}
	if !counted(t.base.completions) {
		return record.Words
	}
	return record.Tokens
}

// shortestStretch is the fewest words over which repetition is counted: they have five
// 4-grams.
const shortestStretch = 8

// typicalWords is the median length of the base's completions in words, and at least
// shortestStretch.
func (t *texts) typicalWords() int {
	var lengths []int
	for _, c := range t.base.completions {
		lengths = append(lengths, len(measure.Words(c.Text)))
	}
	if len(lengths) == 0 {
		return shortestStretch
	}
	slices.Sort(lengths)
	return max(shortestStretch, lengths[len(lengths)/2])
}

// curve is the mean of a quantity over the steps, with its errors; its start is the base's.
func (t *texts) curve(q textQuantity) (curve, bool) {
	c, ok := t.curves[q.name]
	if !ok {
		c = t.measured(q)
		t.curves[q.name] = c
	}
	return c, len(c.points) > 0
}

func (t *texts) measured(q textQuantity) curve {
	c := curve{name: q.name, unit: cmp.Or(q.unit, t.unit), errors: []float64{}}
	for _, s := range t.steps {
		if mean, stderr, n := q.over(t, s.completions); n > 0 {
			c.points = append(c.points, record.Point{Step: s.step, Value: mean, Count: 1})
			c.errors, c.sizes = append(c.errors, stderr), append(c.sizes, n)
		}
	}
	base, stderr, n := q.over(t, t.base.completions)
	c.start = start{mean: base, std: stderr * math.Sqrt(float64(n)), n: n}
	return c
}

// drift is the curve less its base, whose own error is in each difference.
func (t *texts) drift(q textQuantity) (curve, bool) {
	c, ok := t.curve(q)
	if !ok || c.start.n == 0 {
		return c, false
	}
	mean, own := c.start.mean, c.start.std/math.Sqrt(float64(c.start.n))
	c = c.linear(1, -mean)
	for i, e := range c.errors {
		c.errors[i] = math.Hypot(e, own)
	}
	c.basis = fmt.Sprintf("%s less %s %s", q.name, t.origin, short(mean))
	c.start = start{}
	return c, true
}

// over is the mean of the quantity with its standard error.
func (q textQuantity) over(t *texts, completions []record.Completion) (mean, stderr float64, n int) {
	if q.share != nil {
		part, n := q.share(completions)
		return part, shareError(part, n), n
	}
	var values []float64
	zeroOne := true
	for _, c := range completions {
		if v := q.value(t, c); !math.IsNaN(v) {
			values, zeroOne = append(values, v), zeroOne && (v == 0 || v == 1)
		}
	}
	if zeroOne {
		mean, _ = meanStd(values)
		return mean, shareError(mean, len(values)), len(values)
	}
	mean, stderr = measure.MeanError(values)
	if math.IsNaN(stderr) {
		stderr = math.Inf(1)
	}
	return mean, stderr, len(values)
}

// shareError is the standard error of a share. Answers that are all alike do not make a
// certainty: one more of each kind is counted.
func shareError(part float64, n int) float64 {
	p := (part*float64(n) + 1) / float64(n+2)
	return math.Sqrt(p * (1 - p) / float64(n))
}

func textsOf(completions []record.Completion) []string {
	all := make([]string, len(completions))
	for i, c := range completions {
		all[i] = c.Text
	}
	return all
}

func share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// kl is k1 of the sums of log-probs that were logged with the completions.
func (t *texts) kl() (curve, bool) {
	c, ok := t.curve(textKL)
	c.basis, c.start = "k1 of the log-probs in the completions", start{}
	return c, ok
}

// What is logged with completions.
var (
	textLength    = textQuantity{name: "length of the completions", value: (*texts).lengthOf}
	textTruncated = textQuantity{name: "truncated completions", unit: record.Share, value: truncatedOf}
	textReward    = textQuantity{name: "reward of the completions", unit: record.Points, value: rewardOf}
	textKL        = textQuantity{name: "KL of the completions", unit: record.NatsPerSequence, value: klOf}
)

func (t *texts) lengthOf(c record.Completion) float64 {
	if t.unit == record.Tokens {
		return float64(c.Tokens)
	}
	return float64(len(measure.Words(c.Text)))
}

func truncatedOf(_ *texts, c record.Completion) float64 {
	if c.Truncated == nil {
		return math.NaN()
	}
	return share(*c.Truncated)
}

func klOf(_ *texts, c record.Completion) float64 {
	if c.LogProb == nil || c.ReferenceLogProb == nil {
		return math.NaN()
	}
	mean, _ := measure.K1([]float64{*c.LogProb}, []float64{*c.ReferenceLogProb})
	return mean
}

// rewardOf is the sum of what the reward functions gave, which is what training maximises
// where they are not weighted; NaN where none is there.
func rewardOf(_ *texts, c record.Completion) float64 {
	if len(c.Rewards) == 0 {
		return math.NaN()
	}
	if total, ok := c.Rewards["reward"]; ok {
		return total
	}
	sum := 0.0
	for _, name := range sortedKeys(c.Rewards) {
		sum += c.Rewards[name]
	}
	return sum
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
