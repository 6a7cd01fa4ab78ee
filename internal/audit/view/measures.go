package view

import (
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/measure"
)

// shownSteps bounds the columns of the table of what was measured of completions.
const shownSteps = 7

// measuresView is that table: a row a measure, a column a step, the base's first.
type measuresView struct {
	Note  string
	Steps []string
	Rows  []measureView
}

type measureView struct {
	Name, What, Unit, Base string
	Cells                  []measureCell
}

// measureCell is a value, and what stands below it.
type measureCell struct{ Value, Below string }

// measureNames are those that people write otherwise than words does.
var measureNames = map[string]string{
	"rep_4": "Rep-4", "seq_rep_4": "Seq-rep-4", "distinct_2": "Distinct-2", "kl_k1": "KL, k1", "kl_k2": "KL, k2", "kl_k3": "KL, k3",
	"at_limit": "At the maximum length", "length_reward": "Length with reward",
}

// measuresOf is nil where no completions were logged.
func measuresOf(t *audit.Texts) *measuresView {
	if t == nil {
		return nil
	}
	v := &measuresView{Note: fmt.Sprintf("The base are %s. Below a value, an interval with a sign (+3 to +5) is the 95 %% interval of its change against the base, prompt by prompt where both answered the same; one without is that of the value itself; and “base” is the base's value on those completions that the step's are compared with.", plain(t.Base))}
	steps := measure.Evenly(stepsOf(t), shownSteps)
	for _, s := range steps {
		v.Steps = append(v.Steps, fmt.Sprint(s))
	}
	for _, m := range t.Measures {
		v.Rows = append(v.Rows, measureRow(m, steps))
	}
	return v
}

func measureRow(m audit.TextMeasure, steps []int64) measureView {
	scale, unit := scaleOf(m.Unit)
	row := measureView{What: capital(plain(m.What)), Unit: unit, Base: "–"}
	if row.Name = measureNames[m.Name]; row.Name == "" {
		row.Name = capital(named(m.Name))
	}
	if row.Unit == m.Name {
		row.Unit = ""
	}
	if m.Base != nil {
		row.Base = short(scale * *m.Base)
	}
	for _, step := range steps {
		i := slices.IndexFunc(m.Steps, func(s audit.TextStep) bool { return s.Step == step })
		if i < 0 {
			row.Cells = append(row.Cells, measureCell{Value: "–"})
			continue
		}
		row.Cells = append(row.Cells, stepCell(m, m.Steps[i], scale))
	}
	return row
}

// stepCell is the value, and how far it changed; where only the base beside it says something, the
// value of that.
func stepCell(m audit.TextMeasure, s audit.TextStep, scale float64) measureCell {
	c := measureCell{Value: short(scale * s.Value)}
	switch {
	case s.Low != nil && s.High != nil:
		c.Below = signed(scale**s.Low) + " to " + signed(scale**s.High)
		if s.Base == nil { // the interval is of the value itself
			c.Below = digits(scale**s.Low, 2) + " to " + digits(scale**s.High, 2)
		}
	case s.Base != nil && m.Base == nil:
		c.Below = "base " + short(scale**s.Base)
	}
	return c
}

// signed writes a change: "+3", "-0.2", "0".
func signed(v float64) string {
	if v > 0 {
		return "+" + digits(v, 2)
	}
	return digits(v, 2)
}

// stepsOf are the steps of all measures, ascending.
func stepsOf(t *audit.Texts) []int64 {
	var steps []int64
	for _, m := range t.Measures {
		for _, s := range m.Steps {
			steps = append(steps, s.Step)
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}
