package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/words"
)

// Confirmation is the outcome of `rlvet confirm` for one script.
type Confirmation struct {
	*Report
	Script string   // as the user names it
	Args   []string // of the program
	// Failure is what kept the script from being checked or run, or nil.
	Failure error
	Python  *harness.Python
	// Outcome has a target for each finding, in the same order; nil where there was
	// nothing to confirm.
	Outcome      *harness.Report
	Reproducible *harness.Reproduction
	// Fixes say what became of the fixes of confirmed findings, by index.
	Fixes   map[int]harness.FixVerdict
	Seconds float64
}

// Confirmed counts the findings that were confirmed.
func (c *Confirmation) Confirmed() int { return c.count(harness.Confirmed) }

func (c *Confirmation) count(v harness.Verdict) int {
	n := 0
	if c.Outcome != nil {
		for _, e := range c.Outcome.Targets {
			if e.Verdict == v {
				n++
			}
		}
	}
	return n
}

// Fix says what became of the fix of a finding.
func (c *Confirmation) Fix(finding int) harness.FixVerdict {
	if fix, ok := c.Fixes[finding]; ok {
		return fix
	}
	return harness.FixVerdict{Verdict: "not-tried"}
}

// confirmationJSON is the shape of `rlvet confirm --output-format json`.
type confirmationJSON struct {
	Script      string         `json:"script"`
	Environment map[string]any `json:"environment"`
	Runs        []runJSON      `json:"runs"`
	Findings    []Finding      `json:"findings"`
	// Error is what kept the script from being checked or run.
	Error string `json:"error,omitempty"`
}

type runJSON struct {
	Seed        int                `json:"seed"`
	Device      string             `json:"device"`
	Status      string             `json:"status"`
	Exit        int                `json:"exit"`
	Hits        int                `json:"hits"`
	Steps       int                `json:"steps"`
	WallSeconds float64            `json:"wall_seconds"`
	PeakMemory  int64              `json:"peak_memory"`
	Nonfinite   *harness.Nonfinite `json:"nonfinite"`
	Crash       *harness.Crash     `json:"crash"`
	// Fault says why what the run sent proves nothing.
	Fault string `json:"fault,omitempty"`
}

type verdictJSON struct {
	Verdict harness.Verdict    `json:"verdict"`
	Reason  string             `json:"reason"`
	Seeds   []seedJSON         `json:"seeds"`
	Bound   *float64           `json:"bound"`
	Fix     harness.FixVerdict `json:"fix"`
}

type seedJSON struct {
	Seed         int               `json:"seed"`
	Verdict      harness.Verdict   `json:"verdict"`
	Reason       string            `json:"reason"`
	Hits         int               `json:"hits"`
	FirstHit     *int              `json:"first_hit"`
	Stack        []string          `json:"stack"`
	Seen         json.RawMessage   `json:"seen"`
	Observations []json.RawMessage `json:"observations"`
}

// ConfirmationFormat is an error for a format in which confirm does not report.
func ConfirmationFormat(format string) error {
	switch format {
	case "full", "concise", "json", "github", "sarif":
		return nil
	}
	return fmt.Errorf("--output-format %s: confirm prints full, concise, json, github or sarif", format)
}

// WriteConfirmations writes the report in one of the formats. In JSON one script is an
// object, and several are an array of them.
func WriteConfirmations(w io.Writer, list []*Confirmation, format string, coloured bool) error {
	switch format {
	case "json":
		return writeObjects(w, list)
	case "sarif":
		return writeConfirmedSARIF(w, list)
	case "github":
		return writeAnnotations(w, list)
	case "full", "concise":
		p := &printer{w: w}
		writeTexts(p, list, newPalette(coloured), format == "full")
		return p.err
	}
	return ConfirmationFormat(format)
}

func writeObjects(w io.Writer, list []*Confirmation) error {
	var out []confirmationJSON
	for _, c := range list {
		out = append(out, c.json())
	}
	if len(out) == 1 {
		return encode(w, out[0], "  ")
	}
	return encode(w, out, "  ")
}

func writeTexts(p *printer, list []*Confirmation, style *palette, full bool) {
	findings, confirmed, refuted, failed := 0, 0, 0, 0
	for i, c := range list {
		if i > 0 && full && (c.Outcome != nil || list[i-1].Outcome != nil) {
			p.printf("\n")
		}
		c.text(p, style, full)
		findings, confirmed, refuted = findings+len(c.Findings), confirmed+c.Confirmed(), refuted+c.count(harness.Refuted)
		if c.Failure != nil {
			failed++
		}
	}
	if len(list) == 1 {
		return
	}
	p.printf("\n%s: %s (%d confirmed, %d refuted)", plural(len(list), "script"), plural(findings, "finding"), confirmed, refuted)
	if failed > 0 {
		p.printf("; %s could not run", plural(failed, "script"))
	}
	p.printf(".\n")
}

