package source

// IPython commands are not Python: %magic, !shell, help?, x = !ls. The parser
// must not see them, yet nothing may move. So a command becomes blanks of the
// same length, or the statement pass where it may be the only one of a block;
// the value of x = !ls becomes a name that nothing binds. Which lines are
// commands depends on where statements start: `%` at the start of a line within
// brackets is a remainder, and within a string it is text. The masker therefore
// follows strings, brackets and continued lines, as IPython's own tokenising
// transformers do, and no more of Python than that.
//
// Two things are no commands and stay code. What follows %time is a statement, which
// is read (timed.go). And of a cell that is indented as a whole IPython strips the
// indentation: it becomes form feeds, after which Python counts columns from 0 again.

import (
	"bytes"
	"strings"
)

// pythonMagics are the cell magics whose body is Python of this program, run in
// the notebook's own process and names (or, for the last row, in another process
// but as a program of its own kind that is worth reading).
var pythonMagics = map[string]bool{
	"time": true, "timeit": true, "capture": true, "prun": true, "debug": true, "tb": true,
	"memit": true, "mprun": true, "lprun": true, "snakeviz": true, "scalene": true, "heat": true,
	"memray_flamegraph": true, "pyinstrument": true, "viztracer": true, "ipytest": true,
	"run_pytest": true, "wandb": true, "notify": true, "cache": true, "px": true, "local": true,
	"python": true, "python3": true, "pypy": true,
}

// commandStarts are the characters that start a command and no statement:
// magics, shell, help, and the three forms of automatic calls.
const commandStarts = "%!?/;,"

// A masker blanks the commands of one cell.
type masker struct {
	text     []byte // of the cell, every line ends with \n; changed in place
	offset   int    // of the cell in the program
	masks    []Mask // appended to, in order
	foreign  bool   // no Python is left
	indented bool   // the indentation of a line was taken off
}

// maskCommands blanks all commands of a cell.
func (m *masker) maskCommands() {
	at := m.maskCellMagics()
	if m.maskAutomagic(at) {
		return
	}
	indent := m.indentation(at)
	for at < len(m.text) {
		at = m.maskStatement(m.maskIndentation(at, indent))
	}
}

// indentation returns what the first line of the program at an offset is indented
// by: IPython takes that off each line that begins with it.
func (m *masker) indentation(at int) string {
	for at < len(m.text) {
		line := m.text[at:m.lineEnd(at)]
		if len(bytes.TrimSpace(line)) > 0 {
			return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
		}
		at += len(line) + 1
	}
	return ""
}

// maskIndentation takes the cell's indentation off the logical line at an offset and
// returns where the rest of that line starts. Lines within brackets and strings keep
// theirs: there it means nothing, or is text. The first line must stay the first, since
// IPython goes by it.
func (m *masker) maskIndentation(at int, indent string) int {
	if indent == "" || !bytes.HasPrefix(m.text[at:], []byte(indent)) || len(bytes.TrimSpace(m.text[at:m.lineEnd(at)])) == 0 {
		return at
	}
	end := at + len(indent)
	m.maskSpan(at, end, '\f')
	m.masks[len(m.masks)-1].Leading = !m.indented
	m.indented = true
	return end
}

// maskCellMagics blanks the %%magic lines at the head of a cell, and the whole
// cell where one of them takes something else than Python. It returns where the
// program starts.
func (m *masker) maskCellMagics() int {
	for at := 0; at < len(m.text); {
		end := m.lineEnd(at)
		line := bytes.TrimSpace(m.text[at:end])
		switch name, magic := bytes.CutPrefix(line, []byte("%%")); {
		case len(line) == 0:
		case !magic:
			return at
		case !pythonMagics[firstWord(name)]:
			m.maskForeign(at)
			return len(m.text)
		default:
			m.mask(at)
			m.masks[len(m.masks)-1].Leading = true
		}
		at = end + 1
	}
	return len(m.text)
}

// firstWord returns the name of a magic.
func firstWord(line []byte) string {
	name, _, _ := strings.Cut(string(bytes.ReplaceAll(line, []byte("\t"), []byte(" "))), " ")
	return name
}

// maskForeign blanks everything from an offset on.
func (m *masker) maskForeign(at int) {
	m.foreign = true
	m.maskLines(at, len(m.text))
}

// maskStatement blanks the logical line at an offset, which starts a physical
// line, if it is or holds a command. It returns where the next one starts.
func (m *masker) maskStatement(at int) int {
	first := at
	for first < len(m.text) && strings.IndexByte(" \t\f", m.text[first]) >= 0 {
		first++
	}
	if first < len(m.text) && strings.IndexByte(commandStarts, m.text[first]) >= 0 {
		end := m.commandEnd(first)
		if !m.maskTimer(first, end) {
			m.maskBlock(at, first, end)
		}
		return end
	}
	s := scanner{text: m.text, at: first}
	s.statement()
	switch {
	case s.command > 0:
		end := m.commandEnd(s.command)
		m.maskLines(s.command, end)
		m.text[s.command] = '_'
		return end
	case s.lastCode >= 0 && m.text[s.lastCode] == '?':
		m.maskBlock(at, first, s.at)
	}
	return s.at
}

