package read

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// log10 is a log of ten steps.
func log10(from, to int, value func(step int) float64) string {
	var b strings.Builder
	for step := from; step < to; step++ {
		fmt.Fprintf(&b, `{"step": %d, "reward": %g}`+"\n", step, value(step))
	}
	return b.String()
}

func same(step int) float64 { return float64(step) }

// TestNothingToRead: one line that says where, what, and how to fix it.
func TestNothingToRead(t *testing.T) {
	empty := t.TempDir()
	zero := folder(t, "-- log.jsonl --\n")
	checkpoint := filepath.Join(folder(t, "-- checkpoint-5/config.json --\n{}\n"), "checkpoint-5")
	model := folder(t, "-- config.json --\n{\"architectures\": [\"X\"]}\n")
	for dir, want := range map[string]string{
		empty:                            "the folder is empty: looked for trainer_state.json, ",
		zero:                             "log.jsonl is empty",
		model:                            "no file in it is a log of training: looked for ",
		checkpoint:                       "this looks like one checkpoint of a run; name the folder of the run: rlvet audit " + filepath.Dir(checkpoint),
		filepath.Join(empty, "missing"):  "no such folder",
		filepath.Join(zero, "log.jsonl"): "is a file: give the folder",
	} {
		_, err := Run(context.Background(), dir, Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, zero, Options{}); err != context.Canceled {
		t.Error(err)
	}
}

// TestSameInEveryWrapping: compression and encodings change nothing that is read.
func TestSameInEveryWrapping(t *testing.T) {
	text := []byte(log10(0, 10, same))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(text)
	z.Close()
	wide := func(order unicode.Endianness, mark unicode.BOMPolicy) []byte {
		b, err := unicode.UTF16(order, mark).NewEncoder().Bytes(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, data := range map[string][]byte{
		"log.jsonl":         text,
		"log.jsonl.gz":      packed.Bytes(),
		"packed.jsonl":      packed.Bytes(), // without the ending
		"bom.jsonl":         append([]byte("\ufeff"), text...),
		"crlf.jsonl":        bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")),
		"utf16le.jsonl":     wide(unicode.LittleEndian, unicode.UseBOM),
		"utf16be.jsonl":     wide(unicode.BigEndian, unicode.UseBOM),
		"utf16-no-mark.log": wide(unicode.LittleEndian, unicode.IgnoreBOM),
		"progress.json":     text, // as Stable-Baselines3 names it
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, name, data)
			r := run(t, dir, Options{})
			if s := series(t, r, "reward"); len(s.Points) != 10 || s.Points[9].Value != 9 || len(r.Sources[0].Notes) > 0 {
				t.Errorf("%+v %+v", s, r.Sources)
			}
		})
	}
}

// TestCutCompression: what is whole of a truncated file is read, and that it was cut is said.
func TestCutCompression(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	random := rand.New(rand.NewPCG(1, 2))
	z.Write([]byte(log10(0, 20000, func(int) float64 { return random.Float64() })))
	z.Close()
	dir := t.TempDir()
	write(t, dir, "log.jsonl.gz", packed.Bytes()[:packed.Len()/2])
	r := run(t, dir, Options{})
	if s := series(t, r, "reward"); len(s.Points) < 4000 {
		t.Error(len(s.Points))
	}
	wantLine(t, r.Sources[0].Notes, "ends in the middle")
}

// TestMixedEncodings: a line of Latin-1 among those of UTF-8.
func TestMixedEncodings(t *testing.T) {
	r := run(t, folder(t, "-- c.jsonl --\n"+`{"step": 1, "prompt": "größe", "completion": "naïve", "reward": 1}`+"\n"+
		"{\"step\": 1, \"prompt\": \"gr\xf6\xdfe\", \"completion\": \"na\xefve\", \"reward\": 2}\n"), Options{})
	for _, c := range r.Batches[0].Kept {
		if c.Prompt != "größe" || c.Text != "naïve" {
			t.Errorf("%+v", c)
		}
	}
	wantLine(t, r.Sources[0].Notes, "1 line was not UTF-8")
}

// TestStepsOutOfOrder: a late row is put where it belongs; a file in no order at all is sorted.
func TestStepsOutOfOrder(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(log10(0, 100, same)), "\n")
	late := append(append(append([]string{}, rows[:40]...), rows[41:45]...), append([]string{rows[40]}, rows[45:]...)...)
	shuffled := append([]string{}, rows...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	reversed := append([]string{}, rows...)
	for i := range rows {
		reversed[i] = rows[len(rows)-1-i]
	}
	for name, order := range map[string][]string{"late": late, "shuffled": shuffled, "reversed": reversed} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "log.jsonl", []byte(strings.Join(order, "\n")))
			r := run(t, dir, Options{})
			s := series(t, r, "reward")
			for i, p := range s.Points {
				if p.Step != int64(i) || p.Value != float64(i) {
					t.Fatalf("%d: %+v", i, p)
				}
			}
			if len(s.Points) != 100 || len(s.Restarts) > 0 {
				t.Errorf("%d points, restarts %v", len(s.Points), s.Restarts)
			}
			wantLine(t, r.Sources[0].Notes, "out of order and were sorted")
		})
	}
}

