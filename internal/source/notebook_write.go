package source

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// writeCells returns the notebook's JSON with the sources of the cells that
// changed.
func (f *File) writeCells() []byte {
	var out []byte
	document, copied := f.notebook.json, 0
	var style *escapes
	for _, c := range f.Cells {
		text := f.cellSource(c)
		old := document[c.json.start:c.json.end]
		if was, err := sourceText(old, 0); err == nil && was == text {
			continue
		}
		if style == nil {
			style = f.escapeStyle()
		}
		out = append(out, document[copied:c.json.start]...)
		out = append(out, encodeSource(old, text, style)...)
		copied = c.json.end
	}
	if copied == 0 {
		return document
	}
	return append(out, document[copied:]...)
}

// cellSource returns the source of a cell as its author would see it.
func (f *File) cellSource(c Cell) string {
	text := string(f.restored(c.Start, c.End))
	if c.Unterminated {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text
}

// encodeSource writes text in the form of the old value: one string or a list
// of lines, with the same white space between them. Lines that were there
// before keep their spelling byte by byte.
func encodeSource(old []byte, text string, style *escapes) []byte {
	if old[0] == '"' {
		return style.quote(text)
	}
	if text == "" {
		return []byte("[]")
	}
	layout := readLayout(old)
	out := []byte(layout.open)
	for i, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		if i > 0 {
			out = append(out, layout.separator...)
		}
		if literal, ok := layout.literals[line]; ok {
			out = append(out, literal...)
		} else {
			out = append(out, style.quote(line)...)
		}
	}
	return append(out, layout.close...)
}

// A layout is the white space and punctuation of a list of lines.
type layout struct {
	open, separator, close string
	literals               map[string]string // the JSON of each line
}

// readLayout takes the layout from an array of strings.
func readLayout(array []byte) layout {
	l := layout{open: "[", close: "]", literals: map[string]string{}}
	end := 0 // of the element before
	_ = elements(array, 0, func(i int, value []byte, at int) error {
		switch between := string(array[end:at]); i {
		case 0:
			l.open = between
			l.separator = "," + between[1:]
		case 1:
			l.separator = between
		}
		end = at + len(value)
		if line, err := sourceText(value, at); err == nil {
			l.literals[line] = string(value)
		}
		return nil
	})
	if end == 0 {
		l.separator = ", "
		return l
	}
	l.close = string(array[end:])
	return l
}

// escapes is how a notebook spells characters that JSON lets one spell in two
// ways.
type escapes struct {
	ascii bool          // everything over 0x7f is escaped
	plain map[rune]bool // printable ASCII that is escaped: < > & ' in Colab
}

// escapeStyle reads the style off the file. Jupyter writes characters as they
// are, so that is the style of a file that does not show one.
func (f *File) escapeStyle() *escapes {
	style := &escapes{plain: map[rune]bool{}}
	for _, c := range f.Cells {
		eachEscape(f.notebook.json[c.json.start:c.json.end], func(r rune) {
			if r >= ' ' && r < 0x7f {
				style.plain[r] = true
			}
		})
	}
	if nonASCII(f.notebook.json) < 0 {
		eachEscape(f.notebook.json, func(r rune) { style.ascii = style.ascii || r > 0x7f })
	}
	return style
}

// eachEscape calls visit with the value of each \uXXXX in JSON text.
func eachEscape(document []byte, visit func(rune)) {
	for {
		at := bytes.IndexByte(document, '\\')
		if at < 0 || at+6 > len(document) {
			return
		}
		if document[at+1] == 'u' {
			if r, err := strconv.ParseUint(string(document[at+2:at+6]), 16, 32); err == nil {
				visit(rune(r))
			}
		}
		document = document[at+2:]
	}
}

// quote returns text as a JSON string.
func (e *escapes) quote(text string) []byte {
	out := []byte{'"'}
	for _, r := range text {
		switch {
		case e.plain[r] || r < ' ' && !strings.ContainsRune("\n\r\t\b\f", r):
			out = fmt.Appendf(out, `\u%04x`, r)
		case strings.ContainsRune("\n\r\t\b\f\"\\", r):
			out = append(out, '\\', "nrtbf\"\\"[strings.IndexRune("\n\r\t\b\f\"\\", r)])
		case e.ascii && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		case e.ascii && r > 0x7f:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}
