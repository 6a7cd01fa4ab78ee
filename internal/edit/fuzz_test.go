package edit

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/source"
)

// FuzzApplyFile edits foreign notebooks and files at foreign places: no panic;
// what is accepted changes the text as it says, moves no command, and is read
// back from the bytes it gives.
func FuzzApplyFile(f *testing.F) {
	f.Add("import a\n!ls\nx = 1\n", "%%time\nx = !ls\ny", 9, 9, "import b\n", false)
	f.Add("a\rb\r\nc\n", "", 2, 4, "x\ny", true)
	f.Add("if x:\n  !ls\n  y", "%%bash\nls", 6, 7, "", false)
	f.Fuzz(func(t *testing.T, first, second string, start, end int, text string, plain bool) {
		path, raw := "a.py", []byte(first+second)
		if !plain {
			path, raw = "a.ipynb", []byte(book(first, second))
		}
		file, err := source.FromBytes(path, raw)
		if err != nil {
			return
		}
		after, err := ApplyFile(file, []Edit{{start, end, text}})
		if err != nil {
			return
		}
		if tail := len(file.Text) - end; plain && !bytes.HasSuffix(after.Text, file.Text[len(file.Text)-tail:]) {
			t.Fatalf("%q: text after the edit changed: %q", file.Text, after.Text)
		}
		checkCommands(t, file, after)
		written, err := after.Bytes()
		if err != nil {
			return
		}
		if !plain && !json.Valid(written) {
			t.Fatalf("wrote no JSON: %s", written)
		}
		// An edit may cut a character, or write a NUL or an encoding's declaration.
		sound := utf8.Valid(after.Text) && !bytes.Contains(after.Text, []byte{0}) && !bytes.Contains(after.Text, []byte("coding"))
		if _, err := source.FromBytes(path, written); err != nil && sound {
			t.Fatalf("cannot read back %q: %v", written, err)
		}
	})
}

// checkCommands makes sure that no IPython command was lost or left its cell.
func checkCommands(t *testing.T, before, after *source.File) {
	t.Helper()
	if len(before.Masks) != len(after.Masks) || len(before.Cells) != len(after.Cells) {
		t.Fatalf("%d masks in %d cells became %d in %d", len(before.Masks), len(before.Cells), len(after.Masks), len(after.Cells))
	}
	for i, m := range before.Masks {
		is := after.Masks[i]
		same := is.Original == m.Original && bytes.Equal(after.Text[is.Start:is.End], before.Text[m.Start:m.End])
		if !same || before.CellAt(m.Start).Number != after.CellAt(is.Start).Number {
			t.Fatalf("command %+v became %+v", m, is)
		}
	}
}