// TestRestarts: training went back in one file, by little or by much; the later part counts.
func TestRestarts(t *testing.T) {
	again := func(step int) float64 { return 1000 + float64(step) }
	for _, back := range []int{8, 30, 0} {
		t.Run(fmt.Sprint(back), func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "log.jsonl", []byte(log10(0, 50, same)+log10(back, 60, again)))
			r := run(t, dir, Options{})
			s := series(t, r, "reward")
			for _, p := range s.Points {
				want := same(int(p.Step))
				if int(p.Step) >= back {
					want = again(int(p.Step))
				}
				if p.Value != want {
					t.Fatalf("%+v, want %v", p, want)
				}
			}
			if len(s.Points) != 60 || len(s.Restarts) != 1 || s.Restarts[0] != int64(back) {
				t.Errorf("%d points, restarts %v", len(s.Points), s.Restarts)
			}
			wantLine(t, r.Sources[0].Notes, fmt.Sprintf("went back from step 49 to %d", back))
		})
	}
}

// TestRestartOfALongLog: the same where the rows to drop were passed on long ago.
func TestRestartOfALongLog(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "log.jsonl", []byte(log10(0, 20000, same)+log10(1000, 3000, func(int) float64 { return -1 })))
	s := series(t, run(t, dir, Options{}), "reward")
	if last, _ := s.Last(); last.Step != 2999 || last.Value != -1 || len(s.Restarts) != 1 {
		t.Errorf("%+v %v", last, s.Restarts)
	}
}

// TestAsynchronousEvaluation: rows of an evaluation that end late are no restart.
func TestAsynchronousEvaluation(t *testing.T) {
	var b strings.Builder
	for step := range 100 {
		fmt.Fprintf(&b, `{"step": %d, "reward": %d}`+"\n", step, step)
		if step%10 == 5 {
			fmt.Fprintf(&b, `{"step": %d, "eval_reward": 1}`+"\n", step-3)
		}
	}
	dir := t.TempDir()
	write(t, dir, "log.jsonl", []byte(b.String()))
	r := run(t, dir, Options{})
	if s := series(t, r, "reward"); len(s.Points) != 100 || len(s.Restarts) > 0 {
		t.Errorf("%+v", s)
	}
	if s := series(t, r, "eval_reward"); len(s.Points) != 10 || s.Points[0].Step != 2 {
		t.Errorf("%+v", s)
	}
}

// TestWithoutSteps: the record's number is used, and said; a record without a step counts to
// the one before.
func TestWithoutSteps(t *testing.T) {
	r := run(t, folder(t, "-- a.jsonl --\n{\"reward\": 5}\n{\"reward\": 6}\n-- b.csv --\nglobal_step,loss\n10,1\n,2\n30,3\n"), Options{})
	wantValues(t, r, "reward", 0, 5, 1, 6)
	wantLine(t, r.Sources[0].Notes, "no record says its step")
	wantLine(t, r.Sources[1].Notes, "1 record was without global_step")
}

// TestTwoRuns: two logs of one kind that start alike and differ: the newer one is used.
func TestTwoRuns(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/metrics.jsonl", []byte(log10(0, 50, func(s int) float64 { return 7 + float64(s) })))
	write(t, dir, "b/metrics.jsonl", []byte(log10(0, 40, same)))
	age(t, filepath.Join(dir, "b/metrics.jsonl"), 1)
	r := run(t, dir, Options{})
	if s := series(t, r, "reward"); s.Source != "a/metrics.jsonl" || len(s.Points) != 50 || len(r.Sources) != 1 {
		t.Errorf("%+v %+v", s, r.Sources)
	}
	if len(r.Unused) != 1 || r.Unused[0].Path != "b" || !strings.Contains(r.Unused[0].Reason, "at step 0 its reward is 0, in a/metrics.jsonl it is 7") {
		t.Errorf("%+v", r.Unused)
	}
}

// TestResumedRun: a second log goes on from a checkpoint of the first.
func TestResumedRun(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "runs/1/metrics.jsonl", []byte(log10(0, 50, same)))
	write(t, dir, "runs/2/metrics.jsonl", []byte(log10(40, 90, func(s int) float64 { return 1000 + float64(s) })))
	age(t, filepath.Join(dir, "runs/1/metrics.jsonl"), 1)
	r := run(t, dir, Options{})
	s := series(t, r, "reward")
	if len(s.Points) != 90 || s.Points[39].Value != 39 || s.Points[40].Value != 1040 || len(s.Restarts) != 1 || s.Restarts[0] != 40 {
		t.Errorf("%+v", s)
	}
	wantLine(t, r.Notes, "went back from step 49 to 40", "runs/1/metrics.jsonl")
	if len(r.Sources) != 2 {
		t.Errorf("%+v", r.Sources)
	}
}

