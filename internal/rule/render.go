package rule

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/fatih/color"

	"github.com/rlvet/rlvet/internal/words"
)

// Markdown returns the page for readers outside the terminal (editor hover,
// SARIF help): title, facts and sections, without marks and recorded blocks.
func (d *Doc) Markdown() string {
	var b blocks
	b.add("# %s (%s)", d.Name, d.Code)
	var facts []string
	for _, fact := range d.facts() {
		facts = append(facts, fmt.Sprintf("%s: %s", fact.label, fact.text))
	}
	b.add("%s", strings.Join(facts, " · "))
	for _, part := range d.messages() {
		b.add("**%s**: %s", part.label, part.text)
	}
	for _, s := range d.Sections() {
		b.add("## %s", s.Title)
		for _, p := range s.Parts {
			p.markdown(&b, s.Title)
		}
		if claimed := d.claimed(); s.Title == HowConfirmed && claimed != "" {
			b.add("%s", claimed)
		}
	}
	return b.String()
}

// blocks is a text of blocks with one empty line between them. What stands in a block is
// kept as it is: verdicts name the lines of the code above them.
type blocks struct{ bytes.Buffer }

func (b *blocks) add(format string, args ...any) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), "\n") + "\n")
}

// markdown writes a part; the title of a block stands above it, since only our
// own readers know it in an info string.
func (p Part) markdown(b *blocks, section string) {
	if p.Fence == nil {
		if lines := trimBlank(p.Prose); len(lines) > 0 {
			b.add("%s", strings.Join(lines, "\n"))
		}
		return
	}
	if !p.visible(section) {
		return
	}
	if title := p.Fence.Attrs["title"]; title != "" {
		b.add("`%s`:", title)
	} else if label := blockLabel[p.Fence.Lang]; label != "" {
		b.add("%s", label)
	}
	lang := map[string]string{"run": "python", "output": "text", "verdict": "text"}[p.Fence.Lang]
	b.add("```%s\n%s```", cmp.Or(lang, p.Fence.Lang), StripMarks(p.Fence.Text))
}

// blockLabel says what a block is that is not simply the example.
var blockLabel = map[string]string{"output": "rlvet reports:", "run": "Run with:", "verdict": "Seen when run:"}

// A labelled text is one fact or message of a rule.
type labelled struct{ label, text string }

// facts are the front matter.
func (d *Doc) facts() []labelled {
	fix := map[FixLevel]string{FixSafe: "safe, by `--fix`", FixUnsafe: "unsafe, by `--unsafe-fixes`", FixNone: "none"}[d.Fix]
	return []labelled{
		{"Family", string(d.Family)}, {"Severity", fmt.Sprint(d.Severity)}, {"Status", fmt.Sprint(d.Status)}, {"Fix", fix}, {"Since", d.Since},
	}
}

// messages are the texts of a finding of the rule, and what people said of its findings.
func (d *Doc) messages() []labelled {
	out := []labelled{{"Finding", d.Headline}, {"Why", d.Why}, {"Help", d.Help}}
	for _, y := range d.Yields {
		other := y.To + ", which is then shown instead"
		if y.To == d.Code {
			other = "another finding of this rule, of which the first is shown"
		}
		out = append(out, labelled{"Not said twice", fmt.Sprintf("at the same %s as %s", y.At, other)})
	}
	if d.Judged.Read() > 0 {
		out = append(out, labelled{"Read in public code", d.Judged.String()})
	}
	return out
}

// String says how many findings were read, and what came of it.
func (j Judgement) String() string {
	read, right := j.Read(), j.Right()
	rights := fmt.Sprintf("%d %s right", right, words.Choose(right, "was", "were"))
	harm := fmt.Sprintf("%d of them harmful", j.Harmful)
	switch {
	case read == 1:
		rights = words.Choose(right, "it was right", "it was wrong")
	case right == read:
		rights = "all were right"
	}
	switch {
	case right == 0 && read == 1:
		return "1 finding; it was wrong"
	case right == 0:
		return words.Count(read, "finding") + "; none was right"
	case right == 1:
		harm = map[bool]string{true: "and harmful", false: "and harmless there"}[j.Harmful == 1]
	case j.Harmful == 0:
		harm = "none of them harmful"
	case j.Harmful == right:
		harm = "all of them harmful"
	}
	return fmt.Sprintf("%s; %s, %s", words.Count(read, "finding"), rights, harm)
}

// claimed is what `rlvet confirm --claim` watches of a line, "" for a rule that has nothing to watch.
func (d *Doc) claimed() string {
	switch {
	case len(d.Watches) == 0:
		return ""
	case d.OnlyFound:
		return "`--claim` cannot test this rule: a run tests it only where the checker finds it, since the probe presumes what a claim does not tell."
	}
	text := fmt.Sprintf("`--claim %s@FILE:LINE` watches on that line: `%s`.", d.Code, strings.Join(d.Watches, "`, `"))
	if len(d.About) > 0 {
		text += " A run proves nothing there of an expression that rlvet derives to be none of: " + strings.Join(d.About, ", ") + "."
	}
	return text
}

