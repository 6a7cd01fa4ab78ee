package source

import (
	"bytes"
	"sort"
)

// Lines returns the index of the whole text. Rows run through all cells of a
// notebook; Position and Span count within a cell.
func (f *File) Lines() *Lines {
	f.linesOnce.Do(func() { f.lines = NewLines(f.Text) })
	return f.lines
}

// CellAt returns the cell that holds an offset, nil where there are no cells.
// The end of the text belongs to the last cell.
func (f *File) CellAt(offset int) *Cell {
	if len(f.Cells) == 0 {
		return nil
	}
	i := sort.Search(len(f.Cells), func(i int) bool { return f.Cells[i].End > offset })
	return &f.Cells[min(i, len(f.Cells)-1)]
}

// Position returns the row and column of an offset for people: in its cell for
// a notebook.
func (f *File) Position(offset int) Position {
	_, from, _ := f.Span(offset, offset)
	return from
}

// Span returns the positions of the two ends of a range and the number of the
// cell that holds its start, 0 where there are no cells. Both count rows in that
// cell, so that a range up to its very end stays in it.
func (f *File) Span(start, end int) (cell int, from, to Position) {
	lines := f.Lines()
	from, to = lines.Position(start), lines.Position(end)
	if c := f.CellAt(start); c != nil {
		above := lines.Row(c.Start) - 1
		from.Row -= above
		to.Row -= above
		cell = c.Number
	}
	return cell, from, to
}

// Offset returns the offset of a position in a cell (0 where there are no
// cells). It is false where the cell does not exist.
func (f *File) Offset(cell int, p Position) (offset int, ok bool) {
	if len(f.Cells) == 0 {
		return f.Lines().Offset(p), cell == 0
	}
	i := sort.Search(len(f.Cells), func(i int) bool { return f.Cells[i].Number >= cell })
	if i == len(f.Cells) || f.Cells[i].Number != cell {
		return 0, false
	}
	c := f.Cells[i]
	p.Row = max(p.Row, 1) + f.Lines().Row(c.Start) - 1
	return min(f.Lines().Offset(p), c.End), true
}

// LineText returns the line that holds an offset as its author wrote it, IPython
// commands included, without its line end.
func (f *File) LineText(offset int) string {
	row := f.Lines().Row(offset)
	return f.Original(f.Lines().Start(row), f.Lines().End(row))
}

// Original returns a part of the text for people: with its IPython commands, but
// with a \n for each lone carriage return. The part must cut no command.
func (f *File) Original(start, end int) string {
	text := bytes.Clone(f.Text[start:end])
	for _, m := range f.masksIn(start, end) {
		copy(text[m.Start-start:], m.Original)
	}
	return string(text)
}
