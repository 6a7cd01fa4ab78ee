package edit

import (
	"slices"
	"strings"
)

// bracket is a pair of brackets that a fix inserts: before the byte at start, and before
// the one at end.
type bracket struct{ start, end int }

// bracketsOf returns the pairs that the insertions of a fix open at one place and close
// at another.
func bracketsOf(fix []Edit) []bracket {
	var out []bracket
	var open []int
	for _, e := range slices.SortedFunc(slices.Values(fix), compare) {
		if e.Start != e.End {
			continue
		}
		for _, c := range e.New {
			switch {
			case strings.ContainsRune("([{", c):
				open = append(open, e.Start)
			case strings.ContainsRune(")]}", c) && len(open) > 0:
				if start := open[len(open)-1]; start < e.Start {
					out = append(out, bracket{start, e.Start})
				}
				open = open[:len(open)-1]
			}
		}
	}
	return out
}

// anyCross says whether a pair of one list and a pair of the other hold a part of the
// text in common, and each a part alone.
func anyCross(a, b []bracket) bool {
	for _, x := range a {
		for _, y := range b {
			if x.start < y.start && y.start < x.end && x.end < y.end || y.start < x.start && x.start < y.end && y.end < x.end {
				return true
			}
		}
	}
	return false
}
