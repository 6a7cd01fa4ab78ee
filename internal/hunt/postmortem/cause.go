package postmortem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/words"
)

// cause is the line and its numbers: what went in, what came out, and what it is that is
// wrong there.
func (w *writer) cause() {
	causes := wrongOf(w.r.Gradients)
	for _, g := range causes {
		w.wrongGradient(&g)
	}
	if around := withVerdict(w.r.Gradients, "wrong"); len(around) > len(causes) {
		around = slices.DeleteFunc(around, func(g hunt.Gradient) bool { return !isModule(&g) })
		w.say("This makes the gradients of everything built on it wrong: %s.", words.And(modules(around)))
	}
	w.firstBad()
	for _, f := range w.r.Findings {
		cell := 0
		if f.Cell != nil {
			cell = *f.Cell
		}
		w.say("%s explains it without running anything: `%s %s` at %s. %s", "`rlvet check`", f.Code, f.Name, quoted(w.r.Place(f.Filename, cell, f.Location.Row)),
			strings.TrimSpace(sentence(f.Message)+" "+sentence(f.Why)))
	}
	if len(w.out.Blocks) == 0 && w.r.Found() {
		w.say("The operation that makes the first bad value was not found: %s.", strings.Join(append([]string{"see what was tried"}, w.r.Notes...), "; "))
	}
	if w.r.Found() {
		w.person("why the line was written this way, and when it was added.")
	}
}

// firstBad shows the operation that got good values and made a bad one.
func (w *writer) firstBad() {
	bad := w.r.FirstBad
	if bad == nil {
		return
	}
	what := ""
	if bad.Function != nil {
		what = ", in the function " + quoted(*bad.Function)
	}
	w.heading("The first bad value")
	w.say("%s Made by %s in the %s pass%s%s.", sentence(bad.Why), quoted(bad.Op), phaseOf(bad.Phase), inModule(bad.Module), what)
	w.code(bad.Filename, bad.Cell, bad.Row, bad.Column, bad.EndColumn, bad.Source)
	w.statistics(bad.Statistics)
	w.chain()
}

func phaseOf(phase string) string {
	if phase == "optimizer" || phase == "environment" {
		return phase + "'s"
	}
	return phase
}

// code shows a line with those around it, once.
func (w *writer) code(filename string, cell, row, column, endColumn int, text string) {
	c := &code{Place: w.r.Place(filename, cell, row)}
	if file, at := w.r.Range(filename, row, column, endColumn); file != nil && cell == 0 {
		c.Lines = report.MarkedLines(file, at, 3)
	} else if text != "" {
		c.Lines = []page.Line{{Row: row, Marked: words.Plain(text)}}
	}
	if len(c.Lines) > 0 && !w.shown[c.Place] {
		w.shown[c.Place] = true
		w.add(block{Code: c})
	}
}

// statistics is a tensor a row.
func (w *writer) statistics(s hunt.Statistics) {
	t := &table{Columns: []string{"Tensor", "Shape", "Type", "Elements", "NaN", "Inf", "Least", "Greatest", "Mean"}, Numbers: []bool{false, false, false, true, true, true, true, true, true}}
	for i, in := range s.Inputs {
		t.tensor(named(in.Name, "input", i), &in)
	}
	for i, out := range s.Outputs {
		t.tensor(named(out.Name, "output", i), &out)
	}
	t.tensor("gradient in", s.GradientIn)
	t.tensor("gradient out", s.GradientOut)
	if len(t.Rows) > 0 {
		w.add(block{Table: t})
	}
}

func named(name, kind string, i int) string {
	if name != "" {
		return kind + " " + quoted(name)
	}
	return fmt.Sprintf("%s %d", kind, i+1)
}

func (t *table) tensor(name string, s *hunt.Stats) {
	if s == nil {
		return
	}
	row := []string{name, strings.ReplaceAll(fmt.Sprint(s.Shape), " ", ", "), s.Dtype, fmt.Sprint(s.Count), fmt.Sprint(s.NaN), fmt.Sprint(s.Inf)}
	for _, n := range []*hunt.Float{s.Min, s.Max, s.Mean} {
		row = append(row, number(n))
	}
	t.Rows = append(t.Rows, row)
}

func number(n *hunt.Float) string {
	if n == nil {
		return "–"
	}
	return n.String()
}

// mostLinks is how many operations of the chain are told.
const mostLinks = 8

