// Package suppress reads suppression comments and applies them to findings.
//
// Three forms are read: "# rlvet: ignore[ADV009] reason", which takes effect on
// its own line or, alone on a line, on the statement below; "# rlvet:
// ignore-file[ADV009] reason" anywhere in a file; and flake8's "# noqa" and "#
// noqa: ADV009". The reason is mandatory in the first two, and a suppression that
// suppresses nothing is reported, so that they cannot pile up unread.
//
// Input is the text of a file and its findings; output is what is left of them,
// what was suppressed by which comment, and findings about the comments
// themselves (RLV001 to RLV004). It is layer 4: the driver, the command line
// and the server may all use it.
// Limits: comments are found by a scanner that knows strings and brackets, not
// by parsing; see scanner. Those of shell scripts are where bash has them.
package suppress

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// Kind is the form of a directive.
type Kind int

// The forms.
const (
	Line      Kind = iota // # rlvet: ignore[...] reason
	WholeFile             // # rlvet: ignore-file[...] reason
	Noqa                  // # noqa, # noqa: CODE
	Malformed             // meant as one of ours, but not readable
)

// Directive is one suppression comment.
type Directive struct {
	Kind   Kind
	Rules  []Name // as written; empty means every rule, which only noqa may say
	Reason string
	// Start and End are the bytes of the directive, from its '#' to the end of
	// its reason.
	Start, End int
	// Row is the line of the comment; First and Last are the rows on which it
	// takes effect. They count from 1 over the whole text.
	Row, First, Last int
	Problem          string // of a malformed directive: what to write
}

// Name is a code or name as written in a directive, with its bytes.
type Name struct {
	Text       string
	Start, End int
}

var (
	rlvetMark = regexp.MustCompile(`#\s*rlvet\s*:\s*`)
	rlvetBody = regexp.MustCompile(`^(ignore-file|ignore)\s*\[([^\]#]*)\][ \t]*([^#]*)`)
	leading   = regexp.MustCompile(`^[A-Za-z_-]*`)
	noqaMark  = regexp.MustCompile(`(?i)#\s*noqa\b`)
	noqaCodes = regexp.MustCompile(`^\s*:\s*([A-Za-z]+[0-9]+(?:[,\s]+[A-Za-z]+[0-9]+\b)*)`)
	nameToken = regexp.MustCompile(`[^\s,]+`)
)

// Parse returns the directives of a file in the order of their places. A
// comment may hold several, one behind the other.
func Parse(file *source.File) []Directive {
	var out []Directive
	text := string(file.Text)
	for _, c := range commentsOf(file, text) {
		out = append(out, c.directives(text)...)
	}
	return out
}

// commentsOf are the comments of a file: of a shell script as bash reads it, if it does, since its
// strings and commands go over lines otherwise than Python's.
func commentsOf(file *source.File, text string) []comment {
	if source.LanguageOf(file.Path) == source.Shell {
		if all, ok := runconf.Comments(file.Text); ok {
			var out []comment
			for _, c := range all {
				own := comment{start: c.Start, end: c.End, row: c.Row, ownLine: c.OwnLine, first: c.Row, last: c.Row}
				if c.First > 0 {
					own.first, own.last = c.First, c.Last
				}
				out = append(out, own)
			}
			return out
		}
	}
	return scan(text)
}

// directives returns what a comment says.
func (c comment) directives(text string) []Directive {
	var out []Directive
	body := text[c.start:c.end]
	for _, at := range rlvetMark.FindAllStringIndex(body, -1) {
		if d, ok := readRlvet(body[at[1]:], c.start+at[1]); ok {
			d.Start = c.start + at[0]
			d.Row, d.First, d.Last = c.row, c.first, c.last
			out = append(out, d)
			if d.Kind == Malformed {
				break // it has the rest of the comment, whatever is meant there
			}
		}
	}
	for _, at := range noqaMark.FindAllStringIndex(body, -1) {
		d := readNoqa(body[at[1]:], c.start+at[1])
		d.Start = c.start + at[0]
		d.Row, d.First, d.Last = c.row, c.row, c.row
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Directive) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// readRlvet reads what follows "# rlvet:"; base is its byte in the text. Words
// that are nothing like "ignore" are other people's business.
func readRlvet(body string, base int) (Directive, bool) {
	m := rlvetBody.FindStringSubmatchIndex(body)
	if m == nil {
		return malformed(body, base)
	}
	d := Directive{Kind: Line, End: base + len(strings.TrimRight(body[:m[1]], " \t"))}
	if body[m[2]:m[3]] == "ignore-file" {
		d.Kind = WholeFile
	}
	d.Rules = names(body[m[4]:m[5]], base+m[4])
	d.Reason = strings.TrimSpace(strings.TrimLeft(body[m[6]:m[7]], " \t:-–—"))
	if len(d.Rules) == 0 {
		d.Kind, d.Problem = Malformed, "no rule is named between the brackets; write # rlvet: ignore[CODE] reason"
	}
	return d, true
}

func malformed(body string, base int) (Directive, bool) {
	word := leading.FindString(body)
	near := words.Nearest(word, []string{"ignore", "ignore-file", "noqa", "disable", "skip"})
	if word == "" || near == "" {
		return Directive{}, false
	}
	d := Directive{Kind: Malformed, End: base + len(strings.TrimRight(body, " \t"))}
	d.Problem = "write # rlvet: ignore[CODE] reason"
	if near == "ignore-file" {
		d.Problem = "write # rlvet: ignore-file[CODE] reason"
	}
	return d, true
}

// readNoqa reads what follows "# noqa". Without codes it means every rule.
func readNoqa(body string, base int) Directive {
	d := Directive{Kind: Noqa, End: base}
	if m := noqaCodes.FindStringSubmatchIndex(body); m != nil {
		d.Rules = names(body[m[2]:m[3]], base+m[2])
		d.End = base + m[3]
	}
	return d
}

func names(list string, base int) []Name {
	var out []Name
	for _, m := range nameToken.FindAllStringIndex(list, -1) {
		out = append(out, Name{list[m[0]:m[1]], base + m[0], base + m[1]})
	}
	return out
}
