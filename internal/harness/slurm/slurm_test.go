package slurm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/harness"
)

// watchOf watches one unit, of which Slurm says the given state.
func watchOf(t *testing.T, state string, tries int, gone time.Duration) *watch {
	t.Helper()
	p := &harness.Plan{Targets: []harness.Target{{ID: 0}}}
	b := &batch{dir: t.TempDir(), units: []harness.Unit{{Plan: p, Seed: 7}}, results: make([]*harness.Result, 1)}
	w := newWatch(&Launcher{Say: func(string) {}}, b)
	w.tasks = map[int]task{0: {1, state, "None"}}
	w.tries[0], w.since[0] = tries, time.Now().Add(-gone)
	return w
}

// TestDue: what becomes of a unit without a result, by what Slurm says of its task.
func TestDue(t *testing.T) {
	for _, c := range []struct {
		name, state string
		tries       int
		gone        time.Duration
		log         string
		want        string // submit, wait, lost, or an error
	}{
		{"new", "", 0, 0, "", "submit"},
		{"cancelled by an earlier start", "CANCELLED", 0, 0, "", "submit"},
		{"in the queue", "PENDING", 1, time.Hour, "", "wait"},
		{"still ending", "COMPLETING", 1, time.Hour, "", "wait"},
		{"just ended", "NODE_FAIL", 1, 0, "", "wait"},
		{"its node failed", "NODE_FAIL", 1, time.Minute, "", "submit"},
		{"preempted", "PREEMPTED", 2, time.Minute, "", "submit"},
		{"its node failed too often", "NODE_FAIL", 3, time.Minute, "", "lost: Slurm ended the run without a result (NODE_FAIL; 3 of 3 tries)"},
		{"somebody cancelled it", "CANCELLED", 1, time.Minute, "", "lost: Slurm ended the run without a result (CANCELLED; 1 of 3 tries)"},
		{"its time was over", "TIMEOUT", 1, time.Minute, "", "lost: Slurm ended the run without a result (TIMEOUT; 1 of 3 tries)"},
		{"forgotten", "", 1, time.Minute, "", "submit"},
		{"done, and the result is on its way", "COMPLETED", 1, 20 * time.Second, "", "wait"},
		{"done, and no result", "COMPLETED", 1, 2 * time.Minute, "", "submit"},
		{"failed with a word", "FAILED", 3, time.Minute, "error: no space\n", "lost: Slurm ended the run without a result (FAILED; 3 of 3 tries): error: no space"},
		{"failed without a trace", "FAILED", 1, time.Minute, "", "no node could write to DIR; give --work-dir on a file system that all nodes share"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := watchOf(t, c.state, c.tries, c.gone)
			if c.log != "" {
				if err := os.WriteFile(w.log(0), []byte(c.log), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			due, err := w.due()
			got := "wait"
			switch {
			case err != nil:
				got = strings.ReplaceAll(err.Error(), w.dir, "DIR")
			case len(due) > 0:
				got = "submit"
			case w.results[0] != nil:
				got = w.results[0].Run.Status + ": " + w.results[0].Saw[0].Reason
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestFailure: what kept a unit from running on one node is tried on others, and then it is
// the result.
func TestFailure(t *testing.T) {
	w := watchOf(t, "COMPLETED", 1, 0)
	for ; w.tries[0] <= maxTries; w.tries[0]++ {
		text, err := json.Marshal(harness.Result{Failure: "no space left"})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.result(0), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if came, err := w.collect(); err != nil || len(came) != 1 {
			t.Fatalf("%v %v", came, err)
		}
		if err := w.take(0); err != nil {
			t.Fatal(err)
		}
		due, err := w.due()
		if again := w.tries[0] < maxTries; err != nil || again != (len(due) == 1) || again != (w.results[0] == nil) {
			t.Errorf("after try %d: due %v, result %v (%v)", w.tries[0], due, w.results[0], err)
		}
	}
}

// TestOutside: the folder for jobs is never in a project, by whatever way one goes there.
func TestOutside(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, link := filepath.Join(dir, "project"), filepath.Join(dir, "link")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	units := []harness.Unit{{Plan: &harness.Plan{Root: root}}}
	for work, ok := range map[string]bool{
		root: false, filepath.Join(root, "a", "b"): false, filepath.Join(link, "a"): false,
		dir: true, filepath.Join(dir, "project2"): true, filepath.Join(dir, "a", "b"): true,
	} {
		if err := outside(work, units); (err == nil) != ok {
			t.Errorf("%s: %v", work, err)
		}
	}
}

func TestRanges(t *testing.T) {
	for want, numbers := range map[string][]int{"": nil, "4": {4}, "0-2,5,7-8": {0, 1, 2, 5, 7, 8}} {
		if got := ranges(numbers); got != want {
			t.Errorf("%v are %q, want %q", numbers, got, want)
		}
	}
}

// TestKey: the job folder changes with everything that results depend on, and with
// nothing else.
func TestKey(t *testing.T) {
	root, program := t.TempDir(), filepath.Join(t.TempDir(), "program")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(program, "one")
	write(filepath.Join(root, "train.py"), "x = 1\n")
	plan := harness.Plan{Root: root, Script: "train.py", Targets: []harness.Target{{Code: "ADV009", Probe: "probe"}}}
	key := func(change func(u *harness.Unit)) string {
		p := plan
		p.Targets = []harness.Target{plan.Targets[0]}
		u := harness.Unit{Plan: &p}
		change(&u)
		k, err := keyOf(program, []harness.Unit{u})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	same := func(*harness.Unit) {}
	first := key(same)
	if again := key(func(u *harness.Unit) { u.Plan.Progress = func(harness.Progress) {} }); again != first {
		t.Error("who listens changes it")
	}
	for name, change := range map[string]func(u *harness.Unit){
		"seed":      func(u *harness.Unit) { u.Seed = 1 },
		"arguments": func(u *harness.Unit) { u.Plan.Args = []string{"--lr"} },
		"probe":     func(u *harness.Unit) { u.Plan.Targets[0].Probe = "another" },
		"limit":     func(u *harness.Unit) { u.Plan.Limits.MaxHits = 5 },
		"file":      func(*harness.Unit) { write(filepath.Join(root, "train.py"), "x = 2\n") },
		"program":   func(*harness.Unit) { write(program, "two") },
	} {
		before := key(same)
		if key(change) == before {
			t.Errorf("another %s does not change it", name)
		}
	}
}

// TestPlain: a result is the same after its way through a file.
func TestPlain(t *testing.T) {
	want := harness.Result{
		Run: harness.SeedRun{Seed: 3, Status: "crash", Isolation: harness.UserNamespace, Losses: []string{"0x1p+0"}, Crash: &harness.Crash{Type: "ValueError"}, Output: "a\nb"},
		Saw: []harness.SeedEvidence{{
			Seed: 3, Verdict: harness.Confirmed, Hits: 2, Confirmation: &harness.Confirmation{Reason: "zero", Hit: 1, Seen: json.RawMessage(`{"low":0}`), Stack: []string{"a"}},
			Observations: []json.RawMessage{json.RawMessage(`{"x":"nan"}`)}, Series: []harness.Series{{Name: "value", Points: [][]float64{{0, 1, 0.1}}}},
		}},
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got harness.Result
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSweep: folders of plans that nobody came back to are removed, and nothing else is.
func TestSweep(t *testing.T) {
	work := t.TempDir()
	old := time.Now().Add(-2 * keptFor)
	for _, c := range []struct {
		name string
		lock bool
		at   time.Time
	}{{"0123456789abcdef", true, old}, {"0123456789abcde0", true, time.Now()}, {"0123456789abcde1", false, old}, {"my-data", true, old}} {
		dir := filepath.Join(work, c.name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if c.lock {
			if err := os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, c.at, c.at); err != nil {
			t.Fatal(err)
		}
	}
	sweep(work)
	left, err := filepath.Glob(filepath.Join(work, "*"))
	if err != nil || len(left) != 3 {
		t.Errorf("left: %v (%v)", left, err)
	}
}

// TestHeld: what keeps everything waiting is said once, unless it is just a matter of turns.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		tasks map[int]task
		want  string
	}{
		{map[int]task{0: {5, "PENDING", "Resources"}, 1: {5, "PENDING", "Priority"}}, ""},
		{map[int]task{0: {5, "RUNNING", "None"}, 1: {5, "PENDING", "PartitionTimeLimit"}}, ""},
		{map[int]task{0: {5, "PENDING", "PartitionTimeLimit"}, 1: {5, "PENDING", "PartitionTimeLimit"}}, "array 5: nothing runs; Slurm says PartitionTimeLimit"},
	} {
		w := watchOf(t, "", 1, 0)
		var said []string
		w.Say = func(s string) { said = append(said, s) }
		w.tasks, w.arrays = c.tasks, []int{5}
		w.sayHeld()
		w.sayHeld()
		if got := strings.Join(said, "\n"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
