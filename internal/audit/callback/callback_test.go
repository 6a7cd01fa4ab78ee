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

	"github.com/google/go-cmp/cmp"

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
			if err := os.WriteFile(filepath.Join(code, "rlvet_callback.py"), Python, 0o644); err != nil {
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
			for _, kind := range []string{"list", "number", "tensor", "alone", "unbegun"} {
				readGold(t, filepath.Join(root, "gold-"+kind))
			}
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
	if len(run.Batches) != 4 || !run.Batches[0].Base || run.Batches[3].Step != 3 || run.Batches[3].Base {
		t.Fatalf("the batches are %+v", run.Batches)
	}
	got := completionOf(t, run.Batches[3], "Why 1?")
	got.Text = ""
	want := record.Completion{
		Prompt: "Why 1?", Rewards: map[string]float64{"helpful": 0.1, "short": 1}, Gold: ptr(0.5), Tokens: 5, Truncated: ptr(true), Advantage: ptr(-0.5), LogProb: ptr(-3.0), ReferenceLogProb: ptr(-4.0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a completion (-want +got):\n%s", diff)
	}
	if e := seriesOf(t, run, record.Entropy); e.NonFinite == 0 && len(e.Restarts) == 0 {
		t.Error("a NaN is neither counted nor dropped with its step")
	}
}

func ptr[T any](v T) *T { return &v }

// completionOf returns the completion of a prompt.
func completionOf(t *testing.T, b record.Batch, prompt string) record.Completion {
	t.Helper()
	for _, c := range b.Kept {
		if c.Prompt == prompt {
			return c
		}
	}
	t.Fatalf("step %d has no completion of %q", b.Step, prompt)
	return record.Completion{}
}

// readTrainer reads what the callback wrote.
func readTrainer(t *testing.T, dir string) {
	run := readRun(t, dir)
	if !strings.Contains(run.Trainer, "trl grpo") {
		t.Errorf("the trainer is %q", run.Trainer)
	}
	kl := seriesOf(t, run, record.KLReference)
	if kl.Unit != record.NatsPerToken || len(kl.Points) != 4 || math.Abs(kl.Points[0].Value-0.01) > 1e-9 || kl.Points[0].Step != 1 {
		t.Errorf("the KL is %v in %s", kl.Points, kl.Unit)
	}
	var steps []int64
	for _, b := range run.Batches {
		steps = append(steps, b.Step)
	}
	if !slices.Equal(steps, []int64{0, 2}) { // one in two, by the number of updates that the policy had
		t.Fatalf("completions are logged at %v", steps)
	}
	cut := map[bool]int{}
	for _, c := range run.Batches[0].Kept {
		if c.Prompt != "Hi" || c.Tokens != 5 || c.Rewards["helpful"] != 1 || c.Rewards["slow"] != 0.5 || c.Truncated == nil || c.Gold == nil {
			t.Fatalf("a completion is %+v", c)
		}
		if want := map[string]float64{"Ho": 12, "Hum": 23}[c.Text]; *c.Gold != want {
			t.Errorf("the gold score of %q is %v, want %v", c.Text, *c.Gold, want)
		}
		cut[*c.Truncated]++
	}
	if cut[true] != 1 || cut[false] != 1 { // one of them ends by its end token
		t.Errorf("cut are %v", cut)
	}
}

// readGold reads two steps of three completions each, whose gold scores are 1, 2 and 3, and
// nothing of the evaluations around them.
func readGold(t *testing.T, dir string) {
	t.Helper()
	run := readRun(t, dir)
	if len(run.Batches) != 2 {
		t.Fatalf("%s: %d batches", dir, len(run.Batches))
	}
	for _, b := range run.Batches {
		got := map[string]float64{}
		for _, c := range b.Kept {
			if c.Gold == nil {
				t.Fatalf("%s: no gold score of %q", dir, c.Text)
			}
			got[c.Prompt+" "+c.Text] = *c.Gold
		}
		want := map[string]float64{"a second": 1, "b secondsecond": 2, "c secondsecondsecond": 3}
		if diff := cmp.Diff(want, got); diff != "" || b.Total != 3 {
			t.Errorf("%s: step %d holds %d completions (-want +got):\n%s", dir, b.Step, b.Total, diff)
		}
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
