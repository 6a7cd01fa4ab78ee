package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
)

func ptr[T any](v T) *T { return &v }

// sampleSeries is a series of 200 values, each ten steps.
func sampleSeries(q record.Quantity, name string, unit record.Unit, at func(x float64) float64) *record.Series {
	s := record.NewSeries("trainer_state.json", name)
	s.Quantity, s.Unit = q, unit
	for i := range 200 {
		s.Add(int64(10*i), at(float64(i)/200)+0.02*math.Sin(float64(7*i)))
	}
	return s
}

// rise goes from a to b around x = 0.6.
func rise(a, b float64) func(float64) float64 {
	return func(x float64) float64 { return a + (b-a)/(1+math.Exp(-20*(x-0.6))) }
}

// sampleRun is a run that learns to write long.
func sampleRun() *record.Run {
	run := &record.Run{Dir: "/runs/ppo", Trainer: "trl ppo", Series: []*record.Series{
		sampleSeries(record.Reward, "objective/scores", record.Points, func(x float64) float64 { return 3 * x }),
		sampleSeries(record.KLReference, "objective/kl", record.NatsPerSequence, rise(1, 30)),
		sampleSeries(record.Length, "length", record.Tokens, rise(50, 200)),
		sampleSeries(record.Entropy, "policy/entropy_avg", record.NatsPerToken, rise(2, 0.9)),
		sampleSeries("", "<script>alert(1)</script>", "", rise(0, 1)),
	}}
	for _, step := range []int64{0, 1000, 1900} {
		run.Batches = append(run.Batches, sampleBatch(step))
	}
	return run
}

// sampleBatch is what was completed at a step; the last one loops.
func sampleBatch(step int64) record.Batch {
	b := record.Batch{Source: "completions.jsonl", Step: step, Total: 3, Base: step == 0}
	for i := range 3 {
		text := fmt.Sprintf("The answer to question %d is short.", i)
		if step > 0 {
			text = strings.Repeat("The answer is very good and helpful. ", 1+int(step/500)*(i+1)) + "\x1b[31mred\u202e <script>alert(2)</script>"
		}
		b.Kept = append(b.Kept, record.Completion{
			Prompt: fmt.Sprintf("Question %d? <script>alert(3)</script> مرحبا", i), Text: text,
			Rewards: map[string]float64{"helpful": float64(step) / 1000}, Tokens: len(text) / 4, Truncated: ptr(step > 1000),
		})
	}
	return b
}