// TestLoggedTwice: what a second file says as well is named and not used.
func TestLoggedTwice(t *testing.T) {
	r := run(t, folder(t, `
-- trainer_state.json --
{"global_step": 3, "log_history": [{"step": 1, "reward": 0.1, "loss": 1}, {"step": 2, "reward": 0.2, "loss": 2}, {"step": 3, "reward": 0.3, "loss": 3}]}
-- progress.csv --
step,train/reward,loss,extra
1,0.1,1,5
2,0.2,2,6
3,0.30000001,4,7
`), Options{})
	if len(r.Series) != 3 {
		t.Errorf("%d series", len(r.Series))
	}
	var got []string
	for _, u := range r.Unused {
		got = append(got, u.Path+": "+u.Metric+": "+u.Reason)
	}
	wantLine(t, got, "progress.csv: train/reward: same values as trainer_state.json")
	wantLine(t, got, "progress.csv: loss: differs from trainer_state.json at 1 of 3 steps: at step 3 it is 4, there 3")
}

// TestStatesOfCheckpoints: the state with the largest step holds the history of all.
func TestStatesOfCheckpoints(t *testing.T) {
	state := func(steps int) string {
		var rows []string
		for s := 1; s <= steps; s++ {
			rows = append(rows, fmt.Sprintf(`{"step": %d, "reward": %d}`, s, s))
		}
		return fmt.Sprintf(`{"global_step": %d, "log_history": [%s]}`, steps, strings.Join(rows, ","))
	}
	dir := t.TempDir()
	write(t, dir, "checkpoint-2/trainer_state.json", []byte(state(2)))
	write(t, dir, "checkpoint-10/trainer_state.json", []byte(state(10)))
	write(t, dir, "checkpoint-10/global_step10/bf16.pt", []byte("x"))
	write(t, dir, "checkpoint-6/trainer_state.json", []byte(state(6)))
	r := run(t, dir, Options{})
	if s := series(t, r, "reward"); s.Source != "checkpoint-10/trainer_state.json" || len(s.Points) != 10 {
		t.Errorf("%+v", s)
	}
	if len(r.Unused) != 2 || r.Unused[0].Reason != "its history is in checkpoint-10/trainer_state.json" {
		t.Errorf("%+v", r.Unused)
	}
	want := []record.Checkpoint{{Step: 2, Path: "checkpoint-2"}, {Step: 6, Path: "checkpoint-6"}, {Step: 10, Path: "checkpoint-10"}}
	for i, k := range r.Checkpoints {
		if len(r.Checkpoints) != 3 || k != want[i] {
			t.Errorf("%+v", r.Checkpoints)
		}
	}
}

// TestWrongUnits: a share above 1 is said and not changed; percent is read as a share.
func TestWrongUnits(t *testing.T) {
	r := run(t, folder(t, "-- progress.csv --\ntime/total_timesteps,rollout/ep_rew_mean,train/clip_fraction,rollout/success_rate\n1,5,15,50%\n2,6,20,75%\n"), Options{})
	wantValues(t, r, "rollout/success_rate", 1, 0.5, 2, 0.75)
	wantValues(t, r, "train/clip_fraction", 1, 15, 2, 20)
	wantLine(t, r.Notes, "train/clip_fraction", "is 15 at step 1, and a share lies between 0 and 1", "not used", "divided by 100")
	if s := series(t, r, "train/clip_fraction"); s.Quantity != "" {
		t.Errorf("it is used all the same: %+v", s)
	}
	wantLine(t, r.Sources[0].Notes, "percent", "rollout/success_rate")
}

// TestHostileFolders: links are not followed, hidden folders and those of packages are not
// entered, and an unreadable file is one line.
func TestHostileFolders(t *testing.T) {
	dir := folder(t, "-- log.csv --\nstep,reward\n1,2\n-- node_modules/x/log.csv --\nstep,a\n1,2\n-- .git/log.csv --\nstep,b\n1,2\n")
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Skipf("SKIPPED: links cannot be made here, so hostile folders are NOT tried: %v", err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero.jsonl")); err != nil {
		t.Fatal(err)
	}
	if r := run(t, dir, Options{}); len(r.Series) != 1 || len(r.Sources) != 1 {
		t.Errorf("%+v", r.Sources)
	}
}

// TestManyUnknownMetrics: their number is bounded; known ones are kept whatever their place.
func TestManyUnknownMetrics(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"step": 1`)
	for i := range 1000 {
		fmt.Fprintf(&b, `, "x%04d": 1`, i)
	}
	b.WriteString(`, "reward_std": 0.5, "completions/mean_length": 3}` + "\n")
	dir := t.TempDir()
	write(t, dir, "log.jsonl", []byte(b.String()))
	r := run(t, dir, Options{})
	series(t, r, "reward_std")
	if len(r.Series) != maxUnknown+2 {
		t.Errorf("%d series", len(r.Series))
	}
	wantLine(t, r.Sources[0].Notes, "more than 256 metrics with unknown names")
}
