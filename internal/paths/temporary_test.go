package paths_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rlvet/rlvet/internal/paths"
)

// TestTemporary: the folder is one's own, and where none can be, it is said what to do.
func TestTemporary(t *testing.T) {
	at := filepath.Join(t.TempDir(), "tmp")
	t.Setenv("TMPDIR", at)
	t.Setenv("TMP", at) // Windows
	want := "there is no folder for temporary files (" + at + "): make it, or set TMPDIR"
	if dir, err := paths.Temporary(); err == nil || err.Error() != want {
		t.Errorf("%q, %v; want %s", dir, err, want)
	}
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if dir, err := paths.Temporary(); err != nil || filepath.Dir(dir) != at {
		t.Errorf("%q, %v", dir, err)
	}
}
