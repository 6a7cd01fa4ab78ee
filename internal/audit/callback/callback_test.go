package callback

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/read"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// pythons are the interpreters on this machine that the file is for.
func pythons(t *testing.T) []string {
	t.Helper()
	home, _ := os.UserHomeDir()
	paths, _ := filepath.Glob(filepath.Join(home, ".pyenv", "versions", "*", "bin", "python"))
	for _, name := range []string{"python3", "python", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14"} {
		if path, err := exec.LookPath(name); err == nil {
			paths = append(paths, path)
		}
	}
	if given := os.Getenv("RLVET_PYTHON"); given != "" {
		paths = append(paths, given)
	}
	paths = append(paths, "/usr/bin/python3")
	seen, out := map[string]bool{}, []string{}
	for _, path := range paths {
		text, err := exec.Command(path, "-c", "import sys; print(sys.version_info >= (3, 9), sys.version)").Output()
		if err == nil && strings.HasPrefix(string(text), "True") && !seen[string(text)] {
			seen[string(text)] = true
			out = append(out, path)
		}
	}
	if len(out) == 0 {
		t.Skip("SKIPPED: no Python 3.9 or newer on this machine: the callback is not tried")
	}
	return out
}

// TestCallback: on each Python that is here, what the file writes is read back with the right
// quantities and units, nothing raises, and what fails is said once.
func TestCallback(t *testing.T) {
	for _, python := range pythons(t) {
		t.Run(python, func(t *testing.T) {
			t.Parallel()
			root, code := t.TempDir(), t.TempDir()
			if err := os.WriteFile(filepath.Join(code, FileName), Python, 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(python, "-W", "error", "testdata/drive.py", root, code)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if out, err := cmd.Output(); err != nil || len(out) > 0 {
				t.Fatalf("%v\n%s%s", err, out, &stderr)
			}
			said := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			for _, line := range said {
				if !strings.HasPrefix(line, "rlvet: not logged, training goes on: ") {
					t.Errorf("it said: %s", line)
				}
			}
			if len(said) != 3 {
				t.Errorf("%d failures are said, and there are three loggers that fail:\n%s", len(said), &stderr)
			}
			for _, name := range []string{"others", "harmless"} {
				if _, err := os.Stat(filepath.Join(root, name)); err == nil {
					t.Errorf("%s was written", name)
				}
			}
			readPlain(t, filepath.Join(root, "plain"))
			readTrainer(t, filepath.Join(root, "trainer"))
		})
	}
}

func readRun(t *testing.T, dir string) *record.Run {
	t.Helper()
	run, err := read.Run(t.Context(), dir, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// seriesOf returns the series of a quantity.
func seriesOf(t *testing.T, run *record.Run, q record.Quantity) *record.Series {
	t.Helper()
	for _, s := range run.Series {
		if s.Quantity == q {
			return s
		}
	}
	t.Fatalf("no series is %s", q)
	return nil
}

// readPlain reads what the plain function wrote, with its restart from step 2.
func readPlain(t *testing.T, dir string) {
	run := readRun(t, dir)
	for q, want := range map[record.Quantity]record.Unit{
		record.Reward: "", record.KLReference: record.NatsPerSequence, record.Length: record.Tokens, record.HeldOut: record.Points,
		record.Truncated: record.Share, record.Entropy: record.NatsPerToken,
	} {
		if s := seriesOf(t, run, q); s.Unit != want {
			t.Errorf("the unit of %s is %q, want %q", q, s.Unit, want)
		}
	}
	var rewards []float64
	for _, p := range seriesOf(t, run, record.Reward).Points {
		rewards = append(rewards, p.Value)
	}
	if !slices.Equal(rewards, []float64{1, 20, 30}) {
		t.Errorf("after the restart the rewards are %v", rewards)
	}
	if e := seriesOf(t, run, record.Entropy); e.NonFinite == 0 && len(e.Restarts) == 0 {
		t.Error("a NaN is neither counted nor dropped with its step")
	}
}

// readTrainer reads what the callback wrote.
func readTrainer(t *testing.T, dir string) {
	run := readRun(t, dir)
	if run.Trainer != "trl grpo" {
		t.Errorf("the trainer is %q", run.Trainer)
	}
	kl := seriesOf(t, run, record.KLReference)
	if kl.Unit != record.NatsPerToken || len(kl.Points) != 4 || math.Abs(kl.Points[0].Value-0.01) > 1e-9 || kl.Points[0].Step != 1 {
		t.Errorf("the KL is %v in %s", kl.Points, kl.Unit)
	}
}

// TestQuantities: the file knows the quantities that audit knows.
func TestQuantities(t *testing.T) {
	list := regexp.MustCompile(`(?s)QUANTITIES = frozenset\(\s+"""(.*?)"""`).FindSubmatch(Python)
	if list == nil {
		t.Fatal("there is no list")
	}
	have := strings.Fields(string(list[1]))
	for _, q := range record.Quantities {
		if !slices.Contains(have, string(q)) {
			t.Errorf("%s is not listed", q)
		}
	}
	if len(have) != len(record.Quantities) {
		t.Errorf("%d are listed, and there are %d", len(have), len(record.Quantities))
	}
}
