// Package edit changes program texts: it applies edits, chooses the fixes that
// can be applied together, inserts imports, shows differences and writes files.
//
// Inputs are edits in bytes of source.File.Text; outputs are texts, files with
// their cells and masks moved along, unified diffs, and files on disk that keep
// their encoding, byte order mark, line ends, mode and, where the system allows
// it, owner. Limits: hard links and extended attributes are not kept, since a
// file is replaced as a whole to be atomic.
package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Edit replaces the bytes of a text from Start up to End by New. An edit with
// Start == End inserts.
type Edit struct {
	Start, End int
	New        string
}

// compare orders edits by place, insertions first, and then by text.
func compare(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.New, b.New))
}

// Sorted returns the edits in order of place, equal ones once. It fails where an
// edit lies outside of a text of the given length or two edits overlap; two
// different insertions at one place overlap, since their order is open.
func Sorted(edits []Edit, length int) ([]Edit, error) {
	sorted := slices.Clone(edits)
	slices.SortFunc(sorted, compare)
	sorted = slices.Compact(sorted)
	for i, e := range sorted {
		if e.Start < 0 || e.End < e.Start || e.End > length {
			return nil, fmt.Errorf("edit of bytes %d to %d is outside of a text of %d bytes", e.Start, e.End, length)
		}
		if i > 0 && overlap(sorted[i-1], e) {
			return nil, fmt.Errorf("edits of bytes %d to %d and %d to %d overlap", sorted[i-1].Start, sorted[i-1].End, e.Start, e.End)
		}
	}
	return sorted, nil
}

// overlap says whether two different edits cannot both be applied. a does not
// start after b.
func overlap(a, b Edit) bool {
	return b.Start < a.End || a.Start == b.Start && a.End == b.End
}

// Apply returns text with the edits, which may come in any order. It fails, with
// no text, where Sorted does.
func Apply(text []byte, edits []Edit) ([]byte, error) {
	sorted, err := Sorted(edits, len(text))
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(text)+growth(sorted))
	at := 0
	for _, e := range sorted {
		out = append(out, text[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return append(out, text[at:]...), nil
}

// growth returns by how much edits lengthen a text, at least 0.
func growth(edits []Edit) int {
	n := 0
	for _, e := range edits {
		n += len(e.New) - (e.End - e.Start)
	}
	return max(n, 0)
}

// Moved returns where a range of the text lies after edits that do not overlap. What is
// inserted at its borders is not part of it.
func Moved(edits []Edit, start, end int) (int, int) {
	from, to := start, end
	for _, e := range edits {
		grow := len(e.New) - (e.End - e.Start)
		switch {
		case e.End <= start:
			from, to = from+grow, to+grow
		case e.Start < end:
			to += grow
		}
	}
	return from, to
}

// MovedAround returns where the range lies that covers a range of the text and all
// edits: what a fix made of it. Lines that are inserted elsewhere only move it.
func MovedAround(edits []Edit, start, end int) (int, int) {
	from, to, moved, grow := start, end, 0, 0
	for _, e := range edits {
		switch longer := len(e.New) - (e.End - e.Start); {
		case !e.AddsLines():
			from, to = min(from, e.Start), max(to, e.End)
			grow += longer
		case e.Start < start:
			moved += longer
		}
	}
	return from + moved, to + moved + grow
}

// AddsLines reports whether an edit only inserts whole lines, as an import.
func (e Edit) AddsLines() bool {
	return e.Start == e.End && (strings.HasPrefix(e.New, "\n") || strings.HasSuffix(e.New, "\n"))
}
