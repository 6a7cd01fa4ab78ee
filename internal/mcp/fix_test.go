package mcp

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestReplacements: whoever replaces the lines that the edits name, from the last to
// the first, has the mended text.
func TestReplacements(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c = 1", "", "é😀"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			text := strings.Join(lines.Draw(t, name), "\n")
			if rapid.Bool().Draw(t, name+" ends in a newline") {
				text += "\n"
			}
			return text
		}
		before, after := draw("before"), draw("after")
		edits, err := replacements(editAnswer{}, before, after)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.SplitAfter(before, "\n")
		for i := len(edits) - 1; i >= 0; i-- {
			e := edits[i]
			at := e.Line - 1
			n := len(strings.SplitAfter(e.Old, "\n"))
			if strings.HasSuffix(e.Old, "\n") || e.Old == "" {
				n--
			}
			if old := strings.Join(got[at:at+n], ""); old != e.Old {
				t.Fatalf("line %d: %q is not there, but %q", e.Line, e.Old, old)
			}
			got = append(got[:at:at], append([]string{e.New}, got[at+n:]...)...)
		}
		if text := strings.Join(got, ""); text != after {
			t.Fatalf("%q gives %q, want %q: %+v", before, text, after, edits)
		}
	})
}
