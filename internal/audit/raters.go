package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// comparison is what a rater is shown: a checkpoint's answer and the base's, or that of an
// earlier checkpoint.
type comparison struct {
	step, other int64
	prompt      string
}

// comparedBy is the comparison of a preference, and the outcome for the later checkpoint.
func comparedBy(p record.Preference) (comparison, int) {
	if other := against(p); other > p.Step {
		return comparison{other, p.Step, p.Prompt}, -int(p.Outcome)
	}
	return comparison{p.Step, against(p), p.Prompt}, int(p.Outcome)
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
		c, outcome := comparedBy(p)
		o[p.Rater][c] += outcome
	}
	for _, said := range o {
		for c, sum := range said {
			said[c] = sign(sum)
		}
	}
	return o
}

func sign(n int) int { return max(-1, min(n, 1)) }

// agreement is that of the raters; nil, with the reason, where it cannot be told.
func (e *evidence) agreement() (*Agreement, string) {
	o := opinionsOf(e.run.Judgements.Preferences)
	raters := slices.Sorted(maps.Keys(o))
	if len(raters) == 0 {
		return nil, "nobody compared the checkpoints with the base model or each other, so there is no agreement to measure; let two raters do so"
	}
	if len(raters) == 1 {
		return nil, "one rater judged all comparisons, so their reliability is not known; let a second rater judge some of them"
	}
	a, kappa := o.agreement(raters)
	switch {
	case kappa.N == 0:
		return nil, "no two raters judged the same comparisons, so their reliability is not known; let a second rater judge some"
	case !kappa.Defined():
		return nil, fmt.Sprintf("the raters gave the same answer to all of %s, so agreement beyond chance cannot be measured; have them judge answers that differ more", words.Count(kappa.N, "comparison"))
	}
	a.Kappa = metricOf(kappa, record.Plain)
	return a, ""
}

// agreement is the kappa of two raters or more. Their comparisons of one prompt at several
// checkpoints are not independent: its interval is over prompts.
func (o opinions) agreement(raters []string) (*Agreement, measure.Interval) {
	a := &Agreement{Statistic: "Cohen's kappa", Raters: raters, Disagree: []string{}}
	if len(raters) > 2 {
		counts, prompts := o.counts()
		kappa := measure.FleissKappa(counts, prompts)
		a.Statistic, a.Prompts, a.Disagree = "Fleiss' kappa", different(prompts), o.outliers(kappa)
		return a, kappa
	}
	x, y, prompts := o.both(raters[0], raters[1])
	kappa := measure.CohenKappa(x, y, prompts)
	a.Prompts = different(prompts)
	if kappa.Value < moderate {
		a.Disagree = []string{o.difference(raters[0], raters[1])}
	}
	return a, kappa
}

func different(prompts []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(prompts))))
}

// both are the outcomes that two raters gave to the same comparisons, and their prompts.
func (o opinions) both(a, b string) (x, y []int, prompts []string) {
	for _, c := range o.judgedBy(a) {
		if other, ok := o[b][c]; ok {
			x, y, prompts = append(x, o[a][c]), append(y, other), append(prompts, c.prompt)
		}
	}
	return x, y, prompts
}

// judgedBy are the comparisons of a rater, in order.
func (o opinions) judgedBy(rater string) []comparison {
	return slices.SortedFunc(maps.Keys(o[rater]), inOrder)
}

func inOrder(a, b comparison) int {
	return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.other, b.other), cmp.Compare(a.prompt, b.prompt))
}

// counts are the numbers of losses, ties and wins of each comparison that two raters or more
// judged, and the prompts of these, in order, so that rounding is the same each time.
func (o opinions) counts() (rows [][]int, prompts []string) {
	all := map[comparison][]int{}
	for _, said := range o {
		for c, outcome := range said {
			if all[c] == nil {
				all[c] = make([]int, 3)
			}
			all[c][outcome+1]++
		}
	}
	for _, c := range slices.SortedFunc(maps.Keys(all), inOrder) {
		if row := all[c]; row[0]+row[1]+row[2] > 1 {
			rows, prompts = append(rows, row), append(prompts, c.prompt)
		}
	}
	return rows, prompts
}

// outliers are the raters who agree with the majority of the others less than raters do with
// each other, beyond doubt.
func (o opinions) outliers(kappa measure.Interval) []string {
	lines := []string{}
	for _, rater := range slices.Sorted(maps.Keys(o)) {
		own, rest, prompts := o.against(rater)
		if k := measure.CohenKappa(own, rest, prompts); k.Bounded() && k.High < kappa.Value {
			lines = append(lines, fmt.Sprintf("%s agrees with the majority of the others in %s of %d comparisons (kappa %s)", name(rater), equals(own, rest), len(own), short(k.Value)))
		}
	}
	return lines
}

// against are a rater's outcomes, what most of the others said of the same, and the prompts.
func (o opinions) against(rater string) (own, rest []int, prompts []string) {
	for _, c := range o.judgedBy(rater) {
		sum, n := 0, 0
		for other, opinions := range o {
			if outcome, ok := opinions[c]; ok && other != rater {
				sum, n = sum+outcome, n+1
			}
		}
		if n > 0 {
			own, rest, prompts = append(own, o[rater][c]), append(rest, sign(sum)), append(prompts, c.prompt)
		}
	}
	return own, rest, prompts
}

func (o opinions) difference(a, b string) string {
	x, y, _ := o.both(a, b)
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
	a, why := e.agreement()
	if a == nil {
		return unknown("%s", why)
	}
	s := Signal{
		Level: OK, Value: &a.Kappa.Value, Unit: record.Plain, Threshold: fmt.Sprintf("< %v", moderate),
		Basis: "Landis and Koch 1977: moderate from 0.41 on",
		Note:  fmt.Sprintf("%s %s (%s) over %s of %s", a.Statistic, short(a.Kappa.Value), measure.AgreementWord(a.Kappa.Value), words.Count(a.Kappa.N, "comparison"), words.Count(a.Prompts, "prompt")),
	}
	if a.Kappa.Value < moderate && a.Kappa.N >= pooled {
		s.Level = Warn
		s.Why, s.Help = "raters who disagree measure themselves, not the checkpoint", "agree on the criteria, with examples, and judge again"
	}
	if len(a.Disagree) > 0 {
		s.Note += "; " + strings.Join(a.Disagree, "; ")
	}
	return s
}
