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
	b.add("%s", d.facts())
	for _, part := range d.messages() {
		b.add("*%s*: %s", part.label, part.text)
	}
	for _, s := range d.Sections {
		b.add("## %s", s.Title)
		for _, p := range s.Parts {
			p.markdown(&b)
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
func (p Part) markdown(b *blocks) {
	if p.Fence == nil {
		if lines := trimBlank(p.Prose); len(lines) > 0 {
			b.add("%s", strings.Join(lines, "\n"))
		}
		return
	}
	if !p.visible() {
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

// facts is the front matter as one line of prose.
func (d *Doc) facts() string {
	fix := map[FixLevel]string{FixSafe: "safe fix with --fix", FixUnsafe: "fix with --unsafe-fixes", FixNone: "no fix"}[d.Fix]
	facts := fmt.Sprintf("%s, %s, %s, %s, since %s", d.Family, d.Severity, d.Status, fix, d.Since)
	if read := d.Judged.Read(); read > 0 {
		facts += fmt.Sprintf("; of %s read in public code %d true, %d of them harmful", words.Count(read, "finding"), d.Judged.Right(), d.Judged.Harmful)
	}
	return facts
}

// messages are the texts of a finding of the rule, each with its label, and what `rlvet confirm
// --claim` watches of a line.
func (d *Doc) messages() []struct{ label, text string } {
	out := []struct{ label, text string }{{"finding", d.Headline}, {"why", d.Why}, {"help", d.Help}}
	if len(d.Watches) > 0 {
		text := "a run tests it only where the checker finds it: the probe presumes what a claim does not tell"
		if !d.OnlyFound {
			text = fmt.Sprintf("`--claim %s@FILE:LINE` watches there: `%s`", d.Code, strings.Join(d.Watches, "`, `"))
			if len(d.About) > 0 {
				text += "; a run proves nothing there of what rlvet derives to be none of: " + strings.Join(d.About, ", ")
			}
		}
		out = append(out, struct{ label, text string }{"claimed", text})
	}
	return out
}

// visible reports whether a block is for the reader: recorded output and verdicts
// are.
func (p Part) visible() bool { return p.Fence != nil && strings.TrimSpace(p.Fence.Text) != "" }

// Render writes the page for a terminal, coloured if wanted.
func (d *Doc) Render(w io.Writer, coloured bool) error {
	t := newTerminal(coloured)
	head := fmt.Sprintf("%s %s\n%s\n", t.code.Sprint(d.Code), t.title.Sprint(d.Name), t.faint.Sprint(d.facts()))
	for _, part := range d.messages() {
		head += fmt.Sprintf("%s %s\n", t.heading.Sprint(part.label+":"), codeSpan.ReplaceAllStringFunc(part.text, t.codeSpan))
	}
	t.b.add("%s", head)
	for _, s := range d.Sections {
		title := t.heading.Sprint(s.Title) + "\n"
		for _, p := range s.Parts {
			if text := t.part(p); text != "" {
				t.b.add("%s%s", title, text)
				title = ""
			}
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
func (t *terminal) part(p Part) string {
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
	if !p.visible() {
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
