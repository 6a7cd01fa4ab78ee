package cli

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
)

// planned are the plans of two scripts, the first of which is run once more.
func planned() []harness.Plan {
	first := harness.Plan{Root: "/p", Script: "train.py", Seeds: []int{0, 1}, Targets: []harness.Target{
		{ID: 0, Code: "ADV009", File: "train.py", Row: 90}, {ID: 1, Code: "OBJ001", File: "losses.py", Row: 7},
	}}
	again := first
	again.Seeds = []int{0}
	other := harness.Plan{Root: "/p", Script: "evaluate.py", Seeds: []int{0, 1}, Targets: []harness.Target{{ID: 0, Code: "KL016", File: "evaluate.py", Row: 12}}}
	return []harness.Plan{first, again, other}
}

// TestLiveTable: the table follows what the runs tell.
func TestLiveTable(t *testing.T) {
	clock := time.Unix(0, 0)
	plans := planned()
	table := newLiveTable("as it is", plans, func() time.Time { return clock })
	show := func(width int, want string) {
		t.Helper()
		got := strings.Join(append(table.head(width), table.body(width)...), "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	show(80, `as it is: 0 of 5 runs done, 0s
                     seed 0    seed 1
train.py:90 ADV009   waiting   waiting
losses.py:7 OBJ001   waiting   waiting
evaluate.py:12 KL016 waiting   waiting
`)
	clock = clock.Add(65 * time.Second)
	for _, p := range []harness.Progress{
		{Kind: "started", Target: -1}, {Kind: "evaluated", Hits: 4}, {Kind: "confirmed"}, {Kind: "evaluated", Target: 1, Hits: 2},
		{Kind: "judged", Verdict: "confirmed"}, {Kind: "judged", Target: 1, Verdict: "refuted"}, {Kind: "ended", Target: -1},
		{Kind: "started", Target: -1, Seed: 1}, {Kind: "evaluated", Seed: 1, Target: 1, Hits: 16},
	} {
		plans[0].Progress(p)
	}
	plans[1].Progress(harness.Progress{Kind: "judged", Verdict: "inconclusive"})
	plans[1].Progress(harness.Progress{Kind: "ended", Target: -1})
	plans[2].Progress(harness.Progress{Kind: "judged", Verdict: "not-reached"})
	show(80, `as it is: 2 of 5 runs done, 1m5s
                     seed 0    seed 1
train.py:90 ADV009   confirmed running
losses.py:7 OBJ001   refuted   16 hits
evaluate.py:12 KL016 unreached waiting
`)
	show(24, `as it is: 2 of 5 runs d…
train.py:90… ✗  >
losses.py:7… ✓  >
evaluate.py… –  ·
`)
	show(16, `as it is: 2 of …
train.py:90… 1 …
losses.py:7… 1 …
evaluate.py… 1 …
`)
	if got := table.rows[1].counts(table.seeds); got != "1 refuted, 1 running" {
		t.Errorf("counted: %q", got)
	}
}

// TestLivePlaces: of places that are watched the table shows the last mean, and no verdict.
func TestLivePlaces(t *testing.T) {
	clock := time.Unix(0, 0)
	plans := []harness.Plan{{Root: "/p", Script: "ppo.py", Seeds: []int{0, 1}, Targets: []harness.Target{
		{ID: 0, Code: "ratio", Label: "r", File: "ppo.py", Row: 12}, {ID: 1, Code: "value", Label: "x.std()", File: "ppo.py", Row: 14},
	}}}
	table := newLiveTable("running the script, means of late", plans, func() time.Time { return clock })
	for _, p := range []harness.Progress{
		{Kind: "started", Target: -1}, {Kind: "evaluated", Hits: 1}, {Kind: "shown", Seen: []byte(`{"mean": 1.00391}`)}, {Kind: "shown", Seen: []byte(`{"mean": null}`)},
		{Kind: "judged", Verdict: "refuted"}, {Kind: "judged", Target: 1, Verdict: "not-reached"}, {Kind: "ended", Target: -1},
		{Kind: "started", Target: -1, Seed: 1}, {Kind: "shown", Target: 1, Seed: 1, Seen: []byte(`{"mean": -2e-07}`)},
	} {
		plans[0].Progress(p)
	}
	want := `running the script, means of late: 1 of 2 runs done, 0s
                  seed 0    seed 1
ppo.py:12 r       1         running
ppo.py:14 x.std() unreached -2e-07
`
	if diff := cmp.Diff(want, strings.Join(append(table.head(80), table.body(80)...), "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestLiveProgram: of a program in which no expression is watched the table says how each
// run ended; plans of the same program share its row.
func TestLiveProgram(t *testing.T) {
	plans := []harness.Plan{{Root: "/p", Script: "src/train.py", Seeds: []int{7, 0}}, {Root: "/p", Script: "src/train.py", Seeds: []int{1, 2}}}
	table := newLiveTable("as it is", plans, func() time.Time { return time.Time{} })
	plans[0].Progress(harness.Progress{Kind: "started", Target: -1, Seed: 7})
	plans[0].Progress(harness.Progress{Kind: "failed", Target: -1, Seed: 7})
	plans[0].Progress(harness.Progress{Kind: "ended", Target: -1, Status: "failure", Seed: 7})
	plans[0].Progress(harness.Progress{Kind: "started", Target: -1, Seed: 0})
	plans[0].Progress(harness.Progress{Kind: "ended", Target: -1, Status: "done", Seed: 0})
	plans[1].Progress(harness.Progress{Kind: "started", Target: -1, Seed: 1})
	plans[1].Progress(harness.Progress{Kind: "ended", Target: -1, Status: "crash", Seed: 1})
	want := `as it is: 3 of 4 runs done, 0s
         seed 7    seed 0    seed 1    seed 2
train.py failed    clean     ended     waiting
`
	if diff := cmp.Diff(want, strings.Join(append(table.head(80), table.body(80)...), "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestLiveFix: where the fix of what was confirmed is tried, the table says whether it is fixed.
func TestLiveFix(t *testing.T) {
	p := harness.Plan{Seeds: []int{0}, Targets: []harness.Target{
		{ID: 0, File: "train.py", Row: 9, Code: "ADV009", Fixed: true}, {ID: 1, File: "train.py", Row: 10, Code: "OBJ001", Fixed: true}, {ID: 2, File: "train.py", Row: 11, Code: "KL016"},
	}}
	plans := []harness.Plan{p}
	table := newLiveTable("with its fix", plans, func() time.Time { return time.Time{} })
	for id, verdict := range []harness.Verdict{harness.Refuted, harness.Confirmed, harness.Refuted} {
		plans[0].Progress(harness.Progress{Kind: "judged", Target: id, Verdict: verdict})
	}
	want := "                   seed 0\ntrain.py:9 ADV009  fixed\ntrain.py:10 OBJ001 not fixed\ntrain.py:11 KL016  refuted\n"
	if diff := cmp.Diff(want, strings.Join(table.body(80), "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestLiveTableIsBounded: of many findings some are shown and the others counted.
func TestLiveTableIsBounded(t *testing.T) {
	p := harness.Plan{Seeds: []int{0}, Targets: make([]harness.Target, 100)}
	for i := range p.Targets {
		p.Targets[i].ID = i
	}
	lines := newLiveTable("", []harness.Plan{p}, time.Now).body(80)
	if len(lines) != mostRows+3 || lines[mostRows+1] != "and 80 more findings" {
		t.Errorf("%d lines, of which the last are %q", len(lines), lines[len(lines)-2:])
	}
}

// telling is a launcher whose runs tell something and come to nothing.
type telling struct{}

func (telling) Launch(_ context.Context, units []harness.Unit) ([]harness.Result, error) {
	for _, u := range units {
		if u.Plan.Progress != nil {
			u.Plan.Progress(harness.Progress{Kind: "ended", Target: -1, Seed: u.Seed})
		}
	}
	time.Sleep(300 * time.Millisecond) // long enough to be drawn once
	return make([]harness.Result, len(units)), nil
}

// TestRunShown: the table is drawn on a terminal only, and nothing of it stays.
func TestRunShown(t *testing.T) {
	a, _, stderr := newApp("")
	r := &runner{app: a}
	run, err := program.NewRunner(program.Request{Scripts: []string{"train.py"}, Launcher: telling{}, Step: r.step})
	if err != nil {
		t.Fatal(err)
	}
	plans := []harness.Plan{{Seeds: []int{0}}}
	if _, err := run.Run(context.Background(), "as it is", plans); err != nil || stderr.Len() > 0 {
		t.Errorf("without a terminal: error %v, and %q is written", err, stderr)
	}
	a.IsTerminal = func(any) bool { return true }
	if _, err := run.Run(context.Background(), "as it is", plans); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stderr.String(), "as it is: 1 of 1 runs done") {
		t.Errorf("on a terminal: %q", stderr)
	}
	row := 0
	for _, move := range regexp.MustCompile(`\n|\x1b\[(\d*)([AJ])`).FindAllStringSubmatch(stderr.String(), -1) {
		switch n, _ := strconv.Atoi(move[1]); {
		case move[0] == "\n":
			row++
		case move[2] == "A":
			row -= n
		case row == 0:
			t.Error("a screen that was just cleared is erased as a whole, which tmux keeps each time")
		}
	}
	if row != 0 {
		t.Errorf("it ends %d lines below where it began", row)
	}
}
