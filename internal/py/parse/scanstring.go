package parse

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

// stringLiteral steps over a literal that starts (with its prefix) at start; the
// scanner stands at its quote.
func (s *scanner) stringLiteral(start int) {
	raw, format := false, false
	for k := start; k < s.at; k++ {
		switch s.src[k] | 0x20 {
		case 'r':
			raw = true
		case 'f':
			format = true
		case 't':
			format = true
			s.out[k] = 'f'
		}
	}
	q := s.src[s.at]
	quotes := 1
	if s.peek(1) == q && s.peek(2) == q {
		quotes = 3
	}
	content := s.at + quotes
	end, ok := s.plainEnd(content, q, quotes)
	if format {
		formatEnd, matched := s.formatEnd(content, q, quotes, raw)
		if matched {
			end, ok = formatEnd, true
		} else {
			copy(s.out[content:formatEnd], s.src[content:formatEnd]) // undo fixes on the way
		}
		if !matched && ok {
			s.placeholder(start, end, "the braces of the f-string do not match; close them, or double those that stand for themselves")
		}
	}
	if !ok {
		s.unterminated(start, end, quotes)
	}
	s.at = end
	s.done(start, true)
}

// closes reports whether the quotes at offset k end the literal.
func (s *scanner) closes(k int, q byte, quotes int) bool {
	return s.src[k] == q && (quotes == 1 || k+2 < len(s.src) && s.src[k+1] == q && s.src[k+2] == q)
}

// plainEnd returns the end of a literal whose content starts at k, or, with
// false, where it breaks off for want of closing quotes.
func (s *scanner) plainEnd(k int, q byte, quotes int) (int, bool) {
	for k < len(s.src) {
		switch c := s.src[k]; {
		case c == '\\':
			k += 1 + max(1, s.newlineAt(k+1))
		case s.closes(k, q, quotes):
			return k + quotes, true
		case quotes == 1 && (c == '\n' || c == '\r'):
			return k, false
		default:
			k++
		}
	}
	return len(s.src), false
}

// unterminated replaces a literal without end by a placeholder.
func (s *scanner) unterminated(start, end, quotes int) {
	what := "the string is not closed on its line; add the closing quote"
	if quotes == 3 {
		what = "the triple-quoted string is never closed; add the closing quotes (until then all that follows is its text)"
	}
	s.placeholder(start, end, what)
	s.line.silent = true // it may have swallowed a closing bracket or colon
}

// placeholder replaces a literal and reports why.
func (s *scanner) placeholder(start, end int, why string) {
	s.bad(start, end)
	s.mod.Errors = append(s.mod.Errors, ast.SyntaxError{Span: span(start, end), Message: why})
}

// formatEnd is plainEnd for a literal with interpolations. It fails where the
// braces do not match.
func (s *scanner) formatEnd(k int, q byte, quotes int, raw bool) (int, bool) {
	for k < len(s.src) {
		switch c := s.src[k]; {
		case c == '\\':
			k = s.formatEscape(k, raw)
		case s.closes(k, q, quotes):
			return k + quotes, true
		case quotes == 1 && (c == '\n' || c == '\r'):
			return k, false
		case c == '{' && k+1 < len(s.src) && s.src[k+1] == '{':
			k += 2
		case c == '{':
			end, ok := s.fieldEnd(k+1, q, quotes)
			if !ok {
				return end, false
			}
			k = end
		default:
			k++
		}
	}
	return len(s.src), false
}

// formatEscape returns the end of the escape sequence at k.
func (s *scanner) formatEscape(k int, raw bool) int {
	switch {
	case k+1 >= len(s.src):
		return k + 1
	case s.src[k+1] == '{' || s.src[k+1] == '}':
		return k + 1
	case !raw && s.src[k+1] == 'N' && k+2 < len(s.src) && s.src[k+2] == '{':
		for k < len(s.src) && s.src[k] != '}' && s.src[k] != '\n' {
			k++
		}
		return k
	}
	return k + 1 + max(1, s.newlineAt(k+1))
}

// fieldEnd returns the end of the interpolation whose expression starts at k.
func (s *scanner) fieldEnd(k int, q byte, quotes int) (int, bool) {
	depth := 0
	for k < len(s.src) {
		switch c := s.src[k]; {
		case c == '\'' || c == '"':
			end, ok := s.nested(k)
			if !ok {
				return end, false
			}
			k = end
			continue
		case c == '#':
			start := k
			k = s.lineEnd(k)
			blank(s.out[start:k])
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == '}' && depth == 0:
			return k + 1, true
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ':' && depth == 0:
			return s.specEnd(k+1, q, quotes)
		case depth < 0:
			return k, false
		}
		k++
	}
	return len(s.src), false
}

// nested returns the end of a literal inside an interpolation.
func (s *scanner) nested(k int) (int, bool) {
	q := s.src[k]
	quotes := 1
	if k+2 < len(s.src) && s.src[k+1] == q && s.src[k+2] == q {
		quotes = 3
	}
	prefix := k
	for prefix > 0 && k-prefix < 2 && class[s.src[prefix-1]] == isWord {
		prefix--
	}
	raw, format := false, false
	for _, c := range s.src[prefix:k] {
		raw = raw || c|0x20 == 'r'
		format = format || c|0x20 == 'f' || c|0x20 == 't'
	}
	if !format {
		return s.plainEnd(k+quotes, q, quotes)
	}
	if s.nesting == maxNesting {
		return k, false
	}
	s.nesting++
	end, ok := s.formatEnd(k+quotes, q, quotes, raw)
	s.nesting--
	return end, ok
}

// maxNesting bounds how deeply f-strings may be nested in each other. Without a
// bound a file of nothing but openings would be scanned from each to its end.
const maxNesting = 32

// specEnd returns the end of the interpolation whose format starts at k. An
// equals sign at its start would make a walrus of the colon.
func (s *scanner) specEnd(k int, q byte, quotes int) (int, bool) {
	if k < len(s.src) && s.src[k] == '=' {
		s.out[k] = ' '
	}
	for k < len(s.src) {
		switch c := s.src[k]; {
		case c == '}':
			return k + 1, true
		case c == '{':
			end, ok := s.fieldEnd(k+1, q, quotes)
			if !ok {
				return end, false
			}
			k = end
			continue
		case s.closes(k, q, quotes), quotes == 1 && c == '\n':
			return k, false
		}
		k++
	}
	return len(s.src), false
}