// visible reports whether a block of a section is for the reader: code is, and what was recorded of it. How an example is
// run, and what was seen then, is shown of the mistake; behind right code it says to the test alone what to watch.
func (p Part) visible(section string) bool {
	if p.Fence == nil || strings.TrimSpace(p.Fence.Text) == "" {
		return false
	}
	return section == Bad || p.Fence.Lang != "run" && p.Fence.Lang != "verdict"
}

// Render writes the page for a terminal, coloured if wanted.
func (d *Doc) Render(w io.Writer, coloured bool) error {
	t := newTerminal(coloured)
	var facts []string
	for _, fact := range d.facts() {
		facts = append(facts, fmt.Sprintf("%s: %s", fact.label, strings.ReplaceAll(fact.text, "`", "")))
	}
	head := fmt.Sprintf("%s %s\n%s\n", t.code.Sprint(d.Code), t.title.Sprint(d.Name), t.faint.Sprint(strings.Join(facts, " · ")))
	for _, part := range d.messages() {
		head += fmt.Sprintf("%s %s\n", t.heading.Sprint(part.label+":"), codeSpan.ReplaceAllStringFunc(part.text, t.codeSpan))
	}
	t.b.add("%s", head)
	for _, s := range d.Sections() {
		title := t.heading.Sprint(s.Title) + "\n"
		for _, p := range s.Parts {
			if text := t.part(p, s.Title); text != "" {
				t.b.add("%s%s", title, text)
				title = ""
			}
		}
		if claimed := d.claimed(); s.Title == HowConfirmed && claimed != "" {
			t.b.add("%s  %s", title, codeSpan.ReplaceAllStringFunc(claimed, t.codeSpan))
		}
	}
	if len(d.Refs) > 0 {
		t.b.add("%s\n  %s", t.heading.Sprint("References"), strings.Join(d.Refs, "\n  "))
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// terminal renders the Markdown that rule pages use.
type terminal struct {
	b                                          blocks
	coloured                                   bool
	code, title, heading, span, comment, faint *color.Color
}

func newTerminal(coloured bool) *terminal {
	style := func(attributes ...color.Attribute) *color.Color {
		c := color.New(attributes...)
		if coloured {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	return &terminal{
		coloured: coloured,
		code:     style(color.FgRed, color.Bold), title: style(color.Bold), heading: style(color.FgBlue, color.Bold),
		span: style(color.FgCyan), comment: style(color.FgGreen), faint: style(color.Faint),
	}
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// part returns the text of a part, indented; "" for one that is not shown.
func (t *terminal) part(p Part, section string) string {
	var b strings.Builder
	if p.Fence == nil {
		for _, line := range trimBlank(p.Prose) {
			if line != "" {
				line = "  " + codeSpan.ReplaceAllStringFunc(line, t.codeSpan)
			}
			fmt.Fprintln(&b, line)
		}
		return b.String()
	}
	if !p.visible(section) {
		return ""
	}
	b.WriteString(t.label(p.Fence))
	for _, line := range strings.Split(strings.TrimSuffix(StripMarks(p.Fence.Text), "\n"), "\n") {
		fmt.Fprintln(&b, strings.TrimRight("      "+t.comments(p.Fence.Lang, line), " "))
	}
	return b.String()
}

// codeSpan marks code within prose by colour, or else by its backquotes.
func (t *terminal) codeSpan(s string) string {
	if !t.coloured {
		return s
	}
	return t.span.Sprint(strings.Trim(s, "`"))
}

// label says what a block is, where it is not simply the example.
func (t *terminal) label(f *Fence) string {
	name := blockLabel[f.Lang]
	if title := f.Attrs["title"]; title != "" {
		name = title + ":"
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf("    %s\n", t.faint.Sprint(name))
}

// comments colours the comment at the end of a Python line. A '#' in a string
// is not a comment; one quote kind open before it is enough to tell.
func (t *terminal) comments(lang, line string) string {
	if at := strings.Index(line, "#"); lang == "python" && at >= 0 && strings.Count(line[:at], `"`)%2 == 0 && strings.Count(line[:at], "'")%2 == 0 {
		return line[:at] + t.comment.Sprint(line[at:])
	}
	return line
}

// trimBlank keeps at most one empty line between paragraphs and none around.
func trimBlank(lines []string) []string {
	var out []string
	for _, l := range lines {
		l = strings.TrimRight(l, " \t")
		if l == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, l)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
