package report

import (
	"github.com/fatih/color"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
)

// Look is how the text formats look.
type Look struct {
	Coloured bool
	Quiet    bool // no summary
	// Width is that of the terminal in cells; 0, of what is no terminal: nothing is wrapped.
	Width int
}

// palette holds a look, and the styles of the text formats. Without colour all of them are
// plain.
type palette struct {
	Look
	bold, code, err, warning, note, line, help, added, removed, origin *color.Color
}

func newPalette(look Look) *palette {
	style := func(attributes ...color.Attribute) *color.Color {
		c := color.New(attributes...)
		if look.Coloured {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	return &palette{
		Look: look,
		bold: style(color.Bold), code: style(color.FgRed, color.Bold),
		err: style(color.FgRed, color.Bold), warning: style(color.FgYellow, color.Bold), note: style(color.FgCyan, color.Bold),
		line: style(color.FgBlue, color.Bold), help: style(color.FgCyan, color.Bold),
		added: style(color.FgGreen), removed: style(color.FgRed), origin: style(color.FgBlue),
	}
}

// linked leads from a text to the page of a finding's rule, on terminals: most open it by a
// click, and the others show the text alone (OSC 8, gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda).
func (p *palette) linked(f *finding.Finding, text string) string {
	if !p.Coloured || p.Width == 0 || f.URL == "" {
		return text
	}
	return "\x1b]8;;" + f.URL + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

// verdict returns the style of a verdict.
func (p *palette) verdict(v harness.Verdict) *color.Color {
	switch v {
	case harness.Confirmed:
		return p.err
	case harness.Refuted:
		return p.added
	}
	return p.warning
}

// severity returns the style of a severity.
func (p *palette) severity(s finding.Severity) *color.Color {
	switch s {
	case finding.Error:
		return p.err
	case finding.Warning:
		return p.warning
	}
	return p.note
}
