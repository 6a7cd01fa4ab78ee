package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/words"
)

// Look is how text is shown.
type Look struct {
	// Coloured allows colour.
	Coloured bool
	// Width is that of the terminal in cells, 0 for none: then nothing is wrapped or cut.
	Width int
	// Letters draws sparklines in ASCII, for terminals that have no blocks.
	Letters bool
}

// columns is the width of a sparkline.
const columns = 24

// Text writes the result as a person reads it in ten seconds: the verdict, what is wrong,
// the checkpoints, and what all that rests on.
func Text(w io.Writer, r *audit.Result, look Look) error {
	t := &text{report.NewText(w, look.Coloured), look, r}
	t.entry(t.paint(r.Level, strings.ToUpper(string(r.Level))+":"), "", verdict(r))
	t.several()
	t.textless()
	t.signals()
	t.quiet()
	t.checkpoints()
	t.Printf("\n")
	t.chosen()
	t.judged()
	t.basis()
	return t.Err()
}

// text writes a result.
type text struct {
	*report.Text
	look Look
	r    *audit.Result
}

func (t *text) paint(l audit.Level, s string) string {
	switch l {
	case audit.Alert:
		return t.Bad(s)
	case audit.OK:
		return t.Good(s)
	}
	return t.Unsure(s)
}

// entry writes a label and a text behind it, which goes on below itself, indented, where
// the terminal ends.
func (t *text) entry(label, indent, body string) {
	t.hang(indent+label+" ", indent+"  ", body)
}

// hang writes a text behind a head, and its further lines behind an indent.
func (t *text) hang(head, indent, body string) {
	if t.look.Width <= 0 {
		t.Printf("%s%s\n", head, body)
		return
	}
	lines := report.Wrap(body, max(20, t.look.Width-max(cells(head), cells(indent))))
	for i, line := range lines {
		if i > 0 {
			head = indent
		}
		t.Printf("%s%s\n", head, line)
	}
}

// signals writes those that are wrong, one after the other, alerts first.
func (t *text) signals() {
	for _, l := range []audit.Level{audit.Alert, audit.Warn} {
		for _, s := range level(t.r, l) {
			t.signal(&s)
		}
	}
}

func (t *text) signal(s *audit.Signal) {
	head := t.paint(s.Level, string(s.Level)+":") + " " + named(s.Name)
	if drawn := t.spark(s, t.look.Width-cells(head)-2); drawn != "" {
		head += "  " + drawn
	}
	facts := facts(s)
	if t.look.Width > 0 && cells(head)+2+cells(facts) > t.look.Width { // then on a line of its own
		t.Printf("\n%s\n", head)
		t.hang("  ", "  ", facts)
	} else {
		t.Printf("\n%s\n", strings.TrimRight(head+"  "+facts, " "))
	}
	t.hang("  ", "  ", plain(s.Note))
	for _, part := range [][2]string{{"why:", s.Why}, {"help:", s.Help}} {
		if part[1] != "" {
			t.entry(t.Label(part[0]), "  ", plain(part[1]))
		}
	}
	t.findings(s)
}

// findings writes what in the script may be the cause of a signal.
func (t *text) findings(s *audit.Signal) {
	for _, f := range s.Findings {
		t.entry(t.Label("possible cause:"), "  ", fmt.Sprintf("%s:%d %s %s", plain(f.Filename), f.Row, plain(f.Code), plain(f.Message)))
	}
}

// spark draws a signal, where there is room.
func (t *text) spark(s *audit.Signal, room int) string {
	heights := blocks
	if t.look.Letters {
		heights = letters
	}
	width := columns
	if t.look.Width > 0 {
		width = min(width, room)
	}
	return spark(curve(t.r, s), width, heights)
}

// value is that of a signal with its unit, and where it is no level but a fall, of what.
func value(s *audit.Signal) string {
	switch {
	case s.Value == nil:
		return ""
	case s.CurveOf != "":
		return named(s.CurveOf) + " fell by " + strings.Replace(measured(*s.Value, s.Unit), " %", " percentage points", 1)
	}
	return measured(*s.Value, s.Unit)
}

// facts are the value, the border and the step of a signal: "412 tokens (alert: > 300), since step 500".
func facts(s *audit.Signal) string {
	var parts []string
	if value := value(s); value != "" {
		if s.Threshold != "" {
			value += " (" + string(s.Level) + ": " + threshold(s) + ")"
		}
		parts = append(parts, value)
	}
	if s.Step != nil {
		parts = append(parts, fmt.Sprintf("since step %d", *s.Step))
	}
	return strings.Join(parts, ", ")
}

// several says that the result is about one run of several.
func (t *text) several() {
	says, commands := several(t.r)
	if says == "" {
		return
	}
	t.entry(t.Label("several runs:"), "", says)
	for i, command := range commands {
		if i == shownLines && len(commands) > shownLines+1 {
			t.Printf("  and %d more\n", len(commands)-i)
			break
		}
		t.Printf("  %s\n", plain(command))
	}
}

