package parse

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// open notes an opening bracket.
func (s *scanner) open() {
	s.begin()
	if len(s.brackets) == 0 && s.src[s.at] == '[' {
		switch s.line.first {
		case "def", "class", "type":
			s.line.typeParams = s.line.words >= 2
		}
	}
	s.brackets = append(s.brackets, bracket{s.src[s.at], s.at, s.subscripted()})
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
		s.subscriptedAgain(s.brackets[n].name)
		s.brackets = s.brackets[:n]
	}
	if n == 0 {
		s.line.typeParams = false
	}
	s.at++
	s.done(s.at-1, true)
}

// subscripted returns the name that the bracket at the scanner's place subscripts
// in what may be an annotation, or nothing.
func (s *scanner) subscripted() token {
	in := s.line.annotated || s.line.typeParams || s.line.first == "type" || s.line.first == "def" && s.line.colon == 0
	if !in || len(s.brackets) == 0 && s.line.typeParams || s.src[s.at] != '[' || class[s.src[s.last.start]] != isWord || isDigit(s.src[s.last.start]) ||
		s.last.start > 0 && s.src[s.last.start-1] == '.' {
		return token{}
	}
	switch word := string(s.src[s.last.start:s.last.end]); {
	case connectives[word], word == "None", word == "True", word == "False":
		return token{}
	}
	return s.last
}

// subscriptedAgain overwrites a name with digits where its subscript, which ends
// at the scanner's place, is subscripted, called, asked for an attribute, or the
// left side of an operator other than |. In an annotation the grammar allows a
// name one subscript, and a number, as any other value, what Python allows. The
// number is read as a name from the original.
func (s *scanner) subscriptedAgain(name token) {
	if name.end == 0 {
		return
	}
	s.at++
	rest := s.afterBlanks()
	s.at--
	if len(rest) > 0 && (rest[0] == '[' || rest[0] == '(' || rest[0] == '.' || operates(rest)) {
		for k := name.start; k < name.end; k++ {
			s.out[k] = '1'
		}
	}
}

// operates reports whether what follows an operand is an operator other than |.
func operates(rest []byte) bool {
	switch rest[0] {
	case '+', '*', '/', '%', '&', '^', '@', '<', '>':
		return true
	case '-':
		return len(rest) == 1 || rest[1] != '>'
	case '=', '!':
		return len(rest) > 1 && rest[1] == '='
	}
	switch string(wordAt(rest)) {
	case "or", "and", "if", "is", "in", "not":
		return true
	}
	return false
}

// repairOperator overwrites punctuation that the grammar does not know: the
// default of a type parameter, which it reads where its bound may stand; several
// exceptions without parentheses, which it reads as a union; the star of except,
// which must follow at once; and, for which another unary operator serves, the
// star before a display in a bare tuple and before the annotation of *args.
func (s *scanner) repairOperator(c byte) {
	switch {
	case c == '*' && s.line.first == "except" && s.line.words == 1 && s.last.end < s.at:
		s.out[s.last.end], s.out[s.at] = '*', ' '
	case c == '*' && (len(s.brackets) == 0 && s.starsLiteral() || s.starsAnnotation()):
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
	switch next := s.peek(1); {
	case class[next] == isOpen, class[next] == isQuote, isDigit(next), next == '-', next == '+', next == '~':
	default:
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

// starsAnnotation reports whether the star where the scanner stands unpacks the
// annotation of a parameter.
func (s *scanner) starsAnnotation() bool {
	return s.line.first == "def" && len(s.brackets) == 1 && s.brackets[0].char == '(' && s.src[s.last.start] == ':'
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
		s.line.broken = lineError{where: span(at, at+1), message: visible(s.src[at]) + " " + what + Skipped}
	}
}

// visible returns the character for a message.
func visible(c byte) string {
	if c < ' ' || c >= 0x7f {
		return fmt.Sprintf("the byte 0x%02x", c)
	}
	if c == '`' {
		return "`"
	}
	return "`" + string(rune(c)) + "`"
}

// Skipped ends the message of an error on whose account a check leaves out a statement.
const Skipped = " (the statement is skipped)"

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
			s.line.broken = lineError{where: span(k, k+n), message: what + Skipped}
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
	if s.last.end-s.last.start > len("continue") && s.line.first == "" {
		return // a name or literal, as most lines end
	}
	word := string(s.src[s.last.start:s.last.end])
	where := span(s.last.start, s.last.end)
	switch {
	case physical && heads[s.line.first] && s.line.colon == 0:
		s.line.broken = lineError{where: where, message: "the colon is missing after `" + s.line.first + "`; add it at the end of the line" + Skipped}
	case s.dangling(word) && word == ":":
		s.line.broken = lineError{where: where, message: "the line ends with a colon, but no statement with a block begins like it; check its first word" + Skipped}
	case s.dangling(word):
		s.line.broken = lineError{where: where, message: "the line ends after " + quote(word) + "; complete it" + Skipped}
	}
}

// dangling reports whether no statement ends with the token.
func (s *scanner) dangling(token string) bool {
	if s.last.operand {
		return connectives[token] && token != "yield"
	}
	switch token {
	case ",", ";":
		return false
	case ":":
		first := string(wordAt(s.src[s.line.start:s.last.start]))
		return s.line.colon == 0 && first != "match" && first != "case"
	case "*":
		return s.line.words >= 0 || !bytes.HasSuffix(bytes.TrimRight(s.src[:s.last.start], " \t\f\\\r\n"), []byte("import"))
	case ".":
		return !bytes.HasSuffix(s.src[:s.last.end], []byte("..."))
	}
	return true
}
