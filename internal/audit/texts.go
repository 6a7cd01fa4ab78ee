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
	// judged are those that signals look at: the steps that are of the base's prompts, and of the
	// others so many together that their prompts are enough.
	judged []sample
	base   sample
	// origin says whose the base is; ownUntil is the last step that it has of the run itself, -1 for
	// none.
	origin   string
	ownUntil int64
	unit     record.Unit // of lengths
	// stretch is the number of words over which repetition is counted: longer texts repeat
	// more for being longer.
	stretch  int
	scripts  map[string]float64      // letters of the base's completions
	curves   map[string]curve        // what was measured, by name of the quantity
	compared map[string][]difference // the same against the base
	bases    map[string]groups       // what was measured of the base's
}

// sample is completions of one step.
type sample struct {
	step        int64
	completions []record.Completion
	same        bool // the base answered most of its prompts
}

// textQuantity is something that can be measured of completions without a model.
type textQuantity struct {
	name string
	unit record.Unit // that of the lengths where it is ""
	// indicator says that values are 1 where something holds of a completion, else 0.
	indicator bool
	// value is that of a single completion, NaN where it says nothing.
	value func(t *texts, c record.Completion) float64
	// among gives, instead, the values of completions that are looked at together, and those of
	// the base's that they are compared with.
	among func(now, base []record.Completion) (values, bases []float64)
}

// readTexts collects the completions by step. The base is the reference model's
// completions where they were logged, else the first ones of the run.
func readTexts(e *evidence) *texts {
	t := &texts{ownUntil: -1, origin: "the base model's completions", curves: map[string]curve{}, compared: map[string][]difference{}, bases: map[string]groups{}}
	for _, b := range sortedBatches(e.run.Batches) {
		if b.Base {
			t.base.completions = append(t.base.completions, b.Kept...)
			continue
		}
		if n := len(t.steps); n > 0 && t.steps[n-1].step == b.Step {
			t.steps[n-1].completions = append(slices.Clone(t.steps[n-1].completions), b.Kept...)
			continue
		}
		t.steps = append(t.steps, sample{step: b.Step, completions: b.Kept})
	}
	if len(t.base.completions) == 0 {
		t.firstAsBase()
	}
	t.judged = t.enough()
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

// firstAsBase takes the completions of the first steps until they are enough, or the next ones
// answer their prompts again.
func (t *texts) firstAsBase() {
	for _, s := range t.steps {
		if n := len(t.base.completions); units(t.base.completions) >= pooled || n >= pooled && t.pairs(s) {
			return
		}
		t.base.completions = append(t.base.completions, s.completions...)
		t.ownUntil = s.step
		t.origin = fmt.Sprintf("the completions up to step %d", s.step)
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

// measure gives the values of completions, and those of the base's that they are compared with.
func (q textQuantity) measure(t *texts, completions []record.Completion) (now, base groups) {
	if q.among != nil {
		values, bases := q.among(completions, t.base.completions)
		return groupsOf(completions, values), groupsOf(t.base.completions, bases)
	}
	return groupsOf(completions, q.each(t, completions)), t.baseOf(q)
}

// baseOf is what is measured of the base's completions by themselves.
func (t *texts) baseOf(q textQuantity) groups {
	found, ok := t.bases[q.name]
	if !ok {
		found = groupsOf(t.base.completions, q.each(t, t.base.completions))
		t.bases[q.name] = found
	}
	return found
}

func (q textQuantity) each(t *texts, completions []record.Completion) []float64 {
	if q.among != nil {
		values, _ := q.among(completions, completions)
		return values
	}
	values := make([]float64, len(completions))
	for i, c := range completions {
		values[i] = q.value(t, c)
	}
	return values
}

// curve is the mean of a quantity at each step, with its errors; its start is the base's.
func (t *texts) curve(q textQuantity) (curve, bool) {
	c, ok := t.curves[q.name]
	if !ok {
		c = t.measured(q, t.steps)
		t.curves[q.name] = c
	}
	return c, len(c.points) > 0
}

// judgedCurve is the same as signals look at it: of so many prompts each that their spread is known.
func (t *texts) judgedCurve(q textQuantity) (curve, bool) {
	key := "judged " + q.name
	c, ok := t.curves[key]
	if !ok {
		c = t.measured(q, t.judged)
		t.curves[key] = c
	}
	return c, len(c.points) > 0
}

func (t *texts) measured(q textQuantity, samples []sample) curve {
	c := curve{name: q.name, unit: cmp.Or(q.unit, t.unit), errors: []float64{}}
	for _, s := range samples {
		if g := groupsOf(s.completions, q.each(t, s.completions)); g.n > 0 {
			units := g.units()
			c.points = append(c.points, record.Point{Step: s.step, Value: mean(units), Count: 1})
			c.errors, c.sizes = append(c.errors, q.stderr(units, 0)), append(c.sizes, len(units))
		}
	}
	g := t.baseOf(q)
	units := g.units()
	c.start = start{mean: mean(units), std: q.stderr(units, 0) * math.Sqrt(float64(g.n)), n: g.n}
	return c
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
	c, ok := t.judgedCurve(textKL)
	c.basis, c.start = "k1 of the log-probs in the completions, summed over the tokens", start{}
	if n := len(c.points); n > 0 {
		c.basis += t.otherEstimates(c.points[n-1].Step)
	}
	return c, ok
}

// otherEstimates are k2 and k3 at a step, where they are finite.
func (t *texts) otherEstimates(step int64) (words string) {
	i := slices.IndexFunc(t.judged, func(s sample) bool { return s.step == step })
	for k, m := range klMeasures[1:] {
		if v, ok := m.at(t, t.judged[i]); ok && finite(v.Value) {
			words += fmt.Sprintf("; k%d says %s at step %d", k+2, short(v.Value), step)
		}
	}
	return words
}

// What is logged with completions.
var (
	textLength     = textQuantity{name: "length of the completions", value: (*texts).lengthOf}
	textCharacters = textQuantity{name: "length in characters", unit: record.Characters, value: func(_ *texts, c record.Completion) float64 {
		return float64(measure.Characters(c.Text))
	}}
	textTruncated = textQuantity{name: "truncated completions", unit: record.Share, indicator: true, value: truncatedOf}
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
	for _, name := range slices.Sorted(maps.Keys(c.Rewards)) {
		sum += c.Rewards[name]
	}
	return sum
}
