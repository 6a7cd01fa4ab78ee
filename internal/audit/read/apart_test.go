package read

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/audit/record"
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
// lies, and it is named.
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
	if diff := cmp.Diff([]record.Other{{Path: "runs/old", Folder: true, Used: "runs/new"}}, r.Others); diff != "" {
		t.Errorf("the other run (-want +got):\n%s", diff)
	}
	if n := strings.Count(strings.Join(append(r.Notes, unusedLines(r)...), "\n"), "runs/old "); n != 1 { // in what is not used
		t.Errorf("the older run is spoken of %d times: %q %q", n, r.Notes, unusedLines(r))
	}
	if alone := run(t, filepath.Join(dir, "runs", "new"), Options{}); cmp.Diff(alone.Batches[0].Kept, r.Batches[0].Kept) != "" || len(alone.Series) != len(r.Series) {
		t.Error("alone it is read otherwise")
	}
}

// TestRunsInOneFolder: what else is in the folder may be of either run, so the older one has no folder.
func TestRunsInOneFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.jsonl", []byte(log10(0, 20, same)))
	write(t, dir, "b.jsonl", []byte(log10(0, 20, func(s int) float64 { return float64(s + 7) })))
	write(t, dir, "samples.jsonl", []byte(`{"step": 5, "prompt": "p", "completion": "c", "reward": 1}`+"\n"))
	age(t, filepath.Join(dir, "b.jsonl"), 1)
	r := run(t, dir, Options{})
	if diff := cmp.Diff([]record.Other{{Path: "b.jsonl", Used: "a.jsonl"}}, r.Others); diff != "" {
		t.Errorf("the other run (-want +got):\n%s", diff)
	}
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

// TestRunsOfTwoFormats: runs that log in different formats are told apart, too, and the newer one is
// used; what two writers of one run log into folders of its parts, or round, is one run.
func TestRunsOfTwoFormats(t *testing.T) {
	const table = "step,reward,kl\n0,7,0.7\n1,8,0.8\n2,9,0.9\n3,10,1.0\n"
	const lines = `{"step": 0, "reward": 1, "kl": 0.1}` + "\n" + `{"step": 1, "reward": 2, "kl": 0.2}` + "\n" + `{"step": 2, "reward": 3, "kl": 0.3}` + "\n"
	const ppo = `{"step": 0, "objective/scores": 1, "policy/clipfrac_avg": 0.1, "loss/value_avg": 1}` + "\n" + `{"step": 1, "objective/scores": 2, "policy/clipfrac_avg": 0.2, "loss/value_avg": 2}` + "\n"
	const sb3 = "time/total_timesteps,rollout/ep_rew_mean,train/approx_kl\n1,5,0.01\n2,6,0.02\n"
	for _, c := range []struct {
		name, one, two, csv, jsonl string
		others                     []record.Other
	}{
		{"other values", "a", "b", table, lines, []record.Other{{Path: "a", Folder: true, Used: "b"}}},
		{"a reward each", "a", "b", "step,rollout/ep_rew_mean,own\n1,5,0.01\n2,6,0.02\n", lines, []record.Other{{Path: "a", Folder: true, Used: "b"}}},
		{"one reward", "a", "b", "step,train/clip_fraction\n1,0.1\n2,0.2\n", lines, nil},
		{"other trainers", "a", "b", sb3, ppo, []record.Other{{Path: "a", Folder: true, Used: "b"}}},
		{"parts of a run", "csv", "logs", table, lines, nil},
		{"rounded", "a", "b", "step,reward,kl\n0,1.001,0.1001\n1,2.001,0.2001\n2,3.001,0.3001\n", lines, nil},
	} {
		dir := t.TempDir()
		write(t, dir, c.one+"/progress.csv", []byte(c.csv))
		write(t, dir, c.two+"/log.jsonl", []byte(c.jsonl))
		age(t, filepath.Join(dir, c.one, "progress.csv"), 2)
		age(t, filepath.Join(dir, c.two, "log.jsonl"), 1)
		r := run(t, dir, Options{})
		if diff := cmp.Diff(c.others, r.Others); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		for _, s := range r.Series {
			if len(c.others) > 0 && !strings.HasPrefix(s.Source, c.two+"/") {
				t.Errorf("%s: %s of %s is used", c.name, s.Name, s.Source)
			}
		}
		if len(c.others) == 0 {
			continue
		}
		age(t, filepath.Join(dir, c.two, "log.jsonl"), 3)
		if r := run(t, dir, Options{}); len(r.Others) != 1 || r.Others[0].Path != c.two || r.Others[0].Used != c.one {
			t.Errorf("%s, the other one being newer: %+v", c.name, r.Others)
		}
	}
}

// TestResumedBeside: what a second folder goes on with is taken for the same run, which is said.
func TestResumedBeside(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "first/log.jsonl", []byte(log10(0, 20, same)))
	write(t, dir, "second/log.jsonl", []byte(log10(21, 40, same)))
	r := run(t, dir, Options{})
	wantLine(t, r.Notes, "first ends at step ", " and second begins at ", "audit each folder by itself")
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