// hacked is the result of an audit of sampleRun, as it might be.
func hacked() *audit.Result {
	run := sampleRun()
	r := &audit.Result{
		Run: "/runs/ppo", Trainer: "trl ppo", Level: audit.Alert, Record: run, Primary: "held_out",
		Sources: []record.Source{
			{Path: "trainer_state.json", Format: "trainer_state", Records: 200, Bad: 1, Notes: []string{"ends in the middle of a record"}},
			{Path: "completions.jsonl", Format: "jsonl", Records: 9},
		},
		Unused: []record.Unused{{Path: "trainer_state.json", Metric: "<script>alert(1)</script>", Reason: "the name is not known; --metric gives it a quantity"}},
		Signals: []audit.Signal{
			{
				Name: "length", Level: audit.Alert, Step: ptr(int64(1200)), Value: ptr(201.3), Unit: record.Tokens, Threshold: "> 100", Basis: "twice the mean of the first tenth of the run; rewardspy",
				Note: "the mean length grew fourfold while the reward rose", Why: "the reward pays for length", Help: "add a length penalty or a length-controlled reward", Spans: []audit.Span{{From: 1200, To: -1}},
				Findings: []audit.Explanation{{Code: "KL016", Filename: "train.py", Row: 12, Message: "the KL penalty never reaches the loss"}},
				Curve:    run.Series[2].Points, Borders: []audit.Border{{Level: audit.Warn, At: 75}, {Level: audit.Alert, At: 100}},
			},
			{
				Name: "kl-reference", Level: audit.Warn, Step: ptr(int64(1100)), Value: ptr(29.8), Unit: record.NatsPerSequence, Threshold: "> 10", Basis: "TRL's FAQ: between 0 and 10",
				Note: "the policy is far from the reference", Curve: run.Series[1].Points, Borders: []audit.Border{{Level: audit.Warn, At: 10}, {Level: audit.Alert, At: 40}},
			},
			{Name: "clip-fraction", Level: audit.OK, Value: ptr(0.11), Unit: record.Share, Threshold: "> 0.3", Basis: "practice", Note: "within its bounds"},
			{Name: "entropy", Level: audit.OK, Value: ptr(0.92), Unit: record.NatsPerToken, Threshold: "< 0.5", Basis: "practice", Note: "falls, and flattens"},
			{Name: "effective-samples", Level: audit.Unknown, Threshold: "< 0.5", Basis: "verl", Note: "the trainer does not log it"},
		},
		OverOptimisation: &audit.OverOptimisation{A: 0.6, B: 0.26, PeakKL: 13.7, PeakScore: 0.96, Start: 0.2, Passed: true, N: 4},
		Agreement: &audit.Agreement{
			Statistic: "Cohen's kappa", Raters: []string{"ann", "bob"}, Kappa: audit.Metric{Value: 0.61, Low: ptr(0.44), High: ptr(0.78), N: 120},
			Disagree: []string{"ann and bob differ on 23 of 120 pairs"},
		},
		Texts: &audit.Texts{Base: "the base model's completions", Measures: []audit.TextMeasure{
			{Name: "length", What: "length in tokens", Unit: record.Tokens, Base: ptr(9.0), Steps: []audit.TextStep{
				{Step: 1000, Value: 60, Base: ptr(9.0), Low: ptr(40.0), High: ptr(62.0), N: 3, SamePrompts: true},
				{Step: 1900, Value: 81, Base: ptr(9.0), Low: ptr(70.0), High: ptr(74.0), N: 3, SamePrompts: true},
			}},
			{Name: "distinct_2", What: "different pairs of words <script>alert(4)</script>", Unit: record.Share, Steps: []audit.TextStep{{Step: 1900, Value: 0.125, Base: ptr(0.5), N: 3}}},
			{Name: "kl_k1", What: "no bias", Unit: record.NatsPerSequence, Steps: []audit.TextStep{{Step: 1900, Value: 29, Low: ptr(26.0), High: ptr(32.0), N: 3}}},
		}},
		Missing: []string{"log-probs of the reference model, for the KL estimators k1, k2 and k3"},
		Notes:   []string{"training was restarted at step 800: what had been logged from there on is left out"},
	}
	for i, step := range []int64{500, 1000, 1500, 1900} {
		x := float64(step) / 2000
		c := audit.Checkpoint{Step: step, Path: fmt.Sprintf("checkpoint-%d", step), Pareto: i < 2, Metrics: map[string]audit.Metric{
			"reward":       {Value: 3 * x, Unit: record.Points, N: 10},
			"kl_reference": {Value: rise(1, 30)(x), Unit: record.NatsPerSequence, N: 10},
			"length":       {Value: rise(50, 200)(x), Unit: record.Tokens, N: 10},
			"rep_4":        {Value: 0.01 + 0.2*x*x, Unit: record.Share, N: 3},
		}}
		held, half := []float64{0.4, 0.62, 0.3, 0.12}[i], 0.05
		c.Metrics["held_out"] = audit.Metric{Value: held, Low: ptr(held - half), High: ptr(held + half), Unit: record.Points, N: 60}
		c.Metrics["win_rate"] = audit.Metric{Value: 0.5 + held/3, Low: ptr(0.45 + held/3), High: ptr(0.55 + held/3), Unit: record.Share, N: 120}
		if step >= 1200 {
			c.Disqualified = []string{"length"}
		}
		r.Checkpoints = append(r.Checkpoints, c)
	}
	r.Recommended = &audit.Recommendation{Step: 1000, Path: "checkpoint-1000", Why: "its held-out score is at least 0.57 (95 %), more than that of any other without an alert"}
	r.ByRewardAlone = &audit.ByReward{Step: 1900, Path: "checkpoint-1900", Reward: 2.85, Cost: &audit.Metric{Value: 0.5, Low: ptr(0.43), High: ptr(0.57), Unit: record.Points, N: 60}}
	return r
}

// clean is a run without an alert, and without anything held-out.
func clean() *audit.Result {
	r := hacked()
	r.Signals = append(r.Signals[2:], audit.Signal{Name: "length-drift", Level: audit.OK, Value: ptr(1.1), Unit: record.Plain, Note: "within its bounds"})
	r.Level, r.Primary, r.Recommended, r.OverOptimisation, r.Agreement = audit.OK, "", nil, nil, nil
	r.ByRewardAlone.Cost = nil
	for i := range r.Checkpoints {
		c := &r.Checkpoints[i]
		delete(c.Metrics, "held_out")
		delete(c.Metrics, "win_rate")
		c.Disqualified = nil
	}
	r.Missing = []string{"nothing held-out was found: 97 prompts judged by two raters give a win rate to within 10 points"}
	return r
}

// blind is a run that logged nothing by which cheating shows.
func blind() *audit.Result {
	r := clean()
	r.Signals, r.Level = r.Signals[:len(r.Signals)-1], audit.Unknown
	return r
}

// empty is what comes of a run that logged nothing of use.
func empty() *audit.Result {
	return &audit.Result{Run: "/runs/none", Level: audit.Unknown, Signals: []audit.Signal{{Name: "length", Level: audit.Unknown, Note: "it is not logged"}}}
}
