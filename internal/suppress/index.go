package suppress

import "slices"

// index finds the directive for a finding without looking at all of them: a
// generated file may have tens of thousands of both. It rests on what the
// scanner gives: a directive takes effect on one row, or on the rows of a whole
// logical line, and logical lines do not overlap.
type index struct {
	whole  map[string]*resolved // by code, of directives for the file
	rows   map[place]*resolved  // of directives for one row
	lines  map[place]*resolved  // of directives for several rows, by the first one
	starts []int                // the first rows in lines, ascending
	last   map[int]int          // by first row, the last one
}

// place is a row and a code; the code is "" for every rule.
type place struct {
	row  int
	code string
}

// newIndex takes the directives in the order of the text: the earliest one of a
// place wins.
func newIndex(directives []*resolved) *index {
	ix := &index{whole: map[string]*resolved{}, rows: map[place]*resolved{}, lines: map[place]*resolved{}, last: map[int]int{}}
	for _, d := range directives {
		for _, code := range d.covered() {
			switch {
			case d.Kind == WholeFile:
				setOnce(ix.whole, code, d)
			case d.First == d.Last:
				setOnce(ix.rows, place{d.First, code}, d)
			default:
				setOnce(ix.lines, place{d.First, code}, d)
				ix.last[d.First] = d.Last
			}
		}
	}
	for first := range ix.last {
		ix.starts = append(ix.starts, first)
	}
	slices.Sort(ix.starts)
	return ix
}

func setOnce[K comparable](m map[K]*resolved, key K, d *resolved) {
	if m[key] == nil {
		m[key] = d
	}
}

// covered returns the codes of the findings that d hides where it takes effect;
// "" is every one.
func (d *resolved) covered() []string {
	if d.Kind == Malformed {
		return nil
	}
	if d.Kind == Noqa && len(d.Rules) == 0 {
		return []string{""}
	}
	var out []string
	for _, code := range d.codes {
		if code != "" {
			out = append(out, code)
		}
	}
	return out
}

// find returns the directive that hides a finding of code that is on either row,
// or nil. The nearest form wins: a line's comment before one for the file.
func (ix *index) find(code string, rows ...int) *resolved {
	var best *resolved
	better := func(d *resolved) {
		if d != nil && (best == nil || d.Start < best.Start) {
			best = d
		}
	}
	for _, row := range rows {
		for _, c := range []string{code, ""} {
			better(ix.rows[place{row, c}])
			if first, ok := ix.line(row); ok {
				better(ix.lines[place{first, c}])
			}
		}
	}
	if best == nil {
		best = ix.whole[code]
	}
	return best
}

// line returns the first row of the logical line with directives in which row
// lies.
func (ix *index) line(row int) (first int, ok bool) {
	i, found := slices.BinarySearch(ix.starts, row)
	if !found {
		i--
	}
	if i < 0 {
		return 0, false
	}
	first = ix.starts[i]
	return first, row <= ix.last[first]
}
