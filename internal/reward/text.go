package reward

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/words"
)

// WriteText writes the result as people read it: the tricks that work, what of the contract is
// broken, and then the numbers.
func WriteText(w io.Writer, r *Result, coloured bool) error {
	t := &text{report.NewText(w, coloured), r}
	t.head()
	working := r.working()
	for _, trick := range working[:min(mostInFull, len(working))] {
		t.trick(trick)
	}
	if left := len(working) - mostInFull; left > 0 {
		t.Printf("\n%s %s more: see the table\n", t.Bad("hackable:"), words.Count(left, "trick"))
	}
	for _, c := range r.Contract {
		if c.Status == "broken" {
			t.broken(c)
		}
	}
	t.contract()
	t.table()
	t.effects()
	t.rest()
	return t.Err()
}

// mostInFull bounds the tricks that are shown with their completions.
const mostInFull = 5

// text writes a result.
type text struct {
	*report.Text
	r *Result
}

// Verdict is the result in a sentence.
func (r *Result) Verdict() string {
	broken, lines := 0, false
	for _, c := range r.Contract {
		switch {
		case c.Status != "broken":
		case c.Name == "lines":
			lines = true
		default:
			broken++
		}
	}
	var parts []string
	if n := len(r.working()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s %s", n, words.Count(len(r.Tricks), "trick"), words.Choose(n, "works", "work")))
	}
	if broken > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d parts of the contract %s broken", broken, len(r.Contract), words.Choose(broken, "is", "are")))
	}
	if lines {
		parts = append(parts, "reasoning of several lines loses the reward")
	}
	switch {
	case r.Blind():
		parts = append([]string{r.alike()}, parts...)
	case len(parts) == 0 && !r.Form.Judged:
		return fmt.Sprintf("no right answer gets more than a wrong one; none of %s gets more than both, and the contract is kept", words.Count(len(r.Tricks), "trick"))
	case len(parts) == 0:
		return fmt.Sprintf("none of %s works, and the contract is kept", words.Count(len(r.Tricks), "trick"))
	}
	return strings.Join(parts, ", and ")
}

// Blind reports whether the calls say nothing about tricks: all completions of each prompt got the same reward, the
// right answer too, or none got one.
func (r *Result) Blind() bool { return r.Groups.Alike == r.Groups.Prompts }

// alike says what all completions got.
func (r *Result) alike() string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, k := range r.Tricks {
		low, high = min(low, value(k.Reward), value(k.Right), value(k.Wrong)), max(high, value(k.Reward), value(k.Right), value(k.Wrong))
	}
	switch {
	case r.Groups.Prompts == 0:
		return "nothing can be said of tricks: no completion got a reward"
	case high-low <= tolerance:
		return fmt.Sprintf("nothing can be said of tricks: every completion that was tried gets %s, the right answer too", digits(low))
	}
	return "nothing can be said of tricks: all completions of a prompt get the same reward, the right answer too"
}

func (t *text) head() {
	r := t.r
	at := r.File
	if r.Row > 0 {
		at += ":" + strconv.Itoa(r.Row)
	}
	paint := t.Good
	switch {
	case r.Found:
		paint = t.Bad
	case r.Blind():
		paint = t.Unsure
	}
	t.Printf("%s %s: %s\n", at, words.Plain(r.Function), paint(r.Verdict()))
	from := "built-in sums"
	if r.Data != "" {
		from = fmt.Sprintf("prompts of %s (right answers: %s)", r.Data, r.Answer)
	}
	form := "text"
	if r.Messages {
		form = "messages"
	}
	t.Printf("  called as by %s with %s, on %d %s\n", r.called(), form, r.Prompts, from)
	t.Printf("  the right answer gets %s, a wrong one %s, in the form %q\n", short3(r.Form.Right), short3(r.Form.Wrong), r.Form.Template)
}

// called names who calls a function so.
func (r *Result) called() string {
	switch r.Framework {
	case "trl":
		return "TRL"
	case "verl":
		return "verl"
	case "verl-batched":
		return "verl (in batches)"
	case "openrlhf":
		return "OpenRLHF"
	}
	return "a loop of one's own, one completion at a time"
}

