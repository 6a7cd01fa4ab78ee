package parse

import (
	"bytes"
	"maps"
	"unicode/utf8"

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
// length of the text, whatever is in it. Where the parser finds errors all the
// same, isolate.go asks it about each logical line by itself, and a second pass
// of the scanner replaces those that are wrong.

// marks are the offsets at which a placeholder starts in the parsed copy.
type marks map[uint32]bool

// placeholder stands in the parsed copy for source that was not understood: a
// name of the same length.
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
	nesting  int   // of f-strings
	cuts     []int // see scanned
	// decorated says that the line before is a decorator in the first column.
	decorated bool

	levels    []level // of the blocks around the line
	lineStart int     // where the physical line starts
	newLine   bool    // no token was seen on it
	opens     bool    // the logical line before opens a block
	wasBroken bool    // the logical line before was replaced
	mixed     bool    // tabs and spaces are mixed, which is said already
	orphans   map[int]lineError
	// wrong holds what is known to be wrong with the line that starts there.
	wrong map[int]lineError
	// lines are the logical lines, kept if listing is set.
	listing bool
	lines   []lineSpan
}

// lineSpan is where a logical line stands, and its first word if it is a keyword
// that the scanner knows.
type lineSpan struct {
	start, end int
	first      string
}

// lineError is what is wrong with a logical line, and where.
type lineError struct {
	where   ast.Span
	message string
	// alone says that the line must go without its block, even if it is a head.
	alone bool
}

// bracket is an opening bracket that is not closed yet.
type bracket struct {
	char byte
	at   int
	name token // what it subscripts, if that is a name in an annotation
}

// logicalLine is the statement being scanned.
type logicalLine struct {
	open  bool // false until its first token
	start int
	words int    // how many tokens so far, all of them words; -1 from the first other one
	first string // its first word, behind async
	// typeParams says that the open bracket holds the parameters of a generic.
	typeParams bool
	// value says that what follows is a value: an equals sign came before, or a
	// keyword.
	value bool
	// colon is where the head of a compound statement ended, or 0; lambdas is how
	// many lambdas outside of brackets wait for their colon.
	colon, lambdas int
	// annotated says that a colon came that ends no head.
	annotated bool
	// broken is what is wrong with it as a whole, if anything is; silent says that
	// an error on it was reported already.
	broken lineError
	silent bool
}

// token is the latest one that was neither blank nor comment.
type token struct {
	start, end int
	operand    bool // may end an operand: a word, a literal, a closing bracket
}

// scanned is what the parser is given.
type scanned struct {
	text  []byte // the copy of the module's text
	marks marks
	// cuts are the offsets at which a compound statement begins in the first column,
	// its decorators included, in order.
	cuts []int
}

// scan returns the copy of the module's text to be parsed, and sets the module's
// comments and the errors that the scanner sees.
func scan(mod *ast.Module, wrong map[int]lineError) scanned {
	s := &scanner{mod: mod, wrong: wrong}
	s.run()
	if len(s.orphans) > 0 {
		maps.Copy(s.orphans, wrong)
		s = &scanner{mod: mod, wrong: s.orphans}
		s.run()
	}
	return scanned{s.out, s.marks, s.cuts}
}

var byteOrderMark = []byte("\ufeff")

// listLines returns the logical lines of the module.
func listLines(mod *ast.Module) []lineSpan {
	s := &scanner{mod: mod, listing: true}
	s.run()
	return s.lines
}

func (s *scanner) run() {
	s.src, s.out = s.mod.Text, bytes.Clone(s.mod.Text)
	s.mod.Comments, s.mod.Errors = s.mod.Comments[:0], s.mod.Errors[:0]
	s.push(0, 0)
	s.newLine = true
	if bytes.HasPrefix(s.src, byteOrderMark) {
		s.skip(len(byteOrderMark))
		s.lineStart = s.at
		s.out[s.at-1] = '\f'
	}
	s.conflict()
	for s.at < len(s.src) {
		s.step()
	}
	s.endLine(len(s.src), true)
	s.blockless()
	for len(s.levels) > 0 {
		s.pop()
	}
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

// step goes over one token, fixing it in the copy where need be.
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
	if s.line.open {
		return
	}
	s.line = logicalLine{open: true, start: s.at}
	if s.newLine {
		s.newLine = false
		s.indent()
		s.clause()
		s.cut()
	}
}

