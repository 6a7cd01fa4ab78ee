package parse

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// heads are the keywords that begin a compound statement.
var heads = map[string]bool{
	"def": true, "class": true, "if": true, "elif": true, "else": true, "for": true, "while": true, "with": true,
	"try": true, "except": true, "finally": true,
}

// starters are the keywords that no expression contains, so that one at the
// start of a line means that a statement begins there.
var starters = map[string]bool{
	"def": true, "class": true, "elif": true, "while": true, "with": true, "try": true, "except": true, "finally": true,
	"return": true, "import": true, "raise": true, "assert": true, "del": true, "global": true, "nonlocal": true,
	"pass": true, "break": true, "continue": true,
}

// connectives are the keywords that may stand between two operands or before one.
var connectives = map[string]bool{
	"in": true, "is": true, "and": true, "or": true, "not": true, "if": true, "else": true, "for": true, "async": true,
	"await": true, "lambda": true, "yield": true, "from": true, "as": true, "import": true,
}

// keywordOf returns the word as a string without allocating, if the scanner
// treats it specially, and else an empty one.
func keywordOf(word []byte) string {
	switch string(word) {
	case "async":
		return "async"
	case "type":
		return "type"
	case "def":
		return "def"
	case "class":
		return "class"
	case "if":
		return "if"
	case "elif":
		return "elif"
	case "else":
		return "else"
	case "for":
		return "for"
	case "while":
		return "while"
	case "with":
		return "with"
	case "try":
		return "try"
	case "except":
		return "except"
	case "finally":
		return "finally"
	}
	return ""
}

// softKeyword hides a name that the grammar takes for a keyword where Python
// does not. The name is read from the original later.
func (s *scanner) softKeyword(start int) {
	first := s.line.words == 1
	switch string(s.src[start:s.at]) {
	case "type":
		if first && s.nameFollows() {
			s.line.first = "type"
			return
		}
	case "print", "exec":
		if first && (s.nameFollows() || s.literalFollows()) {
			return
		}
	default:
		return
	}
	s.out[start] = placeholder
}

func (s *scanner) afterBlanks() []byte {
	k := s.at
	for k < len(s.src) && class[s.src[k]] == isBlank {
		k++
	}
	return s.src[k:]
}

func (s *scanner) literalFollows() bool {
	rest := s.afterBlanks()
	return len(rest) > 0 && (class[rest[0]] == isQuote || rest[0] == '`')
}

// nameFollows reports whether a name or number follows, not an operator in letters.
func (s *scanner) nameFollows() bool {
	word := wordAt(s.afterBlanks())
	return len(word) > 0 && !connectives[string(word)]
}

// wordAt returns the word with which the text begins.
func wordAt(text []byte) []byte {
	n := 0
	for n < len(text) && class[text[n]] == isWord {
		n++
	}
	return text[:n]
}

// open notes an opening bracket.
func (s *scanner) open() {
	s.begin()
	if len(s.brackets) == 0 && s.src[s.at] == '[' {
		switch s.line.first {
		case "def", "class", "type":
			s.line.typeParams = s.line.words >= 2
		}
	}
	s.brackets = append(s.brackets, bracket{s.src[s.at], s.at})
	s.at++
	s.done(s.at-1, false)
}

var opener = map[byte]byte{')': '(', ']': '[', '}': '{'}

// close matches a closing bracket with the latest opening one of its kind.
func (s *scanner) close() {
	s.begin()
	want := opener[s.src[s.at]]
	n := len(s.brackets) - 1
	if n < 0 || s.brackets[n].char != want {
		s.breakLine(s.at, "closes no bracket of its kind; remove it or add the opening one")
		for n >= 0 && s.brackets[n].char != want {
			n--
		}
	}
	if n >= 0 {
		s.brackets = s.brackets[:n]
	}
	if n == 0 {
		s.line.typeParams = false
	}
	s.at++
	s.done(s.at-1, true)
}

// mendOperator overwrites punctuation that the grammar does not know: the
// default of a type parameter, which it reads where its bound may stand; several
// exceptions without parentheses, which it reads as a union; the star of except,
// which must follow at once; and the star before a display in a bare tuple, for
// which another unary operator serves.
func (s *scanner) mendOperator(c byte) {
	switch {
	case c == '*' && s.line.first == "except" && s.line.words == 1 && s.last.end < s.at:
		s.out[s.last.end], s.out[s.at] = '*', ' '
	case c == '*' && len(s.brackets) == 0 && s.starsLiteral():
		s.out[s.at] = '~'
	case c == '=' && len(s.brackets) == 0:
		s.line.value = true
	case c == '=' && s.line.typeParams && len(s.brackets) == 1 && s.peek(1) != '=' && s.src[s.at-1] != '=' && s.src[s.at-1] != ':':
		s.out[s.at] = ':'
	case c == ',' && len(s.brackets) == 0 && s.line.first == "except" && s.line.colon == 0 && s.nextIsOperand():
		s.out[s.at] = '|'
	}
}

