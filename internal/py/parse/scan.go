package parse

import (
	"bytes"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// The parser has weak spots. Some inputs cost it time that grows with the square
// of their length: a run of comment lines inside a block, which is valid Python;
// an unterminated triple quote, which is what a file looks like while it is
// being typed; a run of backslash-newlines. Some valid ones it misreads: line
// ends inside brackets at a smaller indentation, names such as type and print,
// template strings. And one bracket left open makes it lose the rest of the file.
//
// All of these can be told apart by a scanner that knows strings, comments,
// brackets and where a logical line begins. So the parser is given a copy of the
// text in which such places are overwritten by something harmless of the same
// length. No offset moves: lowering reads names, operators and values from the
// original, and finds what stands for broken source in the marks.
//
// The scanner makes one pass and never goes back, so its time is linear in the
// length of the text, whatever is in it.

// marks are what the scanner found and lowering has to know.
type marks struct {
	// bad maps where a placeholder starts to the source it stands for.
	bad map[uint32]ast.Span
}

// placeholder stands in the parsed copy for source that was not understood.
const placeholder = '_'

type scanner struct {
	mod      *ast.Module
	src, out []byte
	at       int
	marks    marks
	brackets []bracket
	line     logicalLine
	last     token
	merge    mergeState
}

// bracket is an opening bracket that is not closed yet.
type bracket struct {
	char byte
	at   int
}

// logicalLine is the statement being scanned.
type logicalLine struct {
	open  bool // false until its first token
	start int
	words int    // how many tokens so far, all of them words; -1 from the first other one
	first string // its first word, behind async
	// typeParams says that the open bracket holds the parameters of a generic.
	typeParams bool
	// colon is where the head of a compound statement ended, or 0.
	colon int
	// broken is what is wrong with it as a whole, or empty; silent says that it
	// was reported already.
	broken string
	where  ast.Span
	silent bool
}

// token is the latest one that was neither blank nor comment.
type token struct {
	start, end int
	operand    bool // may end an operand: a word, a literal, a closing bracket
}

// scan returns the copy of the module's text to be parsed, and fills in the
// module's comments and the errors that the scanner sees.
func scan(mod *ast.Module) ([]byte, marks) {
	s := &scanner{src: mod.Text, out: bytes.Clone(mod.Text), mod: mod}
	s.conflict()
	for s.at < len(s.src) {
		s.step()
	}
	s.endLine(len(s.src), true)
	return s.out, s.marks
}

// peek returns the byte k places ahead, or 0.
func (s *scanner) peek(k int) byte {
	if s.at+k < len(s.src) {
		return s.src[s.at+k]
	}
	return 0
}

// Classes of bytes.
const (
	isOther = iota
	isWord
	isBlank
	isNewline
	isComment
	isQuote
	isBackslash
	isOpen
	isClose
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c >= 0x80:
			t[c] = isWord
		}
	}
	for k, chars := range map[uint8]string{
		isBlank: " \t\f", isNewline: "\r\n", isComment: "#", isQuote: "'\"", isBackslash: "\\", isOpen: "([{", isClose: ")]}",
	} {
		for _, c := range []byte(chars) {
			t[c] = k
		}
	}
	return t
}()

// step goes over one token, mending it in the copy where need be.
func (s *scanner) step() {
	switch class[s.src[s.at]] {
	case isBlank:
		s.at++
	case isNewline:
		s.newline()
	case isComment:
		s.comment()
	case isBackslash:
		s.continuation()
	case isWord:
		s.word()
	case isQuote:
		s.begin()
		s.stringLiteral(s.at)
	case isOpen:
		s.open()
	case isClose:
		s.close()
	default:
		s.operator()
	}
}

// begin starts a logical line if none is open.
func (s *scanner) begin() {
	if !s.line.open {
		s.line = logicalLine{open: true, start: s.at}
	}
}

// done notes the token from start to the scanner's place.
func (s *scanner) done(start int, operand bool) {
	s.last = token{start: start, end: s.at, operand: operand}
	if class[s.src[start]] != isWord {
		s.line.words = -1
	} else if s.line.words >= 0 {
		s.line.words++
	}
}

