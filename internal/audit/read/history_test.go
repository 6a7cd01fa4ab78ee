package read

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestConsole: what verl and transformers' Trainer print is found among other text, behind
// colours, the names of processes and progress bars.
func TestConsole(t *testing.T) {
	r := run(t, folder(t, `
-- verl/train.log --
step: none of these is a metric - it's text
(TaskRunner pid=7) step:1 - actor/entropy:0.5 - critic/score/mean:np.float64(0.25) - training/global_step:1
[36m(TaskRunner pid=7)[0m step:2 - actor/entropy:nan - critic/score/mean:0.75 - response_length/mean:12.0
-- trl/slurm-1.out --
{'loss': 0.5, 'entropy': 0.25}
  5%|#    | 1/20 [00:01<00:20]`+"\r"+`{'loss': '1e-08', 'reward': '-0.5', 'completions/mean_length': '31.5', 'epoch': '0.1'}
samples: {'a': 3}
{'unheard_of': 3}
{'loss': 0.1, 'reward': 1.5, 'completions/mean_length': 40.0, 'epoch': 0.2}
-- notes.txt --
The reward was 5 at step:5.
`), Options{})
	wantValues(t, r, "critic/score/mean", 1, 0.25, 2, 0.75)
	wantValues(t, r, "response_length/mean", 2, 12)
	if s := series(t, r, "actor/entropy"); s.NonFinite != 1 || s.Quantity != record.Entropy {
		t.Errorf("%+v", s)
	}
	if len(r.Sources) != 1 || r.Sources[0].Format != "console" {
		t.Errorf("%+v", r.Sources)
	}
	wantLine(t, unusedLines(r), "trl/slurm-1.out", "does not say its steps, as verl/train.log does")
}

// TestPrintedDicts: transformers' Trainer prints no step, so the record's number stands for it.
func TestPrintedDicts(t *testing.T) {
	r := run(t, folder(t, `
-- out.log --
{'loss': '1e-08', 'reward': '-0.5', 'completions/mean_length': '31.5', 'epoch': '0.1'}
{'loss': 0.1, 'reward': 1.5, 'completions/mean_length': inf, 'epoch': 0.2}
`), Options{})
	wantValues(t, r, "reward", 0, -0.5, 1, 1.5)
	if s := series(t, r, "completions/mean_length"); s.NonFinite != 1 || s.Unit != record.Tokens {
		t.Errorf("%+v", s)
	}
	wantLine(t, r.Sources[0].Notes, "no record says its step")
}

// TestHistories: a history that was kept in lists, and one that stands beside other things.
func TestHistories(t *testing.T) {
	columns := folder(t, "-- metrics.json --\n"+`{"step": [10, 20], "reward": [0.5, NaN], "mean_length": [3, 4, 5], "note": "mine"}`)
	r := run(t, columns, Options{})
	if s := series(t, r, "reward"); len(s.Points) != 1 || s.Points[0].Step != 10 || s.NonFinite != 1 {
		t.Errorf("%+v", s)
	}
	wantLine(t, r.Sources[0].Notes, "mean_length", "not of 2 values")
	rows := folder(t, "-- result.json --\n"+`{"config": {"beta": 0.1}, "train_history": [{"step": 5, "reward": 1}, {"step": 6, "reward": 2}], "seeds": [1, 2, 3]}`)
	wantValues(t, run(t, rows, Options{}), "reward", 5, 1, 6, 2)
}

// TestEpochs: where nothing else says the step, whole epochs do.
func TestEpochs(t *testing.T) {
	wantValues(t, run(t, folder(t, "-- log.csv --\nepoch,reward\n1,5\n2,6\n"), Options{}), "reward", 1, 5, 2, 6)
	wantValues(t, run(t, folder(t, "-- log.csv --\nepoch,reward\n0.25,5\n0.5,6\n0.75,7\n"), Options{}), "reward", 0, 5, 1, 6, 2, 7)
}