// textless says of a run without texts which signals it can be judged by.
func (t *text) textless() {
	if !t.r.Textless() {
		return
	}
	var list []string
	for _, s := range t.relevant(t.r.Signals) {
		list = append(list, named(s.Name))
	}
	t.entry(t.Label("note:"), "", "no completions, no tokens and no reference model are logged, so this looks like no language model; only "+words.And(list)+" can be judged, where they are logged")
}

// relevant leaves out the signals of texts, where a run has none.
func (t *text) relevant(signals []audit.Signal) []audit.Signal {
	if !t.r.Textless() {
		return signals
	}
	return slices.DeleteFunc(slices.Clone(signals), func(s audit.Signal) bool { return audit.OfTexts(s.Name) })
}

// quiet writes the signals of which there is little to say, in a line a level.
func (t *text) quiet() {
	t.Printf("\n")
	for _, l := range []audit.Level{audit.OK, audit.Unknown} {
		var list []string
		for _, s := range t.relevant(level(t.r, l)) {
			list = append(list, named(s.Name))
		}
		if len(list) > 0 {
			t.entry(t.paint(l, string(l)+":"), "", strings.Join(list, ", "))
		}
	}
}

// chosen says which checkpoint to take and why, and what the reward alone would have taken.
func (t *text) chosen() {
	if rec := t.r.Recommended; rec != nil {
		t.entry(t.Good("take"), "", checkpointName(rec.Path, rec.Step)+": "+plain(rec.Why))
	}
	by := t.r.ByRewardAlone
	if by == nil {
		return
	}
	t.entry(t.Label("reward alone:"), "", byReward(t.r, by))
}

// byReward says what the reward alone would have taken, and what that costs.
func byReward(r *audit.Result, by *audit.ByReward) string {
	out := fmt.Sprintf("%s, with the highest reward, %s", checkpointName(by.Path, by.Step), short(by.Reward))
	switch {
	case r.Recommended != nil && r.Recommended.Step == by.Step:
		return out + ": the same"
	case by.Cost != nil:
		return fmt.Sprintf("%s: taking it would cost %s, by the %s%s", out, strings.Replace(interval(*by.Cost), " %", " percentage points", 1), named(r.Primary), aside(by.Note))
	case r.Recommended != nil:
		return out + ": what it would cost is not known"
	}
	return out
}

// aside is a note in brackets.
func aside(note string) string {
	if note == "" {
		return ""
	}
	return " (" + plain(note) + ")"
}

// interval is "0.21 points (0.1 to 0.3)", and of shares "21 % (10 to 30)".
func interval(m audit.Metric) string {
	scale, sign := 1.0, ""
	if m.Unit == record.Share {
		scale, sign = 100, " %"
	} else if m.Unit != "" && m.Unit != record.Plain {
		sign = " " + plain(string(m.Unit))
	}
	out := short(scale*m.Value) + sign
	if m.Low == nil || m.High == nil {
		return out
	}
	return fmt.Sprintf("%s (%s to %s)", out, short(scale**m.Low), short(scale**m.High))
}

// judged says how far the raters agree.
func (t *text) judged() {
	if a := t.r.Agreement; a != nil {
		t.entry(t.Label("raters:"), "", agreement(a))
		for _, d := range a.Disagree {
			t.hang("  ", "  ", plain(d))
		}
	}
}

func agreement(a *audit.Agreement) string {
	return fmt.Sprintf("%s of %s is %s", plain(a.Statistic), words.Count(len(a.Raters), "rater"), interval(a.Kappa))
}

// shownLines bounds the lists of what was read, left and missing.
const shownLines = 8

// basis writes what the verdict rests on: what was read, what was not used, and what is
// missing.
func (t *text) basis() {
	head := "read"
	if t.r.Trainer != "" {
		head = "read, as " + plain(t.r.Trainer) + " writes it"
	}
	t.list(head, sourceLines(t.r.Sources))
	t.list("not used", unusedLines(t.r.Unused))
	missing := t.r.Missing
	if t.r.Textless() {
		missing = t.r.MissingButTexts()
	}
	t.list("missing", missing)
	t.list("notes", t.r.Notes)
}

// list writes lines under a heading; the rest of many is counted.
func (t *text) list(head string, lines []string) {
	if len(lines) == 0 {
		return
	}
	t.Printf("%s\n", t.Label(head+":"))
	for i, line := range lines {
		if i == shownLines && len(lines) > shownLines+1 {
			t.Printf("  and %d more (--output-format json lists them)\n", len(lines)-shownLines)
			return
		}
		t.hang("  ", "    ", plain(line))
	}
}
