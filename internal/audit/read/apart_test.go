package read

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoRuns writes two runs beside each other, the second one newer, with completions,
// checkpoints, settings and judgements of each.
func twoRuns(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range []string{"old", "new"} {
		at := filepath.Join(dir, "runs", name)
		write(t, at, "log.jsonl", []byte(log10(0, 20, func(s int) float64 { return float64(s + 7*i) })))
		write(t, at, "notes.csv", []byte("step,own_metric_of_"+name+"\n1,2\n2,3\n"))
		write(t, at, "samples/completions_00005.jsonl", []byte(`{"prompt": "p", "completion": "of `+name+`", "reward": 1}`+"\n"))
		write(t, at, "checkpoint-10/model.safetensors", []byte("x"))
		write(t, at, "scores.csv", []byte("step,prompt,rater,score\n5,"+name+",a,1\n"))
		write(t, at, "config.json", []byte(`{"beta": 0.`+string("01"[i])+`}`))
		age(t, filepath.Join(at, "log.jsonl"), 2-i)
	}
	return dir
}

// TestRunsBesideEachOther: nothing of the older run is taken for the newer one's, wherever it
// lies, and one line says how to read it.
func TestRunsBesideEachOther(t *testing.T) {
	dir := twoRuns(t)
	r := run(t, dir, Options{})
	for _, s := range r.Sources {
		if !strings.HasPrefix(s.Path, "runs/new/") {
			t.Errorf("%s is read", s.Path)
		}
	}
	if len(r.Batches) != 1 || r.Batches[0].Total != 1 || r.Batches[0].Kept[0].Text != "of new" {
		t.Errorf("completions: %+v", r.Batches)
	}
	if len(r.Checkpoints) != 1 || r.Config["beta"] != 0.1 || len(r.Judgements.Scores) != 1 || r.Judgements.Scores[0].Prompt != "new" {
		t.Errorf("%+v %v %+v", r.Checkpoints, r.Config, r.Judgements)
	}
	wantLine(t, r.Notes, "two runs", "runs/new/log.jsonl is used; runs/old is older, and left out with all that is in it: rlvet audit "+filepath.Join(dir, "runs", "old"))
	if n := strings.Count(strings.Join(append(r.Notes, unusedLines(r)...), "\n"), "runs/old "); n != 2 { // in the note and in what is not used
		t.Errorf("the older run is spoken of %d times: %q %q", n, r.Notes, unusedLines(r))
	}
	if alone := run(t, filepath.Join(dir, "runs", "new"), Options{}); cmp.Diff(alone.Batches[0].Kept, r.Batches[0].Kept) != "" || len(alone.Series) != len(r.Series) {
		t.Error("alone it is read otherwise")
	}
}

// TestRunsInOneFolder: what else is in the folder may be of either run, which is said.
func TestRunsInOneFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.jsonl", []byte(log10(0, 20, same)))
	write(t, dir, "b.jsonl", []byte(log10(0, 20, func(s int) float64 { return float64(s + 7) })))
	write(t, dir, "samples.jsonl", []byte(`{"step": 5, "prompt": "p", "completion": "c", "reward": 1}`+"\n"))
	age(t, filepath.Join(dir, "b.jsonl"), 1)
	r := run(t, dir, Options{})
	wantLine(t, r.Notes, "b.jsonl is older than a.jsonl, and of another run", "give each run a folder")
	if len(r.Batches) != 1 || series(t, r, "reward").Source != "a.jsonl" {
		t.Errorf("%+v", r.Batches)
	}
}

// TestRunsThatCross: where each of two folders holds the newer of two logs, one of the folders
// is read, not none.
func TestRunsThatCross(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"x", "y"} {
		digit := string("12"[i])
		write(t, dir, name+"/log.jsonl", []byte(log10(0, 20, func(s int) float64 { return float64(s + 7*i) })))
		write(t, dir, name+"/log.csv", []byte("step,kl\n1,0."+digit+"\n2,0."+digit+"1\n3,0."+digit+"2\n"))
		age(t, filepath.Join(dir, name, "log.jsonl"), 1+i)
		age(t, filepath.Join(dir, name, "log.csv"), 2-i)
	}
	r := run(t, dir, Options{})
	if len(r.Sources) != 2 || !strings.HasPrefix(r.Sources[0].Path, "x/") || !strings.HasPrefix(r.Sources[1].Path, "x/") {
		t.Errorf("%+v", r.Sources)
	}
}

func TestOwnFolder(t *testing.T) {
	for _, c := range [][3]string{
		{"a/log.csv", "b/log.csv", "b"},
		{"runs/a/log.csv", "runs/b/tb/events", "runs/b"},
		{"log.csv", "old/log.csv", "old"},
		{"new/log.csv", "log.csv", ""},
		{"a.csv", "b.csv", ""},
		{"ab/log.csv", "a/log.csv", "a"},
	} {
		if got := ownFolder(c[0], c[1]); got != c[2] {
			t.Errorf("ownFolder(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
