package suppress

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
)

// Suppressed is a finding that a comment hides, with what the comment says.
type Suppressed struct {
	Finding finding.Finding
	Reason  string
}

// Outcome is what suppression comments make of the findings of one file.
type Outcome struct {
	Kept       []finding.Finding // order kept, RLV findings at the end
	Suppressed []Suppressed
}

// Options say which rules are known, and which ran on the file: a suppression of
// a rule that did not run is neither used nor unused.
type Options struct {
	Rules   *rule.Registry
	Enabled rule.Set
	// Partly reports whether some of what may lead to findings in the file was not
	// checked: what a helper does wrong may show only where it is called. No suppression of
	// what an analyzer finds is called unused then. It is asked only where that matters;
	// nil is never.
	Partly func() bool
	// Path is the file's path from the root of its project, for fingerprints.
	Path string
}

// mark is what every directive contains.
var mark = regexp.MustCompile(`(?i)#\s*(?:noqa|rlvet)`)

// Apply applies the directives of a file to its findings.
func Apply(file *source.File, findings []finding.Finding, o Options) Outcome {
	if !mark.Match(file.Text) {
		return Outcome{Kept: findings} // most files, without a copy of their text
	}
	directives := Parse(file)
	a := &applier{file: file, lines: file.Lines(), options: o, alike: map[[2]string]int{}}
	for _, d := range directives {
		a.directives = append(a.directives, a.resolve(d))
	}
	a.index = newIndex(a.directives)
	var out Outcome
	for _, f := range findings {
		if d := a.suppressor(f); d != nil {
			out.Suppressed = append(out.Suppressed, Suppressed{f, d.Reason})
		} else {
			out.Kept = append(out.Kept, f)
		}
	}
	a.kept = out.Kept
	for _, d := range a.directives {
		out.Kept = append(out.Kept, a.review(d)...)
	}
	return out
}

type applier struct {
	file       *source.File
	lines      *source.Lines
	options    Options
	directives []*resolved
	index      *index
	kept       []finding.Finding // that nothing suppresses
	alike      map[[2]string]int // findings so far, by code and text
}

// resolved is a directive with the codes that its names mean.
type resolved struct {
	Directive
	codes []string // parallel to Rules; "" where no rule has the name
	used  map[string]bool
}

func (a *applier) resolve(d Directive) *resolved {
	r := &resolved{Directive: d, used: map[string]bool{}}
	for _, n := range d.Rules {
		code := ""
		if e, ok := a.options.Rules.Lookup(n.Text); ok {
			code = e.Doc.Code
		}
		r.codes = append(r.codes, code)
	}
	return r
}

// suppressor returns the directive that hides f, and notes that it was used.
func (a *applier) suppressor(f finding.Finding) *resolved {
	d := a.index.find(f.Code, a.rows(f)...)
	if d != nil {
		d.used[f.Code] = true
	}
	return d
}

// rows returns the row of the text on which f starts, and that on which a
// comment at the end of its statement stands.
func (a *applier) rows(f finding.Finding) []int {
	first, noqa := a.lines.Row(f.Range.StartByte), f.NoqaRow
	if c := a.file.CellAt(f.Range.StartByte); c != nil && noqa > 0 {
		noqa += a.lines.Row(c.Start) - 1
	}
	return []int{first, noqa}
}

// review returns the findings about a directive itself.
func (a *applier) review(d *resolved) (out []finding.Finding) {
	if d.Kind == Malformed {
		return a.report(d, finding.Finding{Code: "RLV004", Help: d.Problem})
	}
	if d.Kind != Noqa {
		for i, n := range d.Rules {
			if d.codes[i] == "" {
				f := finding.Finding{Code: "RLV003", Help: a.options.Rules.Unknown(n.Text).Error()}
				if rule.IsFamily(n.Text) {
					f.Message = "suppression of a family, which is not one rule"
				}
				out = append(out, a.report(d, f)...)
			}
		}
		if d.Reason == "" {
			out = append(out, a.report(d, finding.Finding{Code: "RLV002"})...)
		}
	}
	return append(out, a.unused(d)...)
}

