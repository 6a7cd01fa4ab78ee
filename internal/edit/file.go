package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/source"
)

// ApplyFile returns the file as it is after the edits, with cells and masks
// moved along; the argument does not change. Line ends of new text become those
// of the file. It fails, with no file, where the edits overlap, where one leaves
// its notebook cell, and where one would touch an IPython command, which the
// text shows as blanks.
func ApplyFile(f *source.File, edits []Edit) (*source.File, error) {
	sorted, err := Sorted(edits, len(f.Text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if err := checkGuarded(f, sorted); err != nil {
		return nil, err
	}
	s := splicer{file: f, text: make([]byte, 0, len(f.Text)+growth(sorted))}
	if f.Cells == nil {
		s.splice(0, len(f.Text), sorted)
		return f.Derive(s.text, nil, s.masks), nil
	}
	if err := s.spliceCells(sorted); err != nil {
		return nil, err
	}
	return f.Derive(s.text, s.cells, s.masks), nil
}

// checkGuarded refuses edits that touch an IPython command.
func checkGuarded(f *source.File, edits []Edit) error {
	for _, e := range edits {
		i, _ := slices.BinarySearchFunc(f.Masks, e.Start+1, func(m source.Mask, at int) int { return m.End - at })
		for ; i < len(f.Masks) && f.Masks[i].Start < e.End; i++ {
			if m := f.Masks[i]; m.Guarded {
				return fmt.Errorf("%s: an edit would change the IPython command %q", f.Path, m.Original)
			}
		}
	}
	return nil
}

// A splicer builds the text of an edited file.
type splicer struct {
	file  *source.File
	text  []byte
	cells []source.Cell
	masks []source.Mask
	mask  int // next mask of the file
}

// splice appends the text from start to end with its edits.
func (s *splicer) splice(start, end int, edits []Edit) {
	at := start
	for _, e := range edits {
		s.keep(at, e.Start)
		s.add(e.New)
		at = e.End
	}
	s.keep(at, end)
}

// keep appends a part of the old text and the masks that lie within it.
func (s *splicer) keep(start, end int) {
	masks := s.file.Masks
	for s.mask < len(masks) && masks[s.mask].Start < start {
		s.mask++
	}
	for ; s.mask < len(masks) && masks[s.mask].End <= end; s.mask++ {
		m := masks[s.mask]
		m.Start += len(s.text) - start
		m.End += len(s.text) - start
		s.masks = append(s.masks, m)
	}
	s.text = append(s.text, s.file.Text[start:end]...)
}

// add appends new text with the line ends of the file.
func (s *splicer) add(text string) {
	switch s.file.Newline {
	case source.CRLF:
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	case source.CR:
		text = strings.ReplaceAll(text, "\r\n", "\n")
		for i, c := range []byte(text) {
			if at := len(s.text) + i; c == '\n' {
				s.masks = append(s.masks, source.Mask{Start: at, End: at + 1, Original: "\r"})
			}
		}
	}
	s.text = append(s.text, text...)
}

// spliceCells appends all cells with their edits.
func (s *splicer) spliceCells(edits []Edit) error {
	byCell, err := assign(s.file, edits)
	if err != nil {
		return err
	}
	for i, c := range s.file.Cells {
		start := len(s.text)
		s.splice(c.Start, c.End, byCell[i])
		if len(s.text) == start || s.text[len(s.text)-1] != '\n' {
			s.text = append(s.text, '\n')
		}
		c.Start, c.End = start, len(s.text)
		s.cells = append(s.cells, c)
	}
	return nil
}

// assign finds the cell of each edit, as an index into the file's cells.
func assign(f *source.File, edits []Edit) (map[int][]Edit, error) {
	byCell := map[int][]Edit{}
	for _, e := range edits {
		i := cellOf(f, e)
		if i < 0 {
			return nil, fmt.Errorf("%s: an edit of bytes %d to %d does not lie within one cell of Python", f.Path, e.Start, e.End)
		}
		byCell[i] = append(byCell[i], e)
	}
	return byCell, nil
}

// cellOf returns the index of the cell that takes an edit, -1 for none. Where
// one could go to either of two, it goes to the earlier: at the start of a cell
// there may be a %%magic that has to come first.
func cellOf(f *source.File, e Edit) int {
	i, _ := slices.BinarySearchFunc(f.Cells, e.Start, func(c source.Cell, at int) int { return c.End - at })
	for ; i < len(f.Cells) && f.Cells[i].Start <= e.Start; i++ {
		if c := f.Cells[i]; e.End <= c.End && !c.Foreign && !beforeMagic(f, c, e) {
			return i
		}
	}
	return -1
}

// beforeMagic says whether an edit would put text before the %%magic of a cell.
func beforeMagic(f *source.File, c source.Cell, e Edit) bool {
	i, _ := slices.BinarySearchFunc(f.Masks, e.Start, func(m source.Mask, at int) int { return m.Start - at })
	return i < len(f.Masks) && f.Masks[i].Leading && f.Masks[i].Start < c.End
}
