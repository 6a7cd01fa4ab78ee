package edit

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/rlvet/rlvet/internal/source"
)

// Diff returns the unified diff of two texts, "" where they are equal.
func Diff(oldName, newName string, before, after []byte) string {
	return udiff.Unified(oldName, newName, string(before), string(after))
}

// DiffFile returns the unified diff of a file and the same file after
// ApplyFile. A notebook gives one diff for each cell that changed, named
// PATH:cell N as in ruff.
func DiffFile(before, after *source.File) string {
	if before.Cells == nil {
		return Diff(before.Path, before.Path, before.Text, after.Text)
	}
	var out strings.Builder
	for i, was := range before.Cells {
		is := after.Cells[i]
		name := fmt.Sprintf("%s:cell %d", before.Path, was.Number)
		out.WriteString(Diff(name, name,
			[]byte(before.Original(was.Start, was.End)), []byte(after.Original(is.Start, is.End))))
	}
	return out.String()
}