// word steps over a name, keyword or number, and over the literal of which it
// turns out to be the prefix.
func (s *scanner) word() {
	s.begin()
	start := s.at
	for s.at < len(s.src) && class[s.src[s.at]] == isWord {
		s.at++
	}
	if q := s.peek(0); (q == '\'' || q == '"') && isPrefix(s.src[start:s.at]) {
		s.stringLiteral(start)
		return
	}
	s.done(start, true)
	if s.line.words == 1 || s.line.words == 2 && s.line.first == "async" {
		s.line.first = keywordOf(s.src[start:s.at])
	}
	s.softKeyword(start)
}

// isPrefix reports whether a literal may have the prefix.
func isPrefix(word []byte) bool {
	if len(word) > 2 {
		return false
	}
	for _, c := range word {
		switch c | 0x20 {
		case 'r', 'b', 'u', 'f', 't':
		default:
			return false
		}
	}
	return true
}

// operator steps over one byte of punctuation.
func (s *scanner) operator() {
	s.begin()
	c := s.src[s.at]
	s.mendOperator(c)
	s.at++
	s.done(s.at-1, false)
	if len(s.brackets) > 0 {
		return
	}
	switch {
	case c == ';':
		s.endLine(s.at-1, false)
	case c == ':' && s.line.colon == 0 && heads[s.line.first] && s.peek(0) != '=':
		s.line.colon = s.at
		if rest := s.afterBlanks(); s.line.broken == "" && len(rest) > 0 && class[rest[0]] != isNewline && rest[0] != '#' {
			s.line.open = false // a statement of its own follows on the line
		}
	}
}

// comment records a comment and blanks it. The parser would make a node of each
// and look through all that follow it to find out which block it belongs to.
func (s *scanner) comment() {
	start := s.at
	s.at = s.lineEnd(start)
	s.mod.Comments = append(s.mod.Comments, ast.Comment{Span: span(start, s.at)})
	blank(s.out[start:s.at])
}

// lineEnd returns where the line's end begins: at \r\n, \n or \r.
func (s *scanner) lineEnd(from int) int {
	if n := bytes.IndexAny(s.src[from:], "\r\n"); n >= 0 {
		return from + n
	}
	return len(s.src)
}

// continuation joins two lines.
func (s *scanner) continuation() {
	n := s.newlineAt(s.at + 1)
	if n == 0 {
		s.begin()
		s.at++
		s.done(s.at-1, false)
		return
	}
	blank(s.out[s.at : s.at+1+n])
	s.at += 1 + n
}

// newlineAt returns the length of the line end at offset k, 0 if none is there.
func (s *scanner) newlineAt(k int) int {
	switch {
	case k >= len(s.src):
	case s.src[k] == '\n':
		return 1
	case s.src[k] == '\r' && k+1 < len(s.src) && s.src[k+1] == '\n':
		return 2
	case s.src[k] == '\r':
		return 1
	}
	return 0
}

// newline steps over a line end. Inside brackets it is no more than a blank.
func (s *scanner) newline() {
	start := s.at
	s.at += s.newlineAt(start)
	if len(s.brackets) > 0 && (s.conflict() || !s.leftOpen()) {
		blank(s.out[start:s.at])
		return
	}
	s.endLine(start, true)
	if s.src[s.at-1] == '\r' {
		s.out[start] = '\n'
	}
	s.conflict()
}

// endLine closes the logical line, which ends at end.
func (s *scanner) endLine(end int, physical bool) {
	if len(s.brackets) > 0 {
		s.breakLine(s.brackets[len(s.brackets)-1].at, "is never closed; close it")
		s.brackets = s.brackets[:0]
	}
	if physical && s.line.open && heads[s.line.first] && s.line.colon == 0 && s.line.broken == "" {
		s.line.where = span(s.last.start, s.last.end)
		s.line.broken = "the colon is missing after `" + s.line.first + "`; add it at the end of the line"
	}
	if s.line.open && s.line.broken != "" {
		s.mendLine(end)
	}
	if physical || s.line.open {
		s.line = logicalLine{}
	}
}

func span(start, end int) ast.Span { return ast.Span{Start: uint32(start), End: uint32(end)} }

// blank overwrites with spaces.
func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}
