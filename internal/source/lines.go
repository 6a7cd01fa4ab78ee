package source

import (
	"bytes"
	"sort"
)

// checkpointEvery is the distance in bytes between two known column counts in
// text that is not ASCII. It bounds the work for a column in a line of any
// length.
const checkpointEvery = 1024

// Lines maps byte offsets of a text to lines and columns and back. A line ends
// after \n; the \r of \r\n belongs to the line it ends. Rows count from 1.
// Building it costs one pass, each question O(log n).
type Lines struct {
	text   []byte
	starts []int32 // offset of each line
	// counts[i] is what lies before offset i*checkpointEvery; nil for ASCII.
	counts []count
}

// A count is a number of characters.
type count struct {
	runes, units int32 // code points, UTF-16 units
}

// NewLines indexes a text of at most 2 GiB.
func NewLines(text []byte) *Lines {
	l := &Lines{text: text, starts: make([]int32, 1, 1+bytes.Count(text, []byte("\n")))}
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		l.starts = append(l.starts, int32(at))
	}
	if nonASCII(text) >= 0 {
		l.countCharacters()
	}
	return l
}

// countCharacters fills the checkpoints.
func (l *Lines) countCharacters() {
	var sum count
	for at := 0; at < len(l.text); at += checkpointEvery {
		l.counts = append(l.counts, sum)
		sum.add(l.text[at:min(at+checkpointEvery, len(l.text))])
	}
}

// add counts the characters that start in text. UTF-8 continuation bytes count
// nothing, so that text may be cut anywhere; four-byte characters are two units.
func (c *count) add(text []byte) {
	for _, b := range text {
		if b < 0x80 || b >= 0xC0 {
			c.runes++
			c.units++
		}
		if b >= 0xF0 {
			c.units++
		}
	}
}

// Count returns the number of lines, at least 1.
func (l *Lines) Count() int { return len(l.starts) }

// Row returns the 1-based row of an offset. Offsets outside the text are moved
// to its nearest end, here and in all methods.
func (l *Lines) Row(offset int) int {
	return max(1, sort.Search(len(l.starts), func(i int) bool { return int(l.starts[i]) > offset }))
}

// Start returns the offset at which a row starts.
func (l *Lines) Start(row int) int {
	switch {
	case row < 1:
		return 0
	case row > len(l.starts):
		return len(l.text)
	}
	return int(l.starts[row-1])
}

// End returns the offset after the last byte of a row, before its line end.
func (l *Lines) End(row int) int {
	start, end := l.Start(row), l.Start(row+1)
	line := bytes.TrimSuffix(l.text[start:end], []byte("\n"))
	return start + len(bytes.TrimSuffix(line, []byte("\r")))
}

// Position returns row and column of an offset, the column in code points.
func (l *Lines) Position(offset int) Position {
	row, n := l.measure(offset)
	return Position{Row: row, Column: int(n.runes) + 1}
}

// Offset returns the offset of a position. A column beyond the line means its
// end, before the line end.
func (l *Lines) Offset(p Position) int {
	return l.seek(p.Row, p.Column-1, func(c count) int32 { return c.runes })
}

// UTF16 returns the 0-based line and UTF-16 column of an offset, as the
// Language Server Protocol counts.
func (l *Lines) UTF16(offset int) (line, character int) {
	row, n := l.measure(offset)
	return row - 1, int(n.units)
}

// OffsetUTF16 returns the offset of a 0-based line and UTF-16 column. A column
// within a character means its start, one beyond the line its end.
func (l *Lines) OffsetUTF16(line, character int) int {
	return l.seek(line+1, character, func(c count) int32 { return c.units })
}

// ByteColumn returns the 1-based row and 0-based column in UTF-8 bytes of an
// offset, as CPython's lineno and col_offset count.
func (l *Lines) ByteColumn(offset int) (row, column int) {
	offset = l.clamp(offset)
	row = l.Row(offset)
	return row, offset - l.Start(row)
}

// clamp moves an offset into the text.
func (l *Lines) clamp(offset int) int { return max(0, min(offset, len(l.text))) }

// measure returns the row of an offset and the characters before it in its line.
func (l *Lines) measure(offset int) (row int, before count) {
	row, column := l.ByteColumn(offset)
	if l.counts == nil {
		return row, count{int32(column), int32(column)}
	}
	start := l.Start(row)
	if column <= checkpointEvery {
		before.add(l.text[start : start+column])
		return row, before
	}
	from, to := l.before(start), l.before(start+column)
	return row, count{to.runes - from.runes, to.units - from.units}
}

// before counts the characters before an offset in text that is not ASCII.
func (l *Lines) before(offset int) count {
	i := min(offset/checkpointEvery, len(l.counts)-1)
	n := l.counts[i]
	n.add(l.text[i*checkpointEvery : offset])
	return n
}

// seek returns the offset in a row before which a number of characters lie, as
// counted by the given measure.
func (l *Lines) seek(row, column int, measure func(count) int32) int {
	if row < 1 {
		return 0
	}
	start, end := l.Start(row), l.End(row)
	if l.counts == nil {
		return min(start+max(column, 0), end)
	}
	first := measure(l.before(start))
	length := end - start
	// Only a byte that starts a character raises the count, so that is what the
	// search finds.
	return start + sort.Search(length, func(i int) bool {
		return int(measure(l.before(start+i+1))-first) > column
	})
}
