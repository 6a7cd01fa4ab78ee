package harness

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopyWithin: a copy that lies in the project, as with a TMPDIR there, leaves itself out.
func TestCopyWithin(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "train.py"), []byte("x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(root, "tmp", "rlvet-1", "run", "project")
	if err := CopyProject(root, to, DefaultCopy); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to, "train.py")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(to, "tmp", "rlvet-1")); err == nil {
		t.Error("the copy holds itself")
	}
}

// TestTail: however output comes, its beginning and its end are kept.
func TestTail(t *testing.T) {
	whole := strings.Repeat("0123456789", 50)
	for _, size := range []int{1, 7, 60, 500} {
		out, err := newTail(filepath.Join(t.TempDir(), "out"), 100)
		if err != nil {
			t.Fatal(err)
		}
		for text := []byte(whole); len(text) > 0; text = text[min(size, len(text)):] {
			if n, err := out.Write(bytes.Clone(text[:min(size, len(text))])); err != nil || n != min(size, len(text)) {
				t.Fatal(n, err)
			}
		}
		if got, want := out.text(), whole[:50]+"\n[... output left out ...]\n"+whole[450:]; got != want {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}
