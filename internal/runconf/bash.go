package runconf

import (
	"bytes"
	"errors"
	"regexp"

	"mvdan.cc/sh/v3/syntax"
)

// # What bash reads otherwise than the parser
//
// The parser differs from bash 5.2 in a few places, docs/frameworks.md lists them. Each is mended in the bytes before or between
// tries, so that all offsets stay: a backslash that continues nothing becomes a blank, what bash refuses only at the run becomes a
// name that nobody sets.

// maxMends bounds how often a script is parsed once more.
const maxMends = 50

// parseBash parses a script, with its comments.
func parseBash(text []byte) (*syntax.File, error) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	text = endedByReturn(text)
	var suspects [][]int
	if bytes.Contains(text, []byte("\\\n")) {
		suspects = endedByComment.FindAllIndex(text, -1)
		text = bytes.Clone(text)
	}
	for _, at := range suspects {
		if line := text[at[0]:at[1]]; len(bytes.TrimLeft(line[:bytes.IndexByte(line, '#')], " \t")) == 0 {
			text[at[1]-2] = ' ' // a first guess, which parses where the parser's own reading may not
		}
	}
	for range maxMends {
		file, err := parser.Parse(bytes.NewReader(text), "")
		switch {
		case err != nil:
			mended := mend(text, err)
			if mended == nil {
				return nil, err
			}
			text = mended
		case !settle(text, suspects, file):
			return file, nil
		}
	}
	return nil, errors.New("too much of it is read otherwise by bash")
}

// endedByComment is a line that may end in a comment and ends in a backslash.
var endedByComment = regexp.MustCompile(`(?m)^.*#.*\\\n`)

// settle blanks the backslashes that end a comment, which to bash is part of it, and puts back those that do not. It reports whether
// one was changed.
func settle(text []byte, suspects [][]int, file *syntax.File) (changed bool) {
	if len(suspects) == 0 {
		return false
	}
	within := map[int]bool{} // the last byte of a comment's line
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			end := int(c.End().Offset())
			if end > 0 && end <= len(text) && text[end-1] == '\n' {
				end-- // the parser's comment goes on behind the backslash
			}
			if end < len(text) && text[end] == '\n' {
				within[end-1] = true
			}
		}
		return true
	})
	for _, at := range suspects {
		last, want := at[1]-2, byte('\\')
		if within[last] {
			want = ' '
		}
		changed = changed || text[last] != want
		text[last] = want
	}
	return changed
}

// endedByReturn blanks the backslashes before a carriage return at the end of a line: they quote it, and continue nothing.
func endedByReturn(text []byte) []byte {
	if !bytes.Contains(text, []byte("\\\r\n")) {
		return text
	}
	out := bytes.Clone(text)
	quoted := false
	for i, c := range text {
		switch {
		case c != '\\' || quoted:
			quoted = false
		case bytes.HasPrefix(text[i:], []byte("\\\r\n")):
			out[i] = ' '
		default:
			quoted = true
		}
	}
	return out
}

// mend changes what bash accepts and the parser does not; nil where that is not it.
func mend(text []byte, err error) []byte {
	var wrong syntax.ParseError
	var foreign syntax.LangError
	switch {
	case errors.As(err, &wrong):
	case errors.As(err, &foreign):
		wrong.Pos = foreign.Pos
	default:
		return nil
	}
	at := min(int(wrong.Pos.Offset()), len(text)-1)
	if at < 0 {
		return nil
	}
	if wrong.Text == "`[x]` must be followed by `=`" && text[at] == '[' {
		out := bytes.Clone(text) // a word of an array, as [0]*3 is one
		out[at] = '_'
		return out
	}
	for _, open := range []string{"${", "$(("} {
		start := bytes.LastIndex(text[:min(at+len(open), len(text))], []byte(open))
		if start < 0 {
			continue
		}
		from := start + len(open)
		length := closing(text[from:], open[1])
		if open == "${" && length == 0 {
			from, length = start+1, 2
		}
		if length < 1 || from+length < at-1 || allBlank(text[from:from+length]) {
			continue
		}
		out := bytes.Clone(text)
		for i := range length {
			out[from+i] = '_'
		}
		return out
	}
	return nil
}

// allBlank reports whether it was mended before.
func allBlank(text []byte) bool { return len(bytes.Trim(text, "_")) == 0 }

// closing is how far on its line the bracket lies that closes one that was opened before; -1 for none.
func closing(text []byte, open byte) int {
	shut := byte('}')
	if open == '(' {
		shut = ')'
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return -1
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == open:
			depth++
		case c == shut && depth == 0:
			return i
		case c == shut:
			depth--
		}
	}
	return -1
}
