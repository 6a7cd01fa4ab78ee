package source

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPositions(t *testing.T) {
	// é is two bytes and one unit, 𝛑 four bytes and two units.
	l := NewLines([]byte("ab\r\né𝛑x\n\nend"))
	tests := []struct {
		offset, row, column, units, bytes int
	}{
		{0, 1, 1, 0, 0}, {1, 1, 2, 1, 1}, {2, 1, 3, 2, 2}, {3, 1, 4, 3, 3},
		{4, 2, 1, 0, 0}, {6, 2, 2, 1, 2}, {10, 2, 3, 3, 6}, {11, 2, 4, 4, 7},
		{12, 3, 1, 0, 0}, {13, 4, 1, 0, 0}, {16, 4, 4, 3, 3},
		{99, 4, 4, 3, 3}, // outside: the end
	}
	for _, test := range tests {
		if got, want := l.Position(test.offset), (Position{test.row, test.column}); got != want {
			t.Errorf("Position(%d) = %v, want %v", test.offset, got, want)
		}
		if line, character := l.UTF16(test.offset); line != test.row-1 || character != test.units {
			t.Errorf("UTF16(%d) = %d, %d, want %d, %d", test.offset, line, character, test.row-1, test.units)
		}
		if row, column := l.ByteColumn(test.offset); row != test.row || column != test.bytes {
			t.Errorf("ByteColumn(%d) = %d, %d, want %d, %d", test.offset, row, column, test.row, test.bytes)
		}
	}
	if l.Position(-5) != (Position{1, 1}) {
		t.Errorf("Position(-5) = %v, want the start", l.Position(-5))
	}
}

func TestOffsetsOutsideOfLines(t *testing.T) {
	l := NewLines([]byte("ab\r\né𝛑x\n"))
	tests := []struct {
		p    Position
		want int
	}{
		{Position{0, 1}, 0}, {Position{1, 0}, 0}, {Position{1, 99}, 2}, {Position{2, 99}, 11}, {Position{3, 1}, 12}, {Position{9, 9}, 12},
	}
	for _, test := range tests {
		if got := l.Offset(test.p); got != test.want {
			t.Errorf("Offset(%v) = %d, want %d", test.p, got, test.want)
		}
	}
	if got := l.OffsetUTF16(1, 2); got != 6 {
		t.Errorf("OffsetUTF16 within a surrogate pair = %d, want the start of the character, 6", got)
	}
	if l.Count() != 3 || l.Start(2) != 4 || l.End(1) != 2 || l.End(3) != 12 {
		t.Errorf("lines: count %d, start(2) %d, end(1) %d, end(3) %d", l.Count(), l.Start(2), l.End(1), l.End(3))
	}
}

// Positions agree with counting from the start of the line, and offsets come
// back from them, in short lines and in long ones that span many checkpoints.
func TestPositionsAgreeWithCounting(t *testing.T) {
	unit := rapid.SampledFrom([]string{"a", "é", "語", "𝛑", "\n", "\r\n", strings.Repeat("x", 700), strings.Repeat("語", 500), strings.Repeat("𝛑x", 400)})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(unit, 0, 40).Draw(t, "text"), "")
		l := NewLines([]byte(text))
		for range 10 {
			offset := rapid.IntRange(0, len(text)).Draw(t, "offset")
			for !utf8.RuneStart((text + "\n")[offset]) {
				offset--
			}
			row := 1 + strings.Count(text[:offset], "\n")
			before := text[strings.LastIndexByte(text[:offset], '\n')+1 : offset]
			want := Position{row, 1 + utf8.RuneCountInString(before)}
			if got := l.Position(offset); got != want {
				t.Fatalf("Position(%d) = %v, want %v", offset, got, want)
			}
			line, character := l.UTF16(offset)
			if units := len(utf16.Encode([]rune(before))); line != row-1 || character != units {
				t.Fatalf("UTF16(%d) = %d, %d, want %d, %d", offset, line, character, row-1, units)
			}
			if strings.HasSuffix(before, "\r") && strings.HasPrefix(text[offset:], "\n") {
				continue // within a line end, which no position names
			}
			if l.Offset(want) != offset || l.OffsetUTF16(line, character) != offset {
				t.Fatalf("offset %d came back as %d and %d", offset, l.Offset(want), l.OffsetUTF16(line, character))
			}
		}
	})
}

func BenchmarkFromBytesASCII(b *testing.B) {
	raw := []byte(strings.Repeat("    loss = (ratio * advantage).mean()\n", 4000))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromBytes("a.py", raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewLines(b *testing.B) {
	raw := []byte(strings.Repeat("    loss = (ratio * advantage).mean()\n", 4000))
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		NewLines(raw)
	}
}
