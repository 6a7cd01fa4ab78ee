package parse

import (
	"bytes"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// The parser's tables have weak spots: some inputs cost it time that grows with
// the square of their length (a run of comment lines inside a block, which is
// valid Python; an unterminated triple quote, which is what a file looks like
// while it is being typed; a run of backslash-newlines), and some valid ones it
// misreads (names such as type and print, t-strings). All of them can be told
// apart by a scanner that knows strings, comments and brackets only. So the
// parser is given a copy of the text in which such places are overwritten by
// something harmless of the same length. No offset moves, and lowering reads
// names and values from the original.

// marks are what the scanner found and lowering has to know.
type marks struct {
	// bad maps where a placeholder starts to the source it stands for.
	bad map[uint32]ast.Span
}

// placeholder stands in the parsed copy for source that was not understood.
const placeholder = '_'

type scanner struct {
	src, out []byte
	at       int
	brackets []byte
	// fresh says that a statement may begin here.
	fresh bool
	marks marks
	mod   *ast.Module
}

// scan returns the copy of text to be parsed, and fills the module's comments
// and the errors that a scanner can tell.
func scan(mod *ast.Module) ([]byte, marks) {
	s := &scanner{src: mod.Text, out: bytes.Clone(mod.Text), mod: mod, fresh: true}
	for s.at < len(s.src) {
		s.token()
	}
	return s.out, s.marks
}

// peek returns the byte k places ahead, or 0.
func (s *scanner) peek(k int) byte {
	if s.at+k < len(s.src) {
		return s.src[s.at+k]
	}
	return 0
}

// token steps over one token, mending it in the copy where need be.
func (s *scanner) token() {
	switch c := s.src[s.at]; {
	case isWord[c]:
		s.word()
		return
	case c == '#':
		s.comment()
		return
	case c == '\'' || c == '"':
		s.stringLiteral(s.at)
		s.fresh = false
		return
	case c == '\\':
		s.continuation()
		return
	case c == '\r':
		if s.peek(1) != '\n' {
			s.out[s.at] = '\n'
			s.fresh = s.fresh || len(s.brackets) == 0
		}
	case c == '\n':
		s.fresh = s.fresh || len(s.brackets) == 0
	case c == ' ' || c == '\t' || c == '\f':
	case c == '(' || c == '[' || c == '{':
		s.brackets = append(s.brackets, c)
		s.fresh = false
	case c == ')' || c == ']' || c == '}':
		if len(s.brackets) > 0 {
			s.brackets = s.brackets[:len(s.brackets)-1]
		}
		s.fresh = false
	default:
		s.fresh = c == ';' && len(s.brackets) == 0
	}
	s.at++
}

var isWord = func() (t [256]bool) {
	for c := range t {
		t[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
	}
	return t
}()

// word steps over a name, keyword or number, and over the literal of which it
// turns out to be the prefix.
func (s *scanner) word() {
	start := s.at
	for s.at < len(s.src) && isWord[s.src[s.at]] {
		s.at++
	}
	n := s.at - start
	if q := s.peek(0); n <= 2 && (q == '\'' || q == '"') && isPrefix(s.src[start:s.at]) {
		s.stringLiteral(start)
		s.fresh = false
		return
	}
	if n == 4 || n == 5 {
		s.softKeyword(start)
	}
	s.fresh = false
}

func isPrefix(word []byte) bool {
	for _, c := range word {
		switch c | 0x20 {
		case 'r', 'b', 'u', 'f', 't':
		default:
			return false
		}
	}
	return true
}

// comment records a comment and blanks it. The parser would make a node of each
// and look through all that follow it to find out which block it belongs to.
func (s *scanner) comment() {
	start := s.at
	s.at = s.lineEnd(start)
	s.mod.Comments = append(s.mod.Comments, ast.Comment{Span: span(start, s.at)})
	blank(s.out[start:s.at])
}

// lineEnd returns the offset of the line's end, from which the line's last
// bytes \r\n, \n or \r begin.
func (s *scanner) lineEnd(from int) int {
	n := bytes.IndexAny(s.src[from:], "\r\n")
	if n < 0 {
		return len(s.src)
	}
	return from + n
}

// continuation joins two lines.
func (s *scanner) continuation() {
	n := s.newlineAt(s.at + 1)
	blank(s.out[s.at:min(s.at+1+n, len(s.out))])
	if n == 0 {
		s.out[s.at] = s.src[s.at]
		s.fresh = false
	}
	s.at += 1 + n
}

// newlineAt returns the length of the line end at offset k, 0 if none is there.
func (s *scanner) newlineAt(k int) int {
	switch {
	case k < len(s.src) && s.src[k] == '\n':
		return 1
	case k+1 < len(s.src) && s.src[k] == '\r' && s.src[k+1] == '\n':
		return 2
	case k < len(s.src) && s.src[k] == '\r':
		return 1
	}
	return 0
}

// softKeyword hides a name that the grammar takes for a keyword where Python
// does not. The name is read from the original later.
func (s *scanner) softKeyword(start int) {
	switch string(s.src[start:s.at]) {
	case "type":
		if s.fresh && s.nameFollows() {
			return
		}
	case "print", "exec":
		if s.fresh && (s.nameFollows() || s.literalFollows()) {
			return
		}
	default:
		return
	}
	s.out[start] = placeholder
}

// nextWord returns what stands after the blanks.
func (s *scanner) afterBlanks() []byte {
	return bytes.TrimLeft(s.src[s.at:], " \t\f")
}

func (s *scanner) literalFollows() bool {
	rest := s.afterBlanks()
	return len(rest) > 0 && (rest[0] == '\'' || rest[0] == '"' || rest[0] == '`')
}

// nameFollows reports whether a name or number follows, not an operator in letters.
func (s *scanner) nameFollows() bool {
	rest := s.afterBlanks()
	n := 0
	for n < len(rest) && isWord[rest[n]] {
		n++
	}
	switch string(rest[:n]) {
	case "", "in", "is", "if", "and", "or", "not", "else", "for", "as", "async":
		return false
	}
	return true
}

func span(start, end int) ast.Span { return ast.Span{Start: uint32(start), End: uint32(end)} }

// blank overwrites all but line ends.
func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}