// chain leads from the first bad value to where it was noticed.
func (w *writer) chain() {
	links := w.r.Chain
	if len(links) < 2 {
		return
	}
	t := &table{Columns: []string{"Then", "Operation", "Module", "Where"}}
	for i, l := range links {
		if len(links) > mostLinks && i >= mostLinks-2 && i < len(links)-2 {
			if i == mostLinks-2 {
				t.Rows = append(t.Rows, []string{"…", fmt.Sprintf("%d more", len(links)-mostLinks), "", ""})
			}
			continue
		}
		module := ""
		if l.Module != "" {
			module = quoted(l.Module)
		}
		t.Rows = append(t.Rows, []string{l.Phase, quoted(l.Op), module, quoted(w.r.Place(l.Filename, l.Cell, l.Row))})
	}
	w.say("From there it reached the loss:")
	w.add(block{Table: t})
}

// wrongGradient sets what backward returns beside what it ought to.
func (w *writer) wrongGradient(g *hunt.Gradient) {
	w.heading("The gradient of " + g.Function)
	what := quoted(g.Function + ".backward")
	if isModule(g) {
		what = "The gradient of " + quoted(g.Function)
	}
	if g.Module != "" {
		what += " (in the module " + quoted(g.Module) + ")"
	}
	w.say("%s is not the derivative of its forward%s. %s", what, patternIn(g), sentence(g.Reason))
	if g.ForwardRow > 0 && g.ForwardRow < g.Row && g.Row-g.ForwardRow > 4 {
		w.code(g.Filename, g.Cell, g.ForwardRow, 0, 0, "")
	}
	w.code(g.Filename, g.Cell, g.Row, 0, 0, "")
	if x := g.Worst; x != nil {
		w.add(block{Table: &table{
			Columns: []string{"Worst element", "backward says", "Difference quotient", "Their ratio", "Largest relative error", "Checked"}, Numbers: []bool{false, true, true, true, true, true},
			Rows: [][]string{{quoted(fmt.Sprintf("%v%s", x.Input, strings.ReplaceAll(fmt.Sprint(x.Index), " ", ", "))), x.Analytic.String(), x.Numeric.String(), ratio(x), number(g.MaxRelativeError), words.Count(g.Elements, "element")}},
		}})
	}
	if right := rightOne(g.Pattern); right != "" {
		w.say("By these numbers, backward should return %s", right)
	} else {
		w.person("the correct derivative; the numbers follow no pattern that rlvet knows.")
	}
}

func modules(list []hunt.Gradient) (out []string) {
	for _, g := range list {
		out = append(out, quoted(g.Module))
	}
	return out
}

func ratio(x *hunt.Worst) string {
	if x.Numeric == 0 {
		return "–"
	}
	return (x.Analytic / x.Numeric).String()
}

// patternIn is ": constant factor 0.5".
func patternIn(g *hunt.Gradient) string {
	if g.Pattern == nil {
		return ""
	}
	return ": " + words.Plain(*g.Pattern)
}

// corrections say for the beginning of a pattern how to get the right derivative from what
// backward returns now. A %s is the rest of the pattern.
var corrections = []struct{ pattern, right string }{
	{"constant factor ", "what it returns now, divided by %s."},
	{"sign", "what it returns now, with the other sign."},
	{"grad_output ignored", "what it returns now, times `grad_output`."},
	{"transposed", "the transpose of what it returns now."},
	{"missing factor ", "what it returns now, times %s."},
	{"factor ", "what it returns now, divided by %s."},
	{"missing chain-rule term ", "what it returns now, plus %s."},
	{"constant ", "what it returns now, without the constant: %s."},
	{"gradient of another input swapped ", "the gradients of the two inputs, exchanged %s."},
	{"gradient missing for ", "a gradient for %s; backward returns none."},
	{"wrong only where ", "what it returns now where it is right; where %s, the derivative of what forward computes there."},
	{"changes ", "what it returns now, computed from a copy of %s."},
	{"not linear in grad_output", "`grad_output` times a factor that does not depend on it."},
	{"NaN where the slope is finite", "the same expression, written so that it is finite where forward is."},
	{"infinite where the slope is finite", "the same expression, written so that it is finite where forward is."},
}

// rightOne is the derivative that ought to stand there, as far as the pattern says.
func rightOne(pattern *string) string {
	if pattern == nil {
		return ""
	}
	for _, m := range corrections {
		if rest, ok := strings.CutPrefix(words.Plain(*pattern), m.pattern); ok {
			if !strings.Contains(m.right, "%s") {
				return m.right
			}
			rest = strings.TrimSuffix(strings.TrimSuffix(rest, " too many"), " in place")
			return fmt.Sprintf(m.right, quoted(rest))
		}
	}
	return ""
}