// starsLiteral reports whether the star where the scanner stands unpacks
// something other than a name, in a tuple without parentheses that is no target.
func (s *scanner) starsLiteral() bool {
	if next := s.peek(1); next == '*' || class[next] == isBlank || class[next] == isWord && !isDigit(next) {
		return false
	}
	before := string(s.src[s.last.start:s.last.end])
	if s.last.operand && before != "return" && before != "yield" && before != "in" || before == "*" {
		return false
	}
	switch string(wordAt(s.src[s.line.start:])) {
	case "return", "yield", "for":
		return true
	}
	return s.line.value
}

// nextIsOperand reports whether a word follows the byte at the scanner's place.
func (s *scanner) nextIsOperand() bool {
	s.at++
	rest := s.afterBlanks()
	s.at--
	return len(rest) > 0 && class[rest[0]] == isWord
}

// leftOpen reports whether the next line shows that a bracket was left open: a
// statement begins there, or an operand directly after another one. The
// scanner stands at the line's start.
func (s *scanner) leftOpen() bool {
	rest := s.afterBlanks()
	word := wordAt(rest)
	if len(word) == 0 {
		return s.headEnds()
	}
	if starters[string(word)] {
		return true
	}
	if string(word) == "from" {
		return string(s.src[s.last.start:s.last.end]) != "yield"
	}
	if connectives[string(word)] || isPrefix(word) && len(rest) > len(word) && class[rest[len(word)]] == isQuote {
		return s.headEnds()
	}
	return s.last.operand && !connectives[string(s.src[s.last.start:s.last.end])] || s.headEnds()
}

// headEnds reports whether the line that just ended looks like the end of a
// compound statement's head in spite of the open bracket. A def is none: its
// parameters have colons too.
func (s *scanner) headEnds() bool {
	inner := s.brackets[len(s.brackets)-1]
	return s.src[s.last.start] == ':' && inner.char == '(' && heads[s.line.first] && s.line.first != "def" &&
		s.line.colon == 0 && s.last.start > inner.at &&
		!bytes.Contains(s.src[max(inner.at, s.last.start-200):s.last.start], []byte("lambda"))
}

// breakLine notes what is wrong with the character at an offset of the logical
// line; the first trouble counts.
func (s *scanner) breakLine(at int, what string) {
	if s.line.broken.message == "" {
		s.line.broken = lineError{span(at, at+1), string(s.src[at:at+1]) + " " + what + notChecked}
	}
}

const notChecked = " (the statement is not checked until then)"

// checkOperator notes what no Python contains outside of strings.
func (s *scanner) checkOperator(c byte) {
	switch {
	case c == '`':
		s.breakLine(s.at-1, "(backquote) is Python 2; write repr(...)")
	case c == '$' || c == '?' || c == '!' && s.peek(0) != '=' || c < ' ' || c == 0x7f:
		s.breakLine(s.at-1, "is no character of Python; remove it")
	}
}

// checkRunes notes a character in the word from start to the scanner's place
// that no identifier contains: quotes and dashes from a word processor, blanks
// of other widths.
func (s *scanner) checkRunes(start int) {
	for k := start; k < s.at; {
		r, n := utf8.DecodeRune(s.src[k:s.at])
		if r >= utf8.RuneSelf && !inIdentifier(r) && s.line.broken.message == "" {
			what := fmt.Sprintf("the character %q (%U) is no character of Python outside of strings; replace it", r, r)
			if r == utf8.RuneError && n == 1 {
				what = "the text is not UTF-8 here; save the file as UTF-8"
			}
			s.line.broken = lineError{span(k, k+n), what + notChecked}
			return
		}
		k += n
	}
}

// inIdentifier reports whether an identifier may contain the character. It is
// as generous as Python, or more.
func inIdentifier(r rune) bool {
	switch r {
	case 0xb7, 0x387, 0x2118, 0x212e, 0x309b, 0x309c:
		return true
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Pc)
}

// checkEnd notes where a logical line ends too early. The parser would look for
// the rest on the next line.
func (s *scanner) checkEnd(physical bool) {
	word := string(s.src[s.last.start:s.last.end])
	where := span(s.last.start, s.last.end)
	switch {
	case physical && heads[s.line.first] && s.line.colon == 0:
		s.line.broken = lineError{where, "the colon is missing after `" + s.line.first + "`; add it at the end of the line" + notChecked}
	case s.dangling(word):
		s.line.broken = lineError{where, "the line ends after " + quote(word) + "; complete it" + notChecked}
	}
}

