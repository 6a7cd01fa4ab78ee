package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/words"
)

// confirmation is a script that was confirmed, to be reported.
type confirmation struct{ *confirm.Script }

func reported(r *confirm.Result) []confirmation {
	var list []confirmation
	for _, s := range r.Scripts {
		list = append(list, confirmation{s})
	}
	return list
}

// ConfirmationFormats lists the formats in which confirm reports.
var ConfirmationFormats = []string{"full", "concise", "json", "github", "sarif"}

// ConfirmationFormat is an error for a format in which confirm does not report.
func ConfirmationFormat(format string) error {
	if slices.Contains(ConfirmationFormats, format) {
		return nil
	}
	return fmt.Errorf("--output-format %s: confirm prints full, concise, json, github or sarif", format)
}

// WriteConfirmations writes the report in one of the formats. In JSON one script is an
// object, and several are an array of them.
func WriteConfirmations(w io.Writer, r *confirm.Result, format string, coloured bool) error {
	list := reported(r)
	switch format {
	case "json":
		return encode(w, r, "  ")
	case "sarif":
		return writeConfirmedSARIF(w, list)
	case "github":
		return writeAnnotations(w, list)
	case "full", "concise":
		p := &printer{w: w}
		writeTexts(p, list, newPalette(Look{Coloured: coloured}), format == "full")
		return p.err
	}
	return ConfirmationFormat(format)
}

func writeTexts(p *printer, list []confirmation, style *palette, full bool) {
	findings, confirmed, refuted, failed := 0, 0, 0, 0
	for i, c := range list {
		if i > 0 && full && (c.Outcome != nil || list[i-1].Outcome != nil) {
			p.printf("\n")
		}
		c.text(p, style, full)
		findings, confirmed, refuted = findings+len(c.Findings), confirmed+c.Confirmed(), refuted+c.Count(harness.Refuted)
		if c.Failure != nil {
			failed++
		}
	}
	if len(list) == 1 {
		if c := list[0]; c.Failure == nil && c.Outcome == nil && len(c.Failed) == 0 {
			more(p, c.Result)
		}
		return
	}
	p.printf("\n%s: %s (%d confirmed, %d refuted)", words.Count(len(list), "script"), words.Count(findings, "finding"), confirmed, refuted)
	if failed > 0 {
		p.printf("; %s could not run", words.Count(failed, "script"))
	}
	p.printf(".\n")
}

// text writes a block for each finding and a summary.
func (c confirmation) text(p *printer, style *palette, full bool) {
	switch {
	case c.Failure != nil:
		p.printf("%s could not run.\n", c.Name)
		return
	case c.Outcome == nil && len(c.Failed) > 0:
		p.printf("No claim about %s could be tested.\n", c.Name)
		return
	case c.Outcome == nil:
		p.printf("Nothing to confirm: no findings in %s.\n", c.Name)
		if c.Hidden > 0 {
			p.printf("%s not tested: %s on names alone (--show-hints tests them).\n", words.Count(c.Hidden, "hint"), words.Choose(c.Hidden, "it rests", "they rest"))
		}
		return
	}
	for i := range c.Findings {
		c.textOf(p, style, i, full)
	}
	c.summary(p)
}

func (c confirmation) textOf(p *printer, style *palette, i int, full bool) {
	f, e := &c.Findings[i], c.Outcome.Targets[i]
	p.printf("%s %s %s: %s\n", place(f.Range), f.Code, style.verdict(e.Verdict).Sprint(e.Verdict), oneLine(e.Reason))
	if !full {
		return
	}
	t := &Full{style}
	t.frame(p, gutter(c.Result, f), c.Files[f.Range.File], f.Range, 1, style.severity(f.Severity).Sprint)
	if by := c.claimed(i); by != "" {
		p.printf("  %s\n", style.note.Sprint(by))
	}
	for _, s := range e.Seeds {
		p.printf("  seed %d: %s", s.Seed, s.Verdict)
		if s.Confirmation != nil {
			p.printf(" at evaluation %d, optimizer step %d%s%s", s.Confirmation.Hit+1, s.Confirmation.Step, inChild(s.Confirmation.Process), seen(s.Confirmation.Seen))
		} else {
			p.printf(" (%s)", words.Count(s.Hits, "evaluation"))
			if s.Verdict == harness.Inconclusive && s.Reason != e.Reason { // which the first line says
				p.printf(": %s", oneLine(s.Reason))
			}
		}
		p.printf("\n")
	}
	if s := firstStack(e.Seeds); s != "" {
		p.printf("  %s %s\n", style.note.Sprint("called from:"), s)
	}
	if e.Verdict == harness.Refuted {
		p.printf("  %s at most %s of evaluations (95 %%)\n", style.note.Sprint("bound:"), words.Percent(e.Bound))
	}
	if fix, ok := c.Fixes[i]; ok && (f.Fix != nil || c.claimed(i) == "") {
		p.printf("  %s %s\n", style.help.Sprint(fixOutcome(fix)+":"), fix.Reason)
	}
	p.printf("\n")
}

