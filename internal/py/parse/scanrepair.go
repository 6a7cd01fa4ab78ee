package parse

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

// repairLine replaces a broken logical line, which ends at end, by a placeholder.
// The head of a compound statement stays one, so that its body still has
// somewhere to belong; it reports whether it did.
func (s *scanner) repairLine(end int) bool {
	if !s.line.silent {
		s.mod.Errors = append(s.mod.Errors, ast.SyntaxError{Span: s.line.broken.where, Message: s.line.broken.message})
	}
	start := s.line.start
	if !s.line.broken.alone && (heads[s.line.first] || s.src[s.last.start] == ':') && s.repairHead(start, end) {
		if s.line.first == "" {
			s.top().head = "if" // so that it may have an else
		}
		return true
	}
	s.bad(start, end)
	return false
}

// headMends are heads that parse, with a placeholder for what was broken, the
// longest that may fit first.
var headMends = map[string][]string{
	"for": {"for _ in _:", "if _:"}, "while": {"while _:", "if _:"}, "with": {"with _:", "if _:"}, "if": {"if _:"},
	"elif": {"elif _:"}, "except": {"except _:"}, "else": {"else:"}, "try": {"try:"}, "finally": {"finally:"},
	"def": {"if _:"}, "class": {"if _:"}, "": {"if _:"},
}

// repairHead overwrites the head from start to end by one that parses, and reports
// whether there was room for it.
func (s *scanner) repairHead(start, end int) bool {
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
