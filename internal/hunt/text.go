package hunt

import (
	"fmt"
	"io"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// WriteJSON writes the result as one object.
func WriteJSON(w io.Writer, r *Result) error {
	return report.WriteJSON(w, r)
}

// WriteText writes the result as people read it: what failed, where the first bad value
// was made and of what, what the gradients are, what explains it, and what a fix did.
func WriteText(w io.Writer, r *Result, coloured bool) error {
	t := &text{report.NewText(w, coloured), r}
	t.failure()
	t.firstBad()
	t.gradients()
	t.changed()
	t.findings()
	t.fix()
	t.summary()
	t.left()
	return t.Err()
}

// text writes a result.
type text struct {
	*report.Text
	r *Result
}

func (t *text) failure() {
	f := t.r.Failure
	if f == nil {
		return
	}
	t.Printf("%s seed %d, step %d: %s\n", t.Bad("failure:"), f.Seed, f.Step, sentenceOf(f))
}

// sentenceOf says how a run failed.
func sentenceOf(f *Failure) string {
	out := words.Plain(f.Detail)
	if f.Parameter != "" {
		out += " (" + f.Parameter + ")"
	}
	if f.Process != "" {
		out += ", in child process " + f.Process
	}
	return out
}

// firstBad shows the first operation that turned finite inputs into NaN or infinity.
func (t *text) firstBad() {
	r, bad := t.r, t.r.FirstBad
	if bad == nil {
		return
	}
	what := bad.Phase
	if bad.Op != "" { // else it was made outside of torch
		what += " of " + bad.Op
	}
	t.Printf("%s %s: %s%s\n", t.Bad("first bad:"), r.Place(bad.Filename, bad.Cell, bad.Row), what, within(bad))
	t.code(bad)
	t.Printf("  %s %s\n", t.Label("why:"), words.Plain(bad.Why))
	s := bad.Statistics
	for i, in := range s.Inputs {
		t.stats(named(in.Name, "input", i, len(s.Inputs)), &in)
	}
	for i, out := range s.Outputs {
		t.stats(named(out.Name, "output", i, len(s.Outputs)), &out)
	}
	t.stats("gradient in", s.GradientIn)
	t.stats("gradient out", s.GradientOut)
	t.chain()
	t.Printf("\n")
}

// within is " in policy.gate (GateFunction)", as far as that is known.
func within(bad *FirstBad) string {
	out := ""
	if bad.Module != "" {
		out += " in " + bad.Module
	}
	if bad.Function != nil && *bad.Function != bad.Op {
		out += " (" + *bad.Function + ")"
	}
	return out
}

func named(name, kind string, i, n int) string {
	switch {
	case name != "":
		return kind + " " + name
	case n == 1:
		return kind
	}
	return fmt.Sprintf("%s %d", kind, i+1)
}

// code shows the line with carets, of a notebook just the line.
func (t *text) code(bad *FirstBad) {
	text, known := t.r.Texts[bad.Filename]
	if !known || bad.Row < 1 {
		if bad.Source != "" {
			t.Printf("   | %s\n", strings.TrimSpace(bad.Source))
		}
		return
	}
	file, err := source.FromText(bad.Filename, text)
	if err != nil {
		return
	}
	t.Code(file, rangeOf(file, bad))
}

// rangeOf is the operation's range: the whole line where its columns are not known.
func rangeOf(file *source.File, bad *FirstBad) finding.Range {
	lines := file.Lines()
	from, to := lines.Start(bad.Row), lines.End(bad.Row)
	line := string(file.Text[from:to])
	from += len(line) - len(strings.TrimLeft(line, " \t"))
	if code, _, commented := strings.Cut(line, "  #"); commented {
		to = lines.Start(bad.Row) + len(code)
	}
	if bad.Column > 0 {
		from = lines.Offset(source.Position{Row: bad.Row, Column: bad.Column})
	}
	if bad.EndColumn > bad.Column {
		to = lines.Offset(source.Position{Row: bad.Row, Column: bad.EndColumn})
	}
	out := finding.Range{File: bad.Filename, StartByte: from, EndByte: max(from, to)}
	out.Cell, out.Start, out.End = file.Span(out.StartByte, out.EndByte)
	return out
}

// stats shows what is known of a tensor.
func (t *text) stats(name string, s *Stats) {
	if s != nil {
		t.Printf("  %s %s\n", t.Label(name+":"), s)
	}
}

// String is "float32 [64, 8]: 3 of 512 inf, 0 to 1.5, mean 0.2".
func (s *Stats) String() string {
	out := s.Dtype + " " + strings.ReplaceAll(fmt.Sprint(s.Shape), " ", ", ")
	var said []string
	for _, bad := range []struct {
		n    int
		word string
	}{{s.NaN, "nan"}, {s.Inf, "inf"}} {
		if bad.n > 0 {
			said = append(said, fmt.Sprintf("%d of %d %s", bad.n, s.Count, bad.word))
		}
	}
	if s.Min != nil && s.Max != nil {
		said = append(said, fmt.Sprintf("%v to %v", *s.Min, *s.Max))
	}
	if s.Mean != nil {
		said = append(said, fmt.Sprintf("mean %v", *s.Mean))
	}
	if len(said) == 0 {
		return out
	}
	return out + ": " + strings.Join(said, ", ")
}

// mostLinks bounds what is shown of the chain: its beginning, and its end.
const mostLinks = 8

func (t *text) chain() {
	if len(t.r.Chain) < 2 {
		return
	}
	t.Printf("  %s\n", t.Label("from there to the failure:"))
	for i, l := range t.r.Chain {
		if n := len(t.r.Chain); n > mostLinks && i >= mostLinks-2 && i < n-2 {
			if i == mostLinks-2 {
				t.Printf("    ... %s\n", words.Count(n-mostLinks, "more operation"))
			}
			continue
		}
		module := ""
		if l.Module != "" {
			module = " in " + l.Module
		}
		t.Printf("    %s %s%s (%s)\n", l.Phase, l.Op, module, t.r.Place(l.Filename, l.Cell, l.Row))
	}
}

// findings shows what the rules say of the suspect lines.
func (t *text) findings() {
	for _, f := range t.r.Findings {
		cell := 0
		if f.Cell != nil {
			cell = *f.Cell
		}
		t.Printf("%s %s %s %s\n", t.Label("explained by:"), t.r.Place(f.Filename, cell, f.Location.Row), f.Code, words.Plain(f.Message))
		if f.Help != "" {
			t.Printf("  %s %s\n", t.Label("help:"), words.Plain(f.Help))
		}
	}
}