func (c *Confirmation) json() confirmationJSON {
	out := confirmationJSON{Script: absolute(c.Dir, c.Script), Environment: map[string]any{"rlvet": c.Version}, Runs: []runJSON{}, Findings: []Finding{}}
	if c.Outcome != nil {
		out.Environment["python"], out.Environment["isolation"] = c.Python, c.Outcome.Isolation
		out.Environment["reproducible"] = c.Reproducible
		for _, r := range c.Outcome.Runs {
			out.Runs = append(out.Runs, runJSON{r.Seed, r.Device, r.Status, r.Exit, c.hits(r.Seed), r.Steps, r.WallSeconds, r.PeakMemory, r.Nonfinite, r.Crash, r.Fault})
		}
	}
	if c.Failure != nil {
		out.Error = c.Failure.Error()
	}
	for i, f := range c.Findings {
		j := ToJSON(f, c.Dir)
		if c.Outcome != nil {
			j.Confirmation = c.verdict(i)
		}
		out.Findings = append(out.Findings, j)
	}
	return out
}

func (c *Confirmation) hits(seed int) int {
	n := 0
	for _, e := range c.Outcome.Targets {
		for _, s := range e.Seeds {
			if s.Seed == seed {
				n += s.Hits
			}
		}
	}
	return n
}

func (c *Confirmation) verdict(i int) verdictJSON {
	e := c.Outcome.Targets[i]
	v := verdictJSON{Verdict: e.Verdict, Reason: e.Reason, Fix: c.Fix(i)}
	if e.Verdict == harness.Refuted {
		v.Bound = &e.Bound
	}
	for _, s := range e.Seeds {
		j := seedJSON{Seed: s.Seed, Verdict: s.Verdict, Reason: s.Reason, Hits: s.Hits, Stack: []string{}, Observations: s.Observations}
		if s.Confirmation != nil {
			j.FirstHit, j.Stack, j.Seen = &s.Confirmation.Hit, s.Confirmation.Stack, s.Confirmation.Seen
		}
		v.Seeds = append(v.Seeds, j)
	}
	return v
}

// text writes a block for each finding and a summary.
func (c *Confirmation) text(p *printer, style *palette, full bool) {
	switch {
	case c.Failure != nil:
		p.printf("%s could not run.\n", c.Script)
		return
	case c.Outcome == nil:
		p.printf("Nothing to confirm: no findings in %s.\n", c.Script)
		return
	}
	for i := range c.Findings {
		c.textOf(p, style, i, full)
	}
	c.summary(p)
}

func (c *Confirmation) textOf(p *printer, style *palette, i int, full bool) {
	f, e := &c.Findings[i], c.Outcome.Targets[i]
	p.printf("%s %s %s: %s\n", place(f.Range), f.Code, style.verdict(e.Verdict).Sprint(e.Verdict), oneLine(e.Reason))
	if !full {
		return
	}
	t := &Full{style}
	t.frame(p, gutter(c.Report, f), c.Files[f.Range.File], f.Range, 1, style.severity(f.Severity).Sprint)
	for _, s := range e.Seeds {
		p.printf("  seed %d: %s", s.Seed, s.Verdict)
		if s.Confirmation != nil {
			p.printf(" at evaluation %d, optimizer step %d%s%s", s.Confirmation.Hit+1, s.Confirmation.Step, inChild(s.Confirmation.Process), seen(s.Confirmation.Seen))
		} else {
			p.printf(" (%s)", plural(s.Hits, "evaluation"))
		}
		p.printf("\n")
	}
	if s := firstStack(e.Seeds); s != "" {
		p.printf("  %s %s\n", style.note.Sprint("called from:"), s)
	}
	if e.Verdict == harness.Refuted {
		p.printf("  %s at most %s of evaluations (95 %%)\n", style.note.Sprint("bound:"), words.Percent(e.Bound))
	}
	if fix, ok := c.Fixes[i]; ok {
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
	for _, name := range sortedKeys(v) {
		out = append(out, strings.ReplaceAll(name, "_", " ")+" "+brief(v[name]))
	}
	return ": " + strings.Join(out, "; ")
}

// brief writes a number, or what was noted of a tensor.
func brief(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Sprint(v)
	}
	var out []string
	for _, name := range []string{"count", "low", "high", "mean", "nan", "inf", "zeros", "negative"} {
		if n, ok := m[name]; ok && n != nil {
			out = append(out, fmt.Sprintf("%s %.4v", name, n))
		}
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func sortedKeys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
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

// summary says how it was run.
func (c *Confirmation) summary(p *printer) {
	for _, r := range c.Outcome.Runs {
		if r.Status == "crash" && r.Crash != nil {
			p.printf("seed %d raised %s\n", r.Seed, oneLine(r.Crash.String()))
		}
	}
	device, torch := "cpu", c.Python.Torch
	if len(c.Outcome.Runs) > 0 && c.Outcome.Runs[0].Device != "" {
		device = c.Outcome.Runs[0].Device
	}
	p.printf("%s: %s (%d confirmed, %d refuted); %s with Python %s, torch %s on %s; %s.\n", c.Script,
		plural(len(c.Findings), "finding"), c.Confirmed(), c.count(harness.Refuted), plural(len(c.Outcome.Runs), "seed"),
		c.Python.Version, torch, device, c.Outcome.Isolation.Means())
	switch r := c.Reproducible; {
	case r == nil || r.Losses == 0:
	case r.Same:
		p.printf("Reproducible: a second run of seed %d gave the same first %s, bit for bit.\n", c.Outcome.Runs[0].Seed, losses(r.Losses))
	default:
		p.printf("Not reproducible: a second run of seed %d differs from loss %d on.\n", c.Outcome.Runs[0].Seed, r.Difference+1)
	}
}
