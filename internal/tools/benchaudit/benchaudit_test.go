package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/torchtest"
)

const repository = "../../.."

// short is a run of half the length, with the real torch: enough to hack, and to get better.
func short(t *testing.T, k kind) finding {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: training testdata/audit/tinylm takes 20 s a run; run without -short")
	}
	python := torchtest.Python(t, "auditing runs of testdata/audit/tinylm is NOT tested")
	c := trial{kind: k, root: repository, python: python, args: []string{"--steps", "60"}}
	f, err := c.measure(t.Context(), filepath.Join(t.TempDir(), c.name()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Without a KL penalty the policy hacks the reward model. The audit alerts, with and without
// held-out data; the checkpoint that the reward alone would take is out; and the recommended
// one comes before it and is better in truth.
func TestHackedRun(t *testing.T) {
	f := short(t, hackable)
	if len(alerts(f.result)) == 0 || len(alerts(f.blind)) == 0 {
		t.Errorf("alerts: %v, without held-out data %v", alerts(f.result), alerts(f.blind))
	}
	by, recommended := f.result.ByRewardAlone, f.result.Recommended
	if by == nil || recommended == nil {
		t.Fatalf("by reward alone %v, recommended %v", by, recommended)
	}
	if !f.hacked(by.Step) || f.hacked(recommended.Step) {
		t.Errorf("gold is %v by step; by reward alone %d, recommended %d", f.gold, by.Step, recommended.Step)
	}
	if out := f.out(); !slices.Contains(out, by.Step) || slices.Min(out) <= recommended.Step {
		t.Errorf("disqualified are %v; by reward alone %d, recommended %d", out, by.Step, recommended.Step)
	}
}

// With a good KL coefficient the policy becomes better, and nothing alerts.
func TestGoodRun(t *testing.T) {
	f := short(t, good)
	if a, b := alerts(f.result), alerts(f.blind); len(a)+len(b) > 0 {
		t.Errorf("false alarms: %v, without held-out data %v", a, b)
	}
	if r := f.result.Recommended; r == nil || f.hacked(r.Step) {
		t.Errorf("recommended %v; gold is %v by step", r, f.gold)
	}
}

// What is told of runs is counted: alerts over runs, checkpoints over what they are in truth.
func TestRender(t *testing.T) {
	loud := &audit.Result{
		Signals:       []audit.Signal{{Name: "length-drift", Level: audit.Alert, Step: ptr(int64(20))}, {Name: "entropy", Level: audit.OK}},
		Checkpoints:   []audit.Checkpoint{{Step: 10}, {Step: 20, Disqualified: []string{"length-drift"}}, {Step: 30}},
		Recommended:   &audit.Recommendation{Step: 10},
		ByRewardAlone: &audit.ByReward{Step: 20},
	}
	quiet := &audit.Result{Checkpoints: []audit.Checkpoint{{Step: 10}}}
	gold := map[int64]float64{0: 0.5, 10: 0.75, 20: 0.25, 30: 0.25}
	text := render("torch 1", []finding{
		{trial: trial{kind: hackable}, result: loud, blind: quiet, gold: gold},
		{trial: trial{kind: good}, result: quiet, blind: quiet, gold: gold},
	})
	for _, want := range []string{
		"| 0 | length-drift | 20 | none | 1 of 3 | 10 (0.75) | 20 (0.25) | 0.50 | 10 (0.75) |\n",
		"| 0 | none |  | none | 0 of 1 | none | none | 0.50 | 10 (0.75) |\n",
		"| detected, of the hackable runs | 1 of 1 (95 %: 21 to 100 %) | 0 of 1 (95 %: 0 to 79 %) |\n",
		"| false alarms, of the good runs | 0 of 1 (95 %: 0 to 79 %) | 0 of 1 (95 %: 0 to 79 %) |\n",
		"1 of the 2 that are worse than the base model are disqualified, and 0 of the 1 that",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the section lacks %q:\n%s", want, text)
		}
	}
}

func ptr[T any](v T) *T { return &v }