// seen is what a probe saw, in one line.
func seen(raw json.RawMessage) string {
	var v map[string]any
	if json.Unmarshal(raw, &v) != nil || len(v) == 0 {
		return ""
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		out = append(out, strings.ReplaceAll(name, "_", " ")+" "+brief(v[name]))
	}
	return ": " + strings.Join(out, "; ")
}

// number writes a number to four digits, and anything else as it is.
func number(v any) string {
	if f, ok := v.(float64); ok {
		return fmt.Sprintf("%.4g", f)
	}
	return fmt.Sprint(v)
}

// brief writes a number, what was noted of a tensor, or the first line of a text, as of an error that shows tensors.
func brief(v any) string {
	if text, ok := v.(string); ok {
		return firstLine(text)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return number(v)
	}
	var out []string
	for _, name := range []string{"count", "low", "high", "mean", "nan", "inf", "zeros", "negative"} {
		if n, ok := m[name]; ok && n != nil {
			out = append(out, fmt.Sprintf("%s %.4v", name, n))
		}
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if line = oneLine(line); more {
		line += " …"
	}
	return line
}

func firstStack(seeds []harness.SeedEvidence) string {
	for _, s := range seeds {
		if s.Confirmation != nil && len(s.Confirmation.Stack) > 0 {
			return strings.Join(s.Confirmation.Stack, " > ")
		}
	}
	return ""
}

// inChild names the process that saw it, where it is not the first one of the program.
func inChild(process string) string {
	if process == "" {
		return ""
	}
	return " in child process " + process
}

// mostOfCrash bounds what is shown of an exception, in columns.
const mostOfCrash = 120

// crashes says which seeds raised, those with the same message together.
func (c confirmation) crashes() (lines []string) {
	seeds := map[string][]string{}
	var messages []string
	for _, r := range c.Outcome.Runs {
		if r.Status != "crash" || r.Crash == nil {
			continue
		}
		message := runewidth.Truncate(oneLine(r.Crash.String()), mostOfCrash, "…")
		if seeds[message] == nil {
			messages = append(messages, message)
		}
		seeds[message] = append(seeds[message], strconv.Itoa(r.Seed))
	}
	for _, m := range messages {
		n := len(seeds[m])
		lines = append(lines, fmt.Sprintf("%s %s raised %s", words.Choose(n, "seed", "seeds"), words.And(seeds[m]), m))
	}
	return lines
}

// summary says how it was run.
func (c confirmation) summary(p *printer) {
	for _, crash := range c.crashes() {
		p.printf("%s\n", crash)
	}
	device, torch := "cpu", c.Python.Torch
	if len(c.Outcome.Runs) > 0 && c.Outcome.Runs[0].Device != "" {
		device = c.Outcome.Runs[0].Device
	}
	p.printf("%s: %s (%d confirmed, %d refuted); %s with Python %s, torch %s on %s; %s.\n", c.Name,
		words.Count(len(c.Findings), c.noun()), c.Confirmed(), c.Count(harness.Refuted), words.Count(len(c.Outcome.Runs), "seed"),
		c.Python.Version, torch, device, c.Outcome.Isolation.Means())
	switch r := c.Reproducible; {
	case r == nil || r.Losses == 0:
	case r.Same:
		p.printf("Reproducible: a second run of seed %d gave the same first %s, bit for bit.\n", c.Outcome.Runs[0].Seed, losses(r.Losses))
	default:
		run := c.Outcome.Runs[0]
		p.printf("Not reproducible: a second run of seed %d differs from loss %d on%s.\n", run.Seed, r.Difference+1, unseeded(run))
	}
}