// maskBlock blanks a command statement; an indented one becomes pass, since it
// may be all its block has.
func (m *masker) maskBlock(lineStart, first, end int) {
	m.maskLines(first, end)
	if first == lineStart {
		return
	}
	statement := "pass"
	if m.bodyEnd(first)-first < len(statement) {
		statement = "0"
	}
	copy(m.text[first:], statement)
}

// commandEnd returns the start of the line after a command, which a backslash
// at the end of a line continues.
func (m *masker) commandEnd(at int) int {
	for {
		line := m.text[at:m.bodyEnd(at)]
		at = m.lineEnd(at) + 1
		if at >= len(m.text) || !bytes.HasSuffix(line, []byte(`\`)) {
			return min(at, len(m.text))
		}
	}
}

// lineEnd returns the offset of the \n that ends a line.
func (m *masker) lineEnd(at int) int {
	if i := bytes.IndexByte(m.text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(m.text)
}

// bodyEnd returns the offset of the line end, \n or \r\n, of a line.
func (m *masker) bodyEnd(at int) int {
	end := m.lineEnd(at)
	if end > at && m.text[end-1] == '\r' {
		end--
	}
	return end
}

// maskLines blanks from an offset up to the start of a line, leaving line ends.
func (m *masker) maskLines(at, end int) {
	for at < end {
		m.mask(at)
		at = m.lineEnd(at) + 1
	}
}

// mask blanks the rest of a line and remembers it.
func (m *masker) mask(at int) {
	if end := m.bodyEnd(at); end > at {
		m.maskSpan(at, end, ' ')
	}
}

// maskSpan fills a part of a line and remembers it.
func (m *masker) maskSpan(at, end int, with byte) {
	m.masks = append(m.masks, Mask{
		Start: m.offset + at, End: m.offset + end,
		Original: string(m.text[at:end]),
	})
	for i := at; i < end; i++ {
		m.text[i] = with
	}
}

// A scanner passes over one statement's logical line.
type scanner struct {
	text     []byte
	at       int
	depth    int // of brackets
	lastCode int // last byte that is neither blank nor comment, -1 at first
	command  int // where the command of x = !ls starts, 0 for none
	assigns  bool
}

// statement moves to the start of the next logical line, or stops at the
// command of an assignment.
func (s *scanner) statement() {
	s.lastCode = -1
	for s.at < len(s.text) && s.command == 0 {
		c := s.text[s.at]
		switch c {
		case '\n':
			s.at++
			if s.depth <= 0 {
				return
			}
			continue
		case ' ', '\t', '\r', '\f':
			s.at++
			continue
		case '#':
			s.skipTo('\n')
			continue
		case '\\':
			s.at = min(s.at+1+lineEndLength(s.text[s.at+1:]), len(s.text))
			continue
		}
		s.lastCode = s.at
		s.token(c)
	}
}

// StatementEnd returns the start of the line after the logical line that starts
// at an offset: brackets, long strings and backslashes continue a line. An empty
// line or a comment is a logical line of its own.
func StatementEnd(text []byte, at int) int {
	s := scanner{text: text, at: at}
	for s.statement(); s.command > 0 && s.at < len(text); s.statement() {
		s.command = 0
	}
	return s.at
}

// token passes over a string, or one other byte of code.
func (s *scanner) token(c byte) {
	switch c {
	case '"', '\'':
		s.string(c)
		s.lastCode = s.at - 1
		return
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth--
	case '=':
		s.assignment()
	}
	s.at++
}

// assignment looks for a command after the = at the current place.
func (s *scanner) assignment() {
	if s.depth > 0 || s.at > 0 && strings.IndexByte("=!<>", s.text[s.at-1]) >= 0 {
		return
	}
	s.assigns = s.assigns || !bytes.HasPrefix(s.text[s.at+1:], []byte("="))
	value := bytes.TrimLeft(s.text[s.at+1:], " \t")
	at := len(s.text) - len(value)
	shell := len(value) > 1 && value[0] == '!' && value[1] != '='
	magic := len(value) > 1 && value[0] == '%' && (isLetter(value[1]) || value[1] == '%')
	if shell || magic {
		s.command = at
	}
}

// string passes over a string. One in single quotes ends with its line at the
// latest, as a broken one would otherwise swallow the cell.
func (s *scanner) string(quote byte) {
	triple := [...]byte{quote, quote, quote}
	end := triple[:1]
	if bytes.HasPrefix(s.text[s.at:], triple[:]) {
		end = triple[:]
	}
	for s.at += len(end); s.at < len(s.text); s.at++ {
		switch rest := s.text[s.at:]; {
		case bytes.HasPrefix(rest, end):
			s.at += len(end)
			return
		case rest[0] == '\n' && len(end) == 1:
			return
		case rest[0] == '\\':
			s.at += max(1, lineEndLength(rest[1:]))
		}
	}
	s.at = len(s.text)
}

// skipTo moves to the next byte c or the end.
func (s *scanner) skipTo(c byte) {
	if i := bytes.IndexByte(s.text[s.at:], c); i >= 0 {
		s.at += i
		return
	}
	s.at = len(s.text)
}

// lineEndLength returns the length of the line end that text starts with, or 0.
func lineEndLength(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(text, []byte("\n")):
		return 1
	}
	return 0
}

// isLetter says whether a byte may start the name of a magic.
func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
