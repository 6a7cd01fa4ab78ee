package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/source"
)

// ApplyFile returns the file as it is after the edits, with all its maps moved
// along; the argument does not change. Line ends of new text become those
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
	s := splicer{file: f}
	s.out.Text = make([]byte, 0, len(f.Text)+growth(sorted))
	if f.Cells == nil {
		s.splice(0, len(f.Text), sorted)
	} else if err := s.spliceCells(sorted); err != nil {
		return nil, err
	}
	return f.Derive(s.out), nil
}

// checkGuarded refuses edits that touch an IPython command.
func checkGuarded(f *source.File, edits []Edit) error {
	for _, e := range edits {
		i, _ := slices.BinarySearchFunc(f.Masks, e.Start+1, func(m source.Mask, at int) int { return m.End - at })
		if i < len(f.Masks) && f.Masks[i].Start < e.End {
			return fmt.Errorf("%s: an edit would change the IPython command %q", f.Path, f.Masks[i].Original)
		}
	}
	return nil
}

// A splicer builds the program of an edited file.
type splicer struct {
	file *source.File
	out  source.Program
	// The next mask and carriage return of the file that were not passed yet.
	mask, ret int
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

// keep appends a part of the old text with its masks and carriage returns.
// Commands lie in parts that are kept; carriage returns between two parts went
// with the text that an edit replaced.
func (s *splicer) keep(start, end int) {
	shift := len(s.out.Text) - start
	masks, returns := s.file.Masks, s.file.Returns
	for ; s.mask < len(masks) && masks[s.mask].Start < end; s.mask++ {
		m := masks[s.mask]
		m.Start, m.End = m.Start+shift, m.End+shift
		s.out.Masks = append(s.out.Masks, m)
	}
	for ; s.ret < len(returns) && int(returns[s.ret]) < end; s.ret++ {
		if at := int(returns[s.ret]); at >= start {
			s.out.Returns = append(s.out.Returns, int32(at+shift))
		}
	}
	s.out.Text = append(s.out.Text, s.file.Text[start:end]...)
}

// add appends new text with the line ends of the file.
func (s *splicer) add(text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch s.file.Newline {
	case source.CRLF:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case source.CR:
		for i, c := range []byte(text) {
			if c == '\n' {
				s.out.Returns = append(s.out.Returns, int32(len(s.out.Text)+i))
			}
		}
	}
	s.out.Text = append(s.out.Text, text...)
}

// spliceCells appends all cells with their edits.
func (s *splicer) spliceCells(edits []Edit) error {
	byCell, err := assign(s.file, edits)
	if err != nil {
		return err
	}
	s.out.Cells = make([]source.Cell, 0, len(s.file.Cells))
	for i, c := range s.file.Cells {
		start := len(s.out.Text)
		s.splice(c.Start, c.End, byCell[i])
		if len(s.out.Text) == start || s.out.Text[len(s.out.Text)-1] != '\n' {
			s.out.Text = append(s.out.Text, '\n')
		}
		c.Start, c.End = start, len(s.out.Text)
		s.out.Cells = append(s.out.Cells, c)
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
