package cli

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// lockedBuffer is a stream that one goroutine writes while another reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// --watch checks again after a change of a file or of the settings, lives
// through a mistake in the settings, sees new folders, and ends with the
// context.
func TestWatch(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "train.py", "adv = r / r.std()\n")
	var stdout, stderr lockedBuffer
	a, _, _ := newApp("")
	a.Stdout, a.Stderr = &stdout, &stderr
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		root := a.root()
		root.SetArgs([]string{"check", "--watch", "--output-format", "concise", "."})
		done <- root.ExecuteContext(ctx)
	}()
	rounds := func() int { return strings.Count(stderr.String(), "Watching for changes") }
	await := func(what string, n int) {
		t.Helper()
		for range 500 {
			if rounds() >= n {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("%s: not checked again\n%s\n%s", what, stdout.String(), stderr.String())
	}
	await("start", 1)
	write(t, "train.py", "adv = 1\n")
	await("a file changed", rounds()+1)
	write(t, "rlvet.toml", "ignore = ['NOPE']\n")
	await("broken settings", rounds()+1)
	write(t, "rlvet.toml", "ignore = ['KL']\n")
	await("fixed settings", rounds()+1)
	if err := os.Mkdir("new", 0o755); err != nil {
		t.Fatal(err)
	}
	await("a new folder", rounds()+1)
	write(t, "new/train.py", "adv = r / r.std()\n")
	await("a file in it", rounds()+1)
	stop()
	if err := <-done; err != nil || a.exit != exitFindings {
		t.Errorf("ended with %v, exit code %d; want none and 1, as of the last round", err, a.exit)
	}
	for _, want := range []string{"train.py:1:11: ADV009", "All checks passed!", "new/train.py:1:11: ADV009"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("standard output lacks %q:\n%s", want, stdout.String())
		}
	}
	if !strings.Contains(stderr.String(), `error: rlvet.toml:1: unknown rule "NOPE"`) {
		t.Errorf("the mistake in the settings was not told:\n%s", stderr.String())
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