// cut notes where the text may be cut before a line.
func (s *scanner) cut() {
	if s.at != s.lineStart || len(s.levels) != 1 {
		return
	}
	word, decorator := s.headWord(), s.src[s.at] == '@'
	if (decorator || heads[word] && clauses[word] == nil) && !s.decorated && s.at > 0 {
		s.cuts = append(s.cuts, s.at)
	}
	s.decorated = decorator
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
	start, all := s.at, byte(0)
	for s.at < len(s.src) && class[s.src[s.at]] == isWord {
		all |= s.src[s.at]
		s.at++
	}
	if all >= utf8.RuneSelf {
		s.checkRunes(start)
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
	if len(s.brackets) == 0 && string(s.src[start:s.at]) == "lambda" {
		s.line.lambdas++
	}
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
	c := s.src[s.at]
	if c == ';' && !s.line.open {
		s.at++
		return
	}
	s.begin()
	s.repairOperator(c)
	s.at++
	if c == '.' && s.last.end == s.at-1 && isDigit(s.src[s.last.start]) {
		s.done(s.last.start, true) // the number 1.
		return
	}
	s.done(s.at-1, false)
	s.checkOperator(c)
	if len(s.brackets) > 0 {
		return
	}
	switch {
	case c == ':' && !heads[s.line.first] && s.line.lambdas == 0 && s.peek(0) != '=':
		s.line.annotated = true
	case c == ';':
		s.endLine(s.at-1, false)
	case c == ':' && s.line.lambdas > 0 && s.peek(0) != '=':
		s.line.lambdas--
	case c == ':' && s.line.colon == 0 && heads[s.line.first] && s.peek(0) != '=':
		s.line.colon = s.at
		if rest := s.afterBlanks(); s.line.broken.message == "" && len(rest) > 0 && class[rest[0]] != isNewline && rest[0] != '#' {
			s.finish(s.at) // a statement of its own follows on the line
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
		s.breakLine(s.at-1, "must be the last character of its line; remove what follows it, or the backslash")
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
	s.lineStart, s.newLine = s.at, true
	if s.conflict() {
		s.lineStart = s.at
	}
}

// endLine closes the logical line, which ends at end: at the end of a physical
// line or at a semicolon.
func (s *scanner) endLine(end int, physical bool) {
	if len(s.brackets) > 0 {
		s.breakLine(s.brackets[len(s.brackets)-1].at, "is never closed")
		s.brackets = s.brackets[:0]
	}
	if s.line.open {
		if s.line.broken.message == "" && !s.line.silent {
			s.checkEnd(physical)
		}
		s.finish(end)
	}
	if physical {
		s.line = logicalLine{}
	}
}

// finish closes the logical line at end, fixing it if it is wrong.
func (s *scanner) finish(end int) {
	end = min(end, s.last.end)
	if s.listing {
		s.lines = append(s.lines, lineSpan{s.line.start, end, s.line.first})
	}
	if e, ok := s.wrong[s.line.start]; ok && s.line.broken.message == "" {
		s.line.broken = e
	}
	s.opens = s.src[s.last.start] == ':'
	s.wasBroken = s.line.broken.message != ""
	if s.wasBroken {
		s.opens = s.repairLine(end)
	}
	if first := s.line.first; (first == "except" || first == "finally") && (s.opens || !s.wasBroken) {
		s.top().try = -1
	}
	s.line.open = false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func span(start, end int) ast.Span { return ast.Span{Start: uint32(start), End: uint32(end)} }

// blank overwrites with spaces.
func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}
