package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// comparison is what a rater is shown: a checkpoint's answer and the base's.
type comparison struct {
	step   int64
	prompt string
}

// opinions are what each rater said of each comparison. Who said two things of one said
// their sum.
type opinions map[string]map[comparison]int

func opinionsOf(preferences []record.Preference) opinions {
	o := opinions{}
	for _, p := range preferences {
		if o[p.Rater] == nil {
			o[p.Rater] = map[comparison]int{}
		}
		o[p.Rater][comparison{p.Step, p.Prompt}] += int(p.Outcome)
	}
	for _, said := range o {
		for c, sum := range said {
			said[c] = sign(sum)
		}
	}
	return o
}

func sign(n int) int { return max(-1, min(n, 1)) }

// agreement is that of the raters, nil where fewer than two rated the same comparisons.
func (e *evidence) agreement() *Agreement {
	o := opinionsOf(e.run.Judgements.Preferences)
	raters := sortedKeys(o)
	if len(raters) < 2 {
		return nil
	}
	a := &Agreement{Statistic: "Cohen's kappa", Raters: raters, Disagree: []string{}}
	kappa := measure.CohenKappa(o.both(raters[0], raters[1]))
	if len(raters) > 2 {
		a.Statistic, kappa = "Fleiss' kappa", measure.FleissKappa(o.counts())
		a.Disagree = o.outliers(kappa)
	}
	if !kappa.Defined() {
		return nil
	}
	if len(raters) == 2 && kappa.Value < moderate {
		a.Disagree = []string{o.difference(raters[0], raters[1])}
	}
	a.Kappa = metricOf(kappa, record.Plain)
	return a
}

// both are the outcomes that two raters gave to the same comparisons.
func (o opinions) both(a, b string) (x, y []int) {
	for _, c := range o.judgedBy(a) {
		if other, ok := o[b][c]; ok {
			x, y = append(x, o[a][c]), append(y, other)
		}
	}
	return x, y
}

// judgedBy are the comparisons of a rater, in order.
func (o opinions) judgedBy(rater string) []comparison {
	return slices.SortedFunc(maps.Keys(o[rater]), func(a, b comparison) int {
		return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.prompt, b.prompt))
	})
}

// counts are the numbers of losses, ties and wins of each comparison.
func (o opinions) counts() (rows [][]int) {
	all := map[comparison][]int{}
	for _, said := range o {
		for c, outcome := range said {
			if all[c] == nil {
				all[c] = make([]int, 3)
			}
			all[c][outcome+1]++
		}
	}
	// In an order of their own, so that rounding is the same each time.
	rows = slices.Collect(maps.Values(all))
	slices.SortFunc(rows, slices.Compare)
	return rows
}

// outliers are the raters who agree with the majority of the others less than raters do with
// each other, beyond doubt.
func (o opinions) outliers(kappa measure.Interval) []string {
	lines := []string{}
	for _, rater := range sortedKeys(o) {
		own, rest := o.against(rater)
		if k := measure.CohenKappa(own, rest); k.Bounded() && k.High < kappa.Value {
			lines = append(lines, fmt.Sprintf("%s agrees with the majority of the others in %s of %d comparisons (kappa %s)", name(rater), equals(own, rest), len(own), short(k.Value)))
		}
	}
	return lines
}

// against are a rater's outcomes, and what most of the others said of the same.
func (o opinions) against(rater string) (own, rest []int) {
	for _, c := range o.judgedBy(rater) {
		sum, n := 0, 0
		for other, opinions := range o {
			if outcome, ok := opinions[c]; ok && other != rater {
				sum, n = sum+outcome, n+1
			}
		}
		if n > 0 {
			own, rest = append(own, o[rater][c]), append(rest, sign(sum))
		}
	}
	return own, rest
}

func (o opinions) difference(a, b string) string {
	x, y := o.both(a, b)
	wins := func(said []int) int {
		n := 0
		for _, s := range said {
			n += int(share(s > 0))
		}
		return n
	}
	return fmt.Sprintf("%s and %s agree in %s of %d comparisons; %s prefers the checkpoint in %d, %s in %d", name(a), name(b), equals(x, y), len(x), name(a), wins(x), name(b), wins(y))
}

func equals(x, y []int) string {
	n := 0
	for i := range x {
		n += int(share(x[i] == y[i]))
	}
	return fmt.Sprint(n)
}

func name(rater string) string {
	if rater == "" {
		return "a rater without a name"
	}
	return rater
}

// moderate is where agreement begins to be moderate.
const moderate = 0.41

// raterAgreement judges whether the judgements say the same whoever gave them.
func raterAgreement(e *evidence) Signal {
	a := e.agreement()
	if a == nil {
		return unknown("no two raters judged the same comparisons, so it is not known how far one can trust them; let a second rater judge some")
	}
	s := Signal{
		Level: OK, Value: &a.Kappa.Value, Unit: record.Plain, Threshold: fmt.Sprintf("< %v", moderate),
		Basis: "Landis and Koch 1977: moderate from 0.41 on",
		Note:  fmt.Sprintf("%s %s (%s) over %d comparisons", a.Statistic, short(a.Kappa.Value), measure.AgreementWord(a.Kappa.Value), a.Kappa.N),
	}
	if a.Kappa.Value < moderate && a.Kappa.N >= pooled {
		s.Level = Warn
		s.Note += ": raters who do not agree measure themselves, not the checkpoint; agree on what counts, with examples, and judge again"
	}
	if len(a.Disagree) > 0 {
		s.Note += "; " + strings.Join(a.Disagree, "; ")
	}
	return s
}
