package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// # Completions against the base's
//
// What a completion is like depends on what was asked first of all. So a step is compared
// with the base on the prompts that both answered, prompt by prompt, where these are most of
// the step's (paired); else as a whole, and it is said that the prompts are others.
//
// How sure a difference is rests on what varies by itself. Answers to one prompt are alike, so
// that prompts are counted, not answers. The base's answers stand in the difference of every
// step: their error is the same in each, and does not average out over steps. Of a paired
// difference all of the error is taken to be of that kind, for the prompts are the same too.

// Trainers that sample groups log a few prompts at each step, and others each time. Of these so
// many steps are taken together that their prompts tell how far prompts are apart.

// fewestTexts are the prompts below which their spread is not known: of the base, and of a step.
const fewestTexts = 8

// pairs says whether the base answered most of a step's prompts.
func (t *texts) pairs(s sample) bool {
	asked := map[string]bool{}
	for _, c := range t.base.completions {
		asked[c.Prompt] = c.Prompt != ""
	}
	both, shared := 0, map[string]bool{}
	for _, c := range s.completions {
		if asked[c.Prompt] {
			both++
			shared[c.Prompt] = true
		}
	}
	return 2*both >= len(s.completions) && len(shared) >= fewestTexts
}

// units is how many completions vary by themselves: as many as there are prompts, and all where
// these are not logged.
func units(completions []record.Completion) int {
	prompts := map[string]bool{}
	for _, c := range completions {
		if c.Prompt == "" {
			return len(completions)
		}
		prompts[c.Prompt] = true
	}
	return len(prompts)
}

// enough are the steps that are of the base's prompts, and of the others blocks of enough prompts, each
// with the step of its last; the steps as they are where no block is full.
func (t *texts) enough() (judged []sample) {
	block := sample{}
	for _, s := range t.steps {
		if s.same = t.pairs(s); s.same {
			judged, block = append(judged, s), sample{}
			continue
		}
		block = sample{step: s.step, completions: append(block.completions, s.completions...)}
		if units(block.completions) >= pooled {
			judged, block = append(judged, block), sample{}
		}
	}
	if len(judged) == 0 {
		return t.steps
	}
	return judged
}

// difference is what was measured of the completions of a step, against the base's.
type difference struct {
	step      int64
	now, base float64 // the means
	// own is the standard error of now-base as far as it is the step's alone, common what is the
	// same at other steps; ownShare and commonShare are those of log(now/base).
	own, common           float64
	ownShare, commonShare float64
	n                     int // completions of the step behind it, or prompts where it is not paired
	paired                bool
}

// differences compares each step with the base.
func (t *texts) differences(q textQuantity) []difference {
	if found, ok := t.compared[q.name]; ok {
		return found
	}
	var found []difference
	for _, s := range t.judged {
		if d, ok := t.difference(q, s); ok {
			found = append(found, d)
		}
	}
	t.compared[q.name] = found
	return found
}

// difference compares a step with the base; false where one of them has no value.
func (t *texts) difference(q textQuantity, s sample) (difference, bool) {
	now, base := q.measure(t, s.completions)
	if len(now.units()) < fewestTexts || len(base.units()) == 0 {
		return difference{}, false
	}
	d := q.compare(now, base, s.same)
	d.step = s.step
	return d, true
}

func (q textQuantity) compare(now, base groups, same bool) difference {
	if x, b, n := now.shared(base); same && 2*n >= now.n && len(x) >= fewestTexts {
		d := difference{now: mean(x), base: mean(b), n: n, paired: true}
		d.common = q.stderr(less(x, b, 1, 1), -1)
		d.commonShare = q.stderr(less(x, b, 1/d.now, 1/d.base), -1)
		return d
	}
	x, b := now.units(), base.units()
	d := difference{now: mean(x), base: mean(b), n: len(x)}
	d.own, d.common = q.stderr(x, 0), q.stderr(b, 0)
	if d.common == 0 { // all alike, so that their spread is not known: it is taken to be the step's
		d.common = d.own * math.Sqrt(float64(len(x))/float64(len(b)))
	}
	d.ownShare, d.commonShare = d.own/d.now, d.common/d.base
	return d
}

// less are the weighted differences of the values of prompts.
func less(x, b []float64, wx, wb float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = wx*x[i] - wb*b[i]
	}
	return out
}

// stderr is the standard error of a mean of independent values: infinite for a single one. Of
// indicators that are all alike it is not 0: an answer more of each kind is counted, which are 1 and
// the least one (Agresti and Coull 1998; of differences, whose least is -1, Bonett and Price 2012).
func (q textQuantity) stderr(values []float64, least float64) float64 {
	if !q.indicator {
		_, stderr := measure.MeanError(values)
		if math.IsNaN(stderr) {
			return math.Inf(1)
		}
		return stderr
	}
	n, sum, squares := float64(len(values)), 1+least, 1+least*least
	for _, v := range values {
		sum, squares = sum+v, squares+v*v
	}
	return math.Sqrt((squares-sum*sum/(n+2))/(n+2)) / math.Sqrt(n)
}