// unused reports the rules that d names and that were not found there.
func (a *applier) unused(d *resolved) []finding.Finding {
	var unused []Name
	var codes []string
	for i, code := range d.codes {
		if code != "" && a.options.Enabled[code] && !d.used[code] && !a.missed(code) {
			unused, codes = append(unused, d.Rules[i]), append(codes, code)
		}
	}
	if len(unused) == 0 {
		return nil
	}
	f := finding.Finding{Code: "RLV001", Message: fmt.Sprintf("suppression of %s that suppresses nothing", strings.Join(codes, ", "))}
	if row := a.below(d, codes); row > 0 {
		f.Help = fmt.Sprintf("move it to the end of line %d", row)
	} else {
		f.Fix = a.removal(d, unused)
	}
	return a.report(d, f)
}

// below returns the line at whose end a comment would suppress what is found on the line
// below it, 0 where nothing of that is found there.
func (a *applier) below(d *resolved, codes []string) int {
	for _, f := range a.kept {
		rows := a.rows(f)
		if d.Kind != WholeFile && slices.Contains(codes, f.Code) && rows[0] == d.Last+1 && rows[1] > 0 {
			return f.NoqaRow
		}
	}
	return 0
}

// missed reports whether a rule may have something to say that this check could not see.
// The rules without analyzers read comments, and nothing else.
func (a *applier) missed(code string) bool {
	e, ok := a.options.Rules.Lookup(code)
	return ok && e.Analyzer != nil && a.options.Partly != nil && a.options.Partly()
}

// removal returns the edits that remove the unused names, or the whole
// directive, with the blanks before it, where all of them are unused. Words that
// follow it in its comment stay a comment.
func (a *applier) removal(d *resolved, unused []Name) *finding.Fix {
	fix := &finding.Fix{Applicability: finding.Safe, Message: "Remove the unused suppression"}
	if len(unused) == len(d.Rules) {
		fix.Edits = []finding.Edit{a.without(d)}
		return fix
	}
	gone := map[int]bool{}
	for _, n := range unused {
		gone[n.Start] = true
	}
	var kept []string
	for _, n := range d.Rules {
		if !gone[n.Start] {
			kept = append(kept, n.Text)
		}
	}
	last := d.Rules[len(d.Rules)-1]
	fix.Edits = []finding.Edit{{Range: a.span(d.Rules[0].Start, last.End), Content: strings.Join(kept, ", ")}}
	return fix
}

// without returns the edit that removes a directive.
func (a *applier) without(d *resolved) finding.Edit {
	if rest := bytes.TrimLeft(a.file.Text[d.End:], " \t\f\v\r"); len(rest) > 0 && rest[0] != '\n' && rest[0] != '#' {
		return finding.Edit{Range: a.span(d.Start, d.End), Content: "#"}
	}
	start, end := len(bytes.TrimRight(a.file.Text[:d.Start], " \t")), d.End
	if start == a.lines.Start(d.Row) && d.Row > 1 && bytes.HasSuffix(a.file.Text[:a.lines.End(d.Row-1)], []byte("\\")) {
		return finding.Edit{Range: a.span(d.Start, d.End), Content: "#"} // a backslash joins something, and not the end of the file
	}
	if start == a.lines.Start(d.Row) && end == a.lines.End(d.Row) {
		end = a.lines.Start(d.Row + 1)
	}
	return finding.Edit{Range: a.span(start, end)}
}

// report completes a finding about d, unless its rule is off.
func (a *applier) report(d *resolved, f finding.Finding) []finding.Finding {
	if !a.options.Enabled[f.Code] {
		return nil
	}
	f.Range = a.span(d.Start, d.End)
	f.NoqaRow = f.Range.Start.Row
	key := [2]string{f.Code, string(a.file.Text[d.Start:d.End])}
	f.Fingerprint = finding.Fingerprint(f.Code, a.options.Path, key[1], a.alike[key])
	a.alike[key]++
	a.options.Rules.Complete(&f)
	return []finding.Finding{f}
}

// span returns the range of some bytes in every form.
func (a *applier) span(start, end int) finding.Range {
	r := finding.Range{File: a.file.Path, StartByte: start, EndByte: end}
	r.Start, r.End = a.lines.Position(start), a.lines.Position(end)
	i := sort.Search(len(a.file.Cells), func(i int) bool { return a.file.Cells[i].End > start })
	if i < len(a.file.Cells) {
		cell := a.file.Cells[i]
		r.Cell = cell.Number
		r.Start.Row -= a.lines.Row(cell.Start) - 1
		r.End.Row -= a.lines.Row(cell.Start) - 1
	}
	return r
}