// TestTablesOfResults: the rows of a table beside a log are no steps, unless the log has less
// to say than the table.
func TestTablesOfResults(t *testing.T) {
	log := `{"step": 1, "reward": 1, "kl": 0.1}` + "\n" + `{"step": 2, "reward": 2, "kl": 0.2}` + "\n"
	r := run(t, folder(t, "-- log.jsonl --\n"+log+"-- sweep.csv --\nbeta,reward\n0.1,5\n0.2,6\n"), Options{})
	wantValues(t, r, "reward", 1, 1, 2, 2)
	wantLine(t, unusedLines(r), "sweep.csv", "table of results")
	r = run(t, folder(t, "-- log.csv --\nreward,kl\n5,1\n6,2\n-- lr.jsonl --\n"+`{"step": 1, "lr": 0.1}`+"\n"), Options{})
	wantValues(t, r, "reward", 0, 5, 1, 6)
}

// TestManyRuns: of runs beside each other the newest is read, with its own settings, and the
// others are named.
func TestManyRuns(t *testing.T) {
	dir := t.TempDir()
	for _, run := range []string{"a", "b", "c"} {
		write(t, dir, run+"/log.jsonl", []byte(log10(0, 50, func(s int) float64 { return float64(s * len(run) * int(run[0])) })))
		write(t, dir, run+"/config.yaml", []byte("beta: 0."+string("012"[run[0]-97])+"\n"))
	}
	for i, run := range []string{"a", "b", "c"} {
		age(t, filepath.Join(dir, run, "log.jsonl"), 3-i)
	}
	r := run(t, dir, Options{})
	want := []record.Other{{Path: "a", Folder: true, Used: "c"}, {Path: "b", Folder: true, Used: "c"}}
	if !slices.Equal(r.Others, want) || len(r.Notes) != 0 || r.Config["beta"] != 0.2 {
		t.Errorf("%+v %q %v", r.Others, r.Notes, r.Config)
	}
}

// TestSettingsThatDiffer: several values of a setting are told in a line.
func TestSettingsThatDiffer(t *testing.T) {
	r := run(t, folder(t, "-- log.csv --\nstep,reward\n1,5\n2,6\n-- a/config.yaml --\nbeta: 0.0\n-- b/config.yaml --\nbeta: 0.1\n-- c/config.yaml --\nbeta: 0.2\n"), Options{})
	wantLine(t, r.Notes, "beta is 0 in a/config.yaml and 0.1 in b/config.yaml, and differs in 1 file more: the first is used")
}

// TestNoRun: preferences have metrics that look like rewards.
func TestNoRun(t *testing.T) {
	dir := t.TempDir()
	text := `{"log_history": [{"step": 1, "loss": 0.6, "rewards/chosen": 0.1, "rewards/rejected": 0, "rewards/accuracies": 0.5, "logps/chosen": -20}]}`
	if err := os.WriteFile(filepath.Join(dir, "trainer_state.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, dir, Options{})
	wantLine(t, r.Notes, "learns from preferences", "an audit is for runs of PPO, GRPO")
	for _, s := range r.Series {
		if s.Quantity == record.Reward {
			t.Errorf("%s is taken for the reward", s.Name)
		}
	}
}

func unusedLines(r *record.Run) []string {
	var lines []string
	for _, u := range r.Unused {
		lines = append(lines, u.Path+" "+u.Metric+" "+u.Reason)
	}
	return lines
}

// TestColumnsThatAreNoRewards: beside a completion stand counts and flags, and a trainer's
// reward functions, which have any name.
func TestColumnsThatAreNoRewards(t *testing.T) {
	r := run(t, folder(t, "-- samples.jsonl --\n"+
		`{"step": 5, "prompt": "p", "completion": "c", "rm_logit": -1.5, "accuracy_func": 1, "pred_ok": true, "completion_len": 145, "n_tokens": 99, "seed": 3, "truncated": true}`), Options{})
	got := r.Batches[0].Kept[0]
	if diff := cmp.Diff(map[string]float64{"rm_logit": -1.5, "accuracy_func": 1}, got.Rewards); diff != "" || got.Truncated == nil || !*got.Truncated {
		t.Errorf("%s%+v", diff, got)
	}
}

// TestNoReward: a log without a reward is asked about.
func TestNoReward(t *testing.T) {
	r := run(t, folder(t, "-- log.csv --\nstep,loss,eval_loss,train/epoch,score_of_mine\n1,5,6,0.1,1\n2,4,5,0.2,2\n"), Options{})
	wantLine(t, r.Notes, "no metric is known as the reward", "--metric NAME=reward")
	if lines := unusedLines(r); len(lines) != 1 || !strings.Contains(lines[0], "score_of_mine") {
		t.Errorf("%q", lines)
	}
}