// drift is the curve of a quantity less the base's.
func (t *texts) drift(q textQuantity) (curve, bool) {
	c := curve{name: q.name, unit: cmp.Or(q.unit, t.unit), errors: []float64{}}
	for _, d := range t.differences(q) {
		c.add(d, d.now-d.base, d.own, d.common)
	}
	c.basis = t.against(q)
	return c, len(c.points) > 0
}

// ratio is the curve of a quantity as a multiple of the base's.
func (t *texts) ratio(q textQuantity) (curve, bool) {
	c := curve{name: q.name, unit: record.Plain, errors: []float64{}}
	for _, d := range t.differences(q) {
		if r := d.now / d.base; d.base > 0 && r > 0 {
			c.add(d, r, r*d.ownShare, r*d.commonShare)
		}
	}
	c.basis = t.against(q)
	return c, len(c.points) > 0
}

func (c *curve) add(d difference, value, own, common float64) {
	c.points = append(c.points, record.Point{Step: d.step, Value: value, Count: 1})
	c.errors, c.common, c.sizes = append(c.errors, own), append(c.common, common), append(c.sizes, d.n)
}

// against says with what a quantity is compared.
func (t *texts) against(q textQuantity) string {
	unit := ""
	if q.unit == "" {
		unit = " " + string(t.unit)
	}
	return fmt.Sprintf("against %s%s in %s, %s", short(mean(t.baseOf(q).units())), unit, t.origin, t.prompts(q))
}

// prompts says whether the base answered the prompts of the steps.
func (t *texts) prompts(q textQuantity) string {
	paired, all := 0, t.differences(q)
	for _, d := range all {
		paired += int(share(d.paired))
	}
	switch {
	case paired == len(all):
		return "on the same prompts"
	case paired > 0:
		return fmt.Sprintf("on the same prompts at %d of %d steps, else as a whole", paired, len(all))
	}
	if !t.asked() {
		return "whose prompts are not logged"
	}
	return "on other prompts"
}

// otherPrompts warns of steps whose prompts the base did not answer, "" where there are none.
func (t *texts) otherPrompts() string {
	others, all := 0, t.differences(textLength)
	for _, d := range all {
		others += int(share(!d.paired))
	}
	which := "the completions are"
	switch {
	case others == 0:
		return ""
	case !t.asked():
		return fmt.Sprintf("the prompts of the completions are not logged, so differences from %s may come from the prompts; log them, and the same ones each time", t.origin)
	case others < len(all):
		which = "some of the completions are"
	}
	return fmt.Sprintf("%s of other prompts than %s, so differences may come from the prompts; log completions of the same 30 prompts or more each time", which, t.origin)
}

// asked says whether completions of two prompts are looked at together.
func (t *texts) asked() bool {
	return slices.ContainsFunc(t.judged, func(s sample) bool {
		return slices.ContainsFunc(s.completions, func(c record.Completion) bool {
			return c.Prompt != "" && c.Prompt != s.completions[0].Prompt
		})
	})
}

// groups are the values of completions by prompt, in the order in which prompts come.
type groups struct {
	prompts []string
	of      map[string][]float64
	n       int // of values
}

// groupsOf leaves out what has no value.
func groupsOf(completions []record.Completion, values []float64) groups {
	g := groups{of: map[string][]float64{}}
	for i, c := range completions {
		if math.IsNaN(values[i]) {
			continue
		}
		if g.of[c.Prompt] == nil {
			g.prompts = append(g.prompts, c.Prompt)
		}
		g.of[c.Prompt] = append(g.of[c.Prompt], values[i])
		g.n++
	}
	return g
}

// units are what varies by itself: the means of the prompts, or, where these are not logged, the
// single values.
func (g groups) units() []float64 {
	var units []float64
	for _, p := range g.prompts {
		if p == "" {
			units = append(units, g.of[p]...)
		} else {
			units = append(units, mean(g.of[p]))
		}
	}
	return units
}

// shared are the means of the prompts that another sample has too, and how many values are
// behind them.
func (g groups) shared(other groups) (own, others []float64, n int) {
	for _, p := range g.prompts {
		if theirs := other.of[p]; p != "" && len(theirs) > 0 {
			own, others, n = append(own, mean(g.of[p])), append(others, mean(theirs)), n+len(g.of[p])
		}
	}
	return own, others, n
}
