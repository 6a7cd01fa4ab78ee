package rule

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/fatih/color"
)

// Markdown returns the page for readers outside the terminal (editor hover,
// SARIF help): title, facts and sections, without marks and recorded blocks.
func (d *Doc) Markdown() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s (%s)\n\n%s\n", d.Name, d.Code, d.facts())
	for _, part := range d.told() {
		fmt.Fprintf(&b, "\n*%s*: %s\n", part.label, part.text)
	}
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "\n## %s\n", s.Title)
		for _, p := range s.Parts {
			p.markdown(&b)
		}
	}
	return squeeze(b.String())
}

// markdown writes a part; the title of a block stands above it, since only our
// own readers know it in an info string.
func (p Part) markdown(b *bytes.Buffer) {
	if p.Fence == nil {
		fmt.Fprintf(b, "%s\n\n", strings.Join(p.Prose, "\n"))
		return
	}
	if !p.shown() {
		return
	}
	if title := p.Fence.Attrs["title"]; title != "" {
		fmt.Fprintf(b, "\n`%s`:\n\n", title)
	} else if label := blockLabel[p.Fence.Lang]; label != "" {
		fmt.Fprintf(b, "\n%s\n\n", label)
	}
	lang := map[string]string{"run": "python", "output": "text", "verdict": "text"}[p.Fence.Lang]
	fmt.Fprintf(b, "```%s\n%s```\n", cmp.Or(lang, p.Fence.Lang), StripMarks(p.Fence.Text))
}

// blockLabel says what a block is that is not simply the example.
var blockLabel = map[string]string{"output": "rlvet reports:", "run": "Run with:", "verdict": "Seen when run:"}

var blankLines = regexp.MustCompile(`\n{3,}`)

// squeeze leaves at most one empty line in a row, and none at the end.
func squeeze(text string) string {
	return strings.TrimRight(blankLines.ReplaceAllString(text, "\n\n"), "\n") + "\n"
}

// facts is the front matter as one line of prose.
func (d *Doc) facts() string {
	fix := map[FixLevel]string{FixSafe: "safe fix with --fix", FixUnsafe: "fix with --unsafe-fixes", FixNone: "no fix"}[d.Fix]
	return fmt.Sprintf("%s, %s, %s, %s, since %s", d.Family, d.Severity, d.Status, fix, d.Since)
}

// told is what a finding of the rule tells, label by label.
func (d *Doc) told() []struct{ label, text string } {
	return []struct{ label, text string }{{"finding", d.Headline}, {"why", d.Why}, {"help", d.Help}}
}

// shown reports whether a block is for the reader: recorded output and verdicts
// are.
func (p Part) shown() bool { return p.Fence != nil && strings.TrimSpace(p.Fence.Text) != "" }

// Render writes the page for a terminal, coloured if wanted.
func (d *Doc) Render(w io.Writer, coloured bool) error {
	t := newTerminal(coloured)
	fmt.Fprintf(&t.b, "%s %s\n%s\n", t.code.Sprint(d.Code), t.title.Sprint(d.Name), t.faint.Sprint(d.facts()))
	for _, part := range d.told() {
		fmt.Fprintf(&t.b, "%s %s\n", t.heading.Sprint(part.label+":"), codeSpan.ReplaceAllStringFunc(part.text, t.codeSpan))
	}
	for _, s := range d.Sections {
		fmt.Fprintf(&t.b, "\n%s\n", t.heading.Sprint(s.Title))
		for _, p := range s.Parts {
			t.part(p)
		}
	}
	if len(d.Refs) > 0 {
		fmt.Fprintf(&t.b, "\n%s\n", t.heading.Sprint("References"))
		for _, ref := range d.Refs {
			fmt.Fprintf(&t.b, "  %s\n", ref)
		}
	}
	_, err := io.WriteString(w, squeeze(t.b.String()))
	return err
}

// terminal renders the Markdown that rule pages use.
type terminal struct {
	b                                          bytes.Buffer
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

func (t *terminal) part(p Part) {
	if p.Fence == nil {
		for _, line := range trimBlank(p.Prose) {
			if line != "" {
				line = "  " + codeSpan.ReplaceAllStringFunc(line, t.codeSpan)
			}
			fmt.Fprintln(&t.b, line)
		}
		return
	}
	if !p.shown() {
		return
	}
	t.label(p.Fence)
	for _, line := range strings.Split(strings.TrimSuffix(StripMarks(p.Fence.Text), "\n"), "\n") {
		fmt.Fprintln(&t.b, strings.TrimRight("      "+t.comments(p.Fence.Lang, line), " "))
	}
	fmt.Fprintln(&t.b)
}

// codeSpan marks code within prose by colour, or else by its backquotes.
func (t *terminal) codeSpan(s string) string {
	if !t.coloured {
		return s
	}
	return t.span.Sprint(strings.Trim(s, "`"))
}

// label says what a block is, where it is not simply the example.
func (t *terminal) label(f *Fence) {
	name := blockLabel[f.Lang]
	if title := f.Attrs["title"]; title != "" {
		name = title + ":"
	}
	if name != "" {
		fmt.Fprintf(&t.b, "    %s\n", t.faint.Sprint(name))
	}
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