// dangling reports whether no statement ends with the token.
func (s *scanner) dangling(token string) bool {
	if s.last.operand {
		return connectives[token] && token != "yield"
	}
	switch token {
	case ":", ",", ";":
		return false
	case "*":
		return s.line.words >= 0 || !bytes.HasSuffix(bytes.TrimRight(s.src[:s.last.start], " \t\f"), []byte("import"))
	case ".":
		return !bytes.HasSuffix(s.src[:s.last.end], []byte("..."))
	}
	return true
}

// mendLine replaces a broken logical line, which ends at end, by a placeholder.
// The head of a compound statement stays one, so that its body still has
// somewhere to belong.
func (s *scanner) mendLine(end int) {
	if !s.line.silent {
		s.mod.Errors = append(s.mod.Errors, ast.SyntaxError{Span: s.line.broken.where, Message: s.line.broken.message})
	}
	if start := s.line.start; !heads[s.line.first] || !s.mendHead(start, end) {
		s.bad(start, end)
	}
}

// headMends are heads that parse, with a placeholder for what was broken, the
// longest that may fit first.
var headMends = map[string][]string{
	"for": {"for _ in _:", "if _:"}, "while": {"while _:", "if _:"}, "with": {"with _:", "if _:"}, "if": {"if _:"},
	"elif": {"elif _:"}, "except": {"except _:"}, "else": {"else:"}, "try": {"try:"}, "finally": {"finally:"},
	"def": {"if _:"}, "class": {"if _:"},
}

// mendHead overwrites the head from start to end by one that parses, and reports
// whether there was room for it.
func (s *scanner) mendHead(start, end int) bool {
	text := s.src[start:end]
	if tail := map[string]string{"def": "():", "class": ":"}[s.line.first]; tail != "" {
		if n := nameEnd(text); n > 0 && n+len(tail) <= len(text) {
			blank(s.out[start+n : end])
			copy(s.out[start+n:end], tail)
			return true
		}
	}
	for _, head := range headMends[s.line.first] {
		if len(head) > len(text) {
			continue
		}
		blank(s.out[start:end])
		copy(s.out[start:end], head)
		for k := range len(head) {
			if head[k] == placeholder {
				s.bad(start+k, start+k+1)
			}
		}
		return true
	}
	return false
}

// nameEnd returns where the name of a def or class ends in its text, or 0.
func nameEnd(text []byte) int {
	n := 0
	for n < len(text) {
		word := wordAt(text[n:])
		n += len(word)
		switch string(word) {
		case "async", "def", "class":
			for n < len(text) && class[text[n]] == isBlank {
				n++
			}
		case "":
			return 0
		default:
			return n
		}
	}
	return 0
}

// bad puts a placeholder in the place of the source from start to end.
func (s *scanner) bad(start, end int) {
	if s.marks == nil {
		s.marks = marks{}
	}
	s.marks[uint32(start)] = true
	for k := start; k < end; k++ {
		s.out[k] = placeholder
	}
}

// mergeState says where the scanner stands in a merge conflict.
type mergeState struct {
	open    bool // on the first side
	endless bool // no closing marker is left in the file
}

// conflict blanks a marker of a merge conflict, and the second side with it. It
// reports whether there was one where the scanner stands: at the start of a
// line. Afterwards the scanner stands at the end of what was blanked.
func (s *scanner) conflict() bool {
	rest := s.src[s.at:]
	switch {
	case bytes.HasPrefix(rest, []byte("<<<<<<< ")):
		end := s.lineEnd(s.at)
		s.mod.Errors = append(s.mod.Errors, ast.SyntaxError{
			Span:    span(s.at, end),
			Message: "a merge conflict is not resolved here; keep one side and remove the markers (only the first side is checked)",
		})
		s.merge.open = true
		s.skip(end)
	case s.merge.open && (bytes.HasPrefix(rest, []byte("=======")) || bytes.HasPrefix(rest, []byte("|||||||"))):
		s.merge.open = false
		s.skip(s.conflictEnd())
	default:
		return false
	}
	return true
}

// conflictEnd returns the end of the line with the closing marker, or of this
// line if there is none.
func (s *scanner) conflictEnd() int {
	if !s.merge.endless {
		if n := bytes.Index(s.src[s.at:], []byte("\n>>>>>>>")); n >= 0 {
			return s.lineEnd(s.at + n + 1)
		}
	}
	s.merge.endless = true
	return s.lineEnd(s.at)
}

// skip blanks the text up to end, but for the line ends outside brackets.
func (s *scanner) skip(end int) {
	for k := s.at; k < end; k++ {
		if class[s.src[k]] != isNewline || len(s.brackets) > 0 {
			s.out[k] = ' '
		}
	}
	s.at = end
}
