package postmortem

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/page"

	"github.com/rlvet/rlvet/internal/words"
)

// markdown is the document in the Markdown of GitHub. Drawings are told in words; they
// are in the page.
func (d *document) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", escaped(d.Heading))
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "\n## %s\n", s.Title)
		for _, bl := range s.Blocks {
			b.WriteString("\n" + bl.markdown())
		}
	}
	fmt.Fprintf(&b, "\n---\n\nEvery number is from the runs. Written by rlvet %s.\n", escaped(d.Version))
	return b.String()
}

func (bl *block) markdown() string {
	switch {
	case bl.Heading != "":
		return "### " + escaped(bl.Heading) + "\n"
	case bl.Text != "":
		return inline(bl.Text) + "\n"
	case bl.Todo != "":
		return "> **To be added by a person:** " + inline(bl.Todo) + "\n"
	case bl.List != nil:
		var b strings.Builder
		for _, item := range bl.List {
			b.WriteString("- " + inline(item) + "\n")
		}
		return b.String()
	case bl.Facts != nil:
		t := &table{Columns: []string{"", ""}}
		for _, f := range bl.Facts {
			t.Rows = append(t.Rows, []string{f.Name, f.Value})
		}
		return t.markdown()
	case bl.Table != nil:
		return bl.Table.markdown()
	case bl.Code != nil:
		return escaped(bl.Code.Place) + "\n\n" + fenced("python", codeText(bl.Code.Lines))
	case bl.Diff != nil:
		return fenced("diff", diffText(bl.Diff))
	}
	return bl.drawings()
}

// drawings are the tables of heat, and what is drawn in words.
func (bl *block) drawings() string {
	var parts []string
	for _, h := range bl.Heats {
		t := &table{Columns: append([]string{h.Rows}, h.Columns...), Numbers: []bool{false}}
		for _, l := range h.Lines {
			row := []string{quoted(l.Name)}
			for _, c := range l.Cells {
				row, t.Numbers = append(row, c.Text()), append(t.Numbers, true)
			}
			t.Rows = append(t.Rows, row)
		}
		parts = append(parts, "**"+escaped(h.Title)+"**\n\n"+t.markdown())
		if h.Note != "" {
			parts = append(parts, escaped(h.Note)+"\n")
		}
	}
	for _, f := range bl.Figures {
		parts = append(parts, fmt.Sprintf("**%s** (drawn in %s). %s\n", escaped(f.Title), Page, escaped(strings.TrimSpace(f.Alt+" "+f.Note))))
	}
	return strings.Join(parts, "\n")
}

func (t *table) markdown() string {
	var b strings.Builder
	rows := append([][]string{t.Columns}, t.Rows...)
	for n, row := range rows {
		b.WriteString("|")
		for _, c := range row {
			b.WriteString(" " + strings.ReplaceAll(inline(c), "|", `\|`) + " |")
		}
		b.WriteString("\n")
		if n == 0 {
			b.WriteString("|" + strings.Join(rules(t, len(row)), "|") + "|\n")
		}
	}
	return b.String()
}

func rules(t *table, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = " --- "
		if i < len(t.Numbers) && t.Numbers[i] {
			out[i] = " --: "
		}
	}
	return out
}

// inline keeps code between backquotes, and escapes all else.
func inline(text string) string {
	var b strings.Builder
	parts := strings.Split(words.Plain(text), "`")
	for i, part := range parts {
		switch {
		case i%2 == 0:
			b.WriteString(escaped(part))
		case i == len(parts)-1: // a lone backquote
			b.WriteString("\\`" + escaped(part))
		case part == "":
			b.WriteString("\\`\\`")
		default:
			b.WriteString("`" + part + "`")
		}
	}
	return b.String()
}

// special are the signs that mean something in Markdown, anywhere or where a line begins.
var special = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "~", `\~`, "&", `\&`, "!", `\!`, "://", `:\/\/`)

func escaped(text string) string {
	text = special.Replace(flat(text))
	if strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "+ ") {
		text = `\` + text
	}
	return text
}

// flat keeps the blanks around a text, which may stand beside code.
func flat(text string) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
}

func codeText(lines []page.Line) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Gap {
			b.WriteString("...\n")
		}
		sign := "  "
		if l.Marked != "" {
			sign = "> "
		}
		fmt.Fprintf(&b, "%s%4d | %s%s%s\n", sign, l.Row, l.Before, l.Marked, l.Behind)
	}
	return b.String()
}

func diffText(lines []page.Line) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Gap {
			b.WriteString("@@\n")
		}
		sign := l.Sign
		if sign == "" {
			sign = " "
		}
		b.WriteString(sign + l.Before + "\n")
	}
	return b.String()
}

// fenced is a block of code whose fence is longer than any run of backquotes in it.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + fence + "\n"
}
