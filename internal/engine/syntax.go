package engine

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/source"
)

// manyErrors is how many lines of a file are named one by one as not
// understood. Who fixes those sees the next ones.
const manyErrors = 5

// syntaxProblems says which lines of a file the parser did not understand: what
// a rule could have said of them is not known, so they are fatal. A program with
// a slip or two gets a problem for each line; a file that is another language
// gets one in all.
func syntaxProblems(f *source.File, errors []ast.SyntaxError) []finding.Problem {
	var out []finding.Problem
	for _, e := range errors {
		p := problemAt(f, e)
		if n := len(out); n == 0 || out[n-1].Line != p.Line || out[n-1].Cell != p.Cell {
			out = append(out, p)
		}
	}
	lines := codeLines(f.Text)
	switch n := len(out); {
	case hardlyPython(n, lines):
		what, _, _ := strings.Cut(out[0].Message, "; ")
		out[0].Message = fmt.Sprintf(
			"this is hardly Python 3: %d of its %d lines are not understood, and here the first (%s); port the file, or leave it out with exclude", n, max(n, lines), what)
		return out[:1]
	case n > manyErrors+1:
		out[manyErrors].Message = fmt.Sprintf(
			"%s (this and %d lines below it are not understood; fix the first ones and check again)", out[manyErrors].Message, n-manyErrors-1)
		return out[:manyErrors+1]
	}
	return out
}

// hardlyPython reports whether so many lines are wrong that a person would not
// fix them one by one.
func hardlyPython(wrong, lines int) bool {
	return wrong > 2 && 2*wrong > lines || wrong > 2*manyErrors && 10*wrong > lines
}

// codeLines counts the lines that hold something.
func codeLines(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

func problemAt(f *source.File, e ast.SyntaxError) finding.Problem {
	cell, from, _ := f.Span(int(e.Span.Start), int(e.Span.End))
	return finding.Problem{File: f.Path, Cell: cell, Line: from.Row, Message: e.Message, Fatal: true}
}
