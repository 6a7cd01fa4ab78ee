package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/config"
)

// TestFollowingWhatIsReplaced: a log that is gone for a moment is waited for, and what was read
// of it stands; a folder that is gone is the end.
func TestFollowingWhatIsReplaced(t *testing.T) {
	dir, said := filepath.Join(t.TempDir(), "run"), &bytes.Buffer{}
	log := filepath.Join(dir, "log.csv")
	written := func(t *testing.T) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(log, []byte("step,reward\n1,2\n2,3\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := Process()
	env.Stdout, env.Stderr = said, said
	l := &live{auditing: &auditing{app: &app{Env: env}, flags: &auditFlags{live: true, format: "text"}, dir: dir, settings: &config.Settings{}}}
	if err := l.round(t.Context()); err != nil || !strings.Contains(said.String(), "no such folder") {
		t.Fatalf("a folder that is to come: %v, %s", err, said)
	}
	written(t)
	if err := l.round(t.Context()); err != nil || l.last == nil {
		t.Fatal(err)
	}
	before := l.last
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if err := l.round(t.Context()); err != nil || l.last != before || !strings.Contains(said.String(), "nothing to audit") {
		t.Fatalf("a log that is gone: %v, %s", err, said)
	}
	written(t)
	if err := l.round(t.Context()); err != nil || l.last == before {
		t.Fatalf("and is there again: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.round(t.Context()); err == nil {
		t.Error("a folder that is gone")
	}
}
