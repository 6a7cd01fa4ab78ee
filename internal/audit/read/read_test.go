package read

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// folder writes the files of a txtar archive to a folder of its own.
func folder(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, dir, f.Name, f.Data)
	}
	return dir
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// age makes a file so many hours old.
func age(t *testing.T, path string, hours int) {
	t.Helper()
	old := time.Now().Add(-time.Duration(hours) * time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, o Options) *record.Run {
	t.Helper()
	r, err := Run(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// series returns the one with a name, which must be there once.
func series(t *testing.T, r *record.Run, name string) *record.Series {
	t.Helper()
	var found *record.Series
	for _, s := range r.Series {
		if s.Name == name {
			if found != nil {
				t.Fatalf("%s is there twice: in %s and %s", name, found.Source, s.Source)
			}
			found = s
		}
	}
	if found == nil {
		t.Fatalf("no series %s", name)
	}
	return found
}

// values returns the points as step, value, step, value ...
func values(s *record.Series) []float64 {
	var all []float64
	for _, p := range s.Points {
		all = append(all, float64(p.Step), p.Value)
	}
	return all
}

func wantValues(t *testing.T, r *record.Run, name string, want ...float64) {
	t.Helper()
	if diff := cmp.Diff(want, values(series(t, r, name))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// wantLine reports an error unless one of the lines holds all of the words.
func wantLine(t *testing.T, lines []string, words ...string) {
	t.Helper()
	for _, line := range lines {
		all := true
		for _, w := range words {
			all = all && strings.Contains(line, w)
		}
		if all {
			return
		}
	}
	t.Errorf("no line with %q in %q", words, lines)
}

// TestTrainerState: the history that GRPO's trainer saved, as Python wrote it.
func TestTrainerState(t *testing.T) {
	r := run(t, folder(t, `
-- trainer_state.json --
{
  "best_metric": null,
  "epoch": 0.5,
  "global_step": 20,
  "log_history": [
    {"completions/clipped_ratio": 0.0, "completions/mean_length": 31.5, "epoch": 0.25, "kl": 0.0004, "grad_norm": NaN,
     "learning_rate": 1e-06, "reward": 0.25, "reward_std": 0.5, "frac_reward_zero_std": 0.0, "step": 10},
    {"completions/clipped_ratio": 0.125, "completions/mean_length": 40, "epoch": 0.5, "kl": -Infinity, "grad_norm": 1.5,
     "learning_rate": 1e-06, "reward": 0.75, "reward_std": 0.25, "frac_reward_zero_std": 0.5, "step": 20}
  ],
  "max_steps": 40
}
`), Options{})
	if r.Trainer != "trl grpo or trl rloo" {
		t.Errorf("trainer %q", r.Trainer)
	}
	wantValues(t, r, "reward", 10, 0.25, 20, 0.75)
	kl := series(t, r, "kl")
	if kl.Quantity != record.KLReference || kl.Unit != record.NatsPerToken || kl.NonFinite != 1 || kl.FirstNonFinite != 20 {
		t.Errorf("kl: %+v", kl)
	}
	if s := series(t, r, "completions/clipped_ratio"); s.Quantity != record.Truncated || s.Unit != record.Share {
		t.Errorf("%+v", s)
	}
	note := "2 values were NaN or infinite, of kl and grad_norm, the first at step 10"
	if want := []record.Source{{Path: "trainer_state.json", Format: "trainer_state", Records: 2, Notes: []string{note}}}; !cmp.Equal(r.Sources, want) {
		t.Errorf("%+v", r.Sources)
	}
}

// TestJSONLines: plain lines, verl's, and names that only the settings know.
func TestJSONLines(t *testing.T) {
	r := run(t, folder(t, `
-- log.jsonl --
{"step": 1, "my_kl": 0.5, "nested": {"a": 1}}
{"step": 2, "my_kl": NaN, "nested": {"a": 2}}
{"step": 3, "my_kl": 0.75, "nes
-- verl.jsonl --
{"step":1,"data":{"critic/score/mean":0.5,"training/global_step":1}}
{"step":2,"data":{"critic/score/mean":null,"training/global_step":2}}
`), Options{Names: map[string]Meaning{"my_kl": {record.KLReference, record.NatsPerSequence}}})
	wantValues(t, r, "my_kl", 1, 0.5)
	wantValues(t, r, "nested/a", 1, 1, 2, 2)
	if s := series(t, r, "my_kl"); s.Quantity != record.KLReference || s.NonFinite != 1 {
		t.Errorf("%+v", s)
	}
	if s := series(t, r, "critic/score/mean"); s.NonFinite != 0 || s.Missing != 1 || s.FirstMissing != 2 || len(s.Points) != 1 {
		t.Errorf("%+v", s)
	}
	wantLine(t, r.Sources[1].Notes, "1 value was missing (null), of critic/score/mean, the first at step 2; verl writes null for NaN, too")
	if r.Sources[0].Bad != 1 {
		t.Errorf("%+v", r.Sources[0])
	}
	wantLine(t, r.Sources[0].Notes, "middle of a record", "line 3")
}

// TestPythonsWords: the filter changes bare words and nothing else, wherever it is cut.
func TestPythonsWords(t *testing.T) {
	const text = `{"a NaN": "-Infinity \" NaN", "b": [NaN, -Infinity, Infinity, -1.5, null], "c\\": NaN}`
	const want = `{"a NaN": "-Infinity \" NaN", "b": ["NaN", "-Infinity", "Infinity", -1.5, null], "c\\": "NaN"}`
	for cut := range len(text) {
		var q quoter
		if got := string(q.quote(q.quote(nil, []byte(text[:cut])), []byte(text[cut:]))); got != want {
			t.Fatalf("cut at %d: %s", cut, got)
		}
	}
	if v, ok := notFinite("-Infinity"); !ok || !math.IsInf(v, -1) {
		t.Error(v, ok)
	}
}

// TestUnknownNames: a metric of which nothing is known is kept without a quantity, and told
// among what was not used, unless the settings say what it measures.
func TestUnknownNames(t *testing.T) {
	dir := t.TempDir()
	text := `{"step": 1, "reward": 0.5, "eval_charm": 0.7}` + "\n" + `{"step": 2, "reward": 0.6, "eval_charm": 0.8}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "log.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, given := range []map[string]Meaning{nil, {"eval_charm": {Quantity: record.HeldOut}}} {
		run, err := Run(t.Context(), dir, Options{Names: given})
		if err != nil {
			t.Fatal(err)
		}
		var unused []string
		for _, u := range run.Unused {
			unused = append(unused, u.Path+" "+u.Metric)
		}
		want := []string{"log.jsonl eval_charm"}
		if given != nil {
			want = nil
		}
		if !slices.Equal(unused, want) {
			t.Errorf("with %v: unused are %q, want %q", given, unused, want)
		}
	}
}
