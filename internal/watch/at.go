// Package watch is `rlvet watch`: what people paste prints for. It runs a program and writes down
// what its expressions are, by update, mini-epoch and seed, without a change of the program.
//
// Input: a [Request]: a program, and places such as "loss.py:42" or "adv.std()@ppo.py:88"; with
// none, those that inference knows to be ratio, advantages, losses ..., and those whose names say so.
// Output: a [Result], as text, CSV, JSON and a page.
//
// Limits: what is watched is told by the syntax; updates and mini-epochs are the loops around a
// place and the calls of its function, not what a trainer calls so.
package watch

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// At is a place to watch.
type At struct {
	// Expression is evaluated behind the line; "" watches what stands there.
	Expression   string
	File         string
	Cell         int // of a notebook, from 1; 0 elsewhere
	Line, Column int // from 1; Column 0 where none is given
}

var place = regexp.MustCompile(`^(.+?)(?::cell (\d{1,6}))?:(\d{1,9})(?::(\d{1,9}))?$`)

// ParseAt reads FILE:LINE, FILE:LINE:COLUMN or EXPRESSION@FILE:LINE; in a notebook the file is followed by ":cell N".
func ParseAt(text string) (At, error) {
	var a At
	rest := text
	if at := strings.LastIndex(text, "@"); at >= 0 {
		a.Expression, rest = strings.TrimSpace(text[:at]), text[at+1:]
		if a.Expression == "" {
			return a, fmt.Errorf("%q: the expression before @ is empty", text)
		}
	}
	m := place.FindStringSubmatch(rest)
	if m == nil {
		return a, fmt.Errorf("%q is no place: write FILE:LINE, or EXPRESSION@FILE:LINE such as \"adv.std()@ppo.py:88\"", text)
	}
	a.File = m[1]
	a.Cell, _ = strconv.Atoi("0" + m[2]) // digits by the pattern, or nothing
	a.Line, _ = strconv.Atoi(m[3])
	a.Column, _ = strconv.Atoi("0" + m[4])
	if a.Line == 0 || m[2] != "" && a.Cell == 0 || m[4] != "" && (a.Column == 0 || a.Expression != "") {
		return a, fmt.Errorf("%q: cells, lines and columns count from 1, and a column goes with no expression", text)
	}
	return a, nil
}

// Where is the file and the line.
func (a At) Where() string {
	if a.Cell > 0 {
		return fmt.Sprintf("%s:cell %d:%d", a.File, a.Cell, a.Line)
	}
	return fmt.Sprintf("%s:%d", a.File, a.Line)
}

// String is the place as it is written.
func (a At) String() string {
	s := a.Where()
	if a.Column > 0 {
		s += fmt.Sprintf(":%d", a.Column)
	}
	if a.Expression != "" {
		s = a.Expression + "@" + s
	}
	return s
}
