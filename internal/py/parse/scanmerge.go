package parse

import (
	"bytes"

	"github.com/rlvet/rlvet/internal/py/ast"
)

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