func (t *text) trick(k Trick) {
	verb := "as much as the right answer"
	if k.AnswersRight || value(k.Reward) > value(k.Right)+tolerance {
		verb = "more than the right answer"
	}
	t.Printf("\n%s %s gets %s: %s (right %s, wrong %s), on %d of %s (%s)\n", t.Bad("hackable:"), k.Title, verb, short3(k.Reward), short3(k.Right), short3(k.Wrong), k.Hits, words.Count(k.Prompts, "prompt"), k.ID)
	if w := k.Worst; w != nil {
		if w.Prompt != "" {
			t.Printf("  prompt: %s\n", brief(w.Prompt, 100))
		}
		t.Printf("  the trick gets %s: %s\n", digits(w.Reward), brief(w.Completion, 140))
		t.Printf("  the right answer gets %s: %s\n", digits(w.Right), brief(w.RightCompletion, 140))
	}
	t.Printf("  %s %s\n", t.Label("help:"), k.Help)
}

func (t *text) broken(c Check) {
	t.Printf("\n%s %s\n", t.Bad("broken:"), c.Says)
	for _, e := range c.Examples {
		t.Printf("  %s\n", exampleLine(e))
	}
	t.Printf("  %s %s\n", t.Label("help:"), c.Help)
}

func (t *text) contract() {
	t.Printf("\n")
	for _, c := range t.r.Contract {
		switch c.Status {
		case "kept":
			t.Printf("  %s %s\n", t.Good("kept"), c.Says)
		case "unknown":
			t.Printf("  %s %s\n", t.Unsure("unknown"), c.Says)
		}
	}
	r := t.r
	t.Printf("  time a call: median %s, most %s (%s)\n", duration(r.Time.Median), duration(r.Time.Most), words.Count(r.Time.Calls, "call"))
	t.Printf("  groups: %s of %d prompts have completions that all score alike (no advantage in GRPO)\n", percent(r.Groups.Alike, r.Groups.Prompts), r.Groups.Prompts)
}

func (t *text) table() {
	wide := 0
	for _, k := range t.r.Tricks {
		wide = max(wide, len(k.Title))
	}
	t.Printf("\n%-*s %9s %9s %9s  %s\n", wide, "trick (mean over prompts)", "reward", "right", "wrong", "at least as good as right")
	for _, k := range t.r.Tricks {
		line := fmt.Sprintf("%-*s %9s %9s %9s  %s", wide, k.Title, short3(k.Reward), short3(k.Right), short3(k.Wrong), percent(k.AsGood, k.Prompts))
		if k.Works {
			line = t.Bad(line + ", works")
		}
		t.Printf("%s\n", line)
	}
}

func (t *text) effects() {
	if len(t.r.Effects) == 0 {
		return
	}
	t.Printf("\nwhat raises the reward alone (Spearman's correlation within prompts, 95 %% interval)\n")
	for _, e := range t.r.Effects {
		says := "no reward changes"
		if e.Correlation != nil {
			says = fmt.Sprintf("%.2f", *e.Correlation)
			if e.Low != nil && e.High != nil {
				says += fmt.Sprintf(" (%.2f to %.2f)", *e.Low, *e.High)
			}
			says += fmt.Sprintf(", %+.3g from %g to %g %s", value(e.Gain), e.Levels[0], e.Levels[len(e.Levels)-1], e.Unit)
		}
		t.Printf("  %-10s of a %s answer: %s\n", e.Title, e.Of, says)
	}
}

func (t *text) rest() {
	if len(t.r.Findings) > 0 {
		t.Printf("\nrlvet check finds in the file:\n")
		for _, f := range t.r.Findings {
			t.Printf("  %s:%d: %s %s\n", t.r.File, f.Location.Row, f.Code, f.Message)
		}
	}
	for i, n := range t.r.Notes {
		if i == 0 {
			t.Printf("\n")
		}
		t.Printf("%s %s\n", t.Label("note:"), n)
	}
}

// digits writes a reward.
func digits(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func short3(v *float64) string {
	if v == nil {
		return "unknown"
	}
	if math.Abs(*v) < 1e-9 {
		return "0"
	}
	return strconv.FormatFloat(*v, 'g', 3, 64)
}

func percent(n, of int) string {
	if of == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}

func duration(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.0f µs", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3g s", seconds)
}
