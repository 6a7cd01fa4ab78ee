package read

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestStableBaselines: progress.csv, the monitors of two environments, a model's archive.
func TestStableBaselines(t *testing.T) {
	r := run(t, folder(t, `
-- progress.csv --
rollout/ep_len_mean,rollout/ep_rew_mean,time/fps,time/total_timesteps,train/approx_kl,train/clip_fraction,train/entropy_loss,train/explained_variance
20,18.5,900,2048,,,,
30,25.25,910,4096,0.01,0.125,-0.6875,0.5
40,35,905,6144,nan,0.25,-0.5,inf
-- 0.monitor.csv --
#{"t_start": 100.0, "env_id": "CartPole-v1"}
r,l,t
10.0,10,1.0
30.0,30,3.0
-- 1.monitor.csv --
#{"t_start": 101.5, "env_id": "CartPole-v1"}
r,l,t
20.0,20,0.5
40.0,40,9.5
-- rl_model_4096_steps.zip --
PK
`), Options{})
	if r.Trainer != "stable-baselines3" {
		t.Error(r.Trainer)
	}
	wantValues(t, r, "rollout/ep_rew_mean", 2048, 18.5, 4096, 25.25, 6144, 35)
	wantValues(t, r, "r", 10, 10, 30, 20, 60, 30, 100, 40) // by time, at the sum of the lengths
	entropy := series(t, r, "train/entropy_loss")
	wantValues(t, r, "train/entropy_loss", 4096, 0.6875, 6144, 0.5)
	if entropy.Quantity != record.Entropy || !strings.Contains(entropy.Basis, "minus sign") {
		t.Errorf("%+v", entropy)
	}
	if s := series(t, r, "train/clip_fraction"); s.Quantity != record.ClipFraction || !strings.Contains(s.Basis, "whatever the sign") {
		t.Errorf("%+v", s)
	}
	if s := series(t, r, "r"); s.Quantity != record.Reward || s.Source != "0.monitor.csv" {
		t.Errorf("%+v", s)
	}
	if s := series(t, r, "train/approx_kl"); s.NonFinite != 1 {
		t.Errorf("%+v", s)
	}
	if len(r.Checkpoints) != 1 || r.Checkpoints[0] != (record.Checkpoint{Step: 4096, Path: "rl_model_4096_steps.zip"}) {
		t.Errorf("%+v", r.Checkpoints)
	}
}

// TestExportOfWandb: a chart that was exported has the run in its names, and bounds beside.
func TestExportOfWandb(t *testing.T) {
	r := run(t, folder(t, `
-- wandb_export.csv --
"Step","brisk-sun-7 - train/kl","brisk-sun-7 - train/kl__MIN","brisk-sun-7 - train/kl__MAX"
"10","0.5","0.4","0.6"
"20","0.75","0.7","0.8"
-- other.csv --
"Step","a - train/loss","b - train/loss"
"10","1","2"
`), Options{})
	wantValues(t, r, "train/kl", 10, 0.5, 20, 0.75)
	wantValues(t, r, "train/loss", 10, 1)
	wantLine(t, r.Sources[0].Notes, "holds 2 runs", `"a"`)
}

// TestSettings: those that matter, of the files that trainers write; a model's are not.
func TestSettings(t *testing.T) {
	r := run(t, folder(t, `
-- log.csv --
step,reward
1,2
-- training_args.json --
{"beta": 0.04, "num_iterations": 1, "output_dir": "x", "temperature": 1.0, "epsilon_high": null}
-- .hydra/config.yaml --
algorithm:
  kl_ctrl:
    kl_coef: 0.001
actor_rollout_ref:
  actor:
    clip_ratio: 0.2
    use_kl_loss: true
-- wandb/run-1/files/config.yaml --
_wandb:
  value: {cli_version: 0.21.0}
max_completion_length:
  desc: null
  value: 512
beta:
  value: 0.1
-- checkpoint-5/config.json --
{"architectures": ["GPT2LMHeadModel"], "temperature": 5}
-- training_args.bin --
pickle
`), Options{})
	want := map[string]any{
		"algorithm.kl_ctrl.kl_coef": 0.001, "actor_rollout_ref.actor.clip_ratio": 0.2, "actor_rollout_ref.actor.use_kl_loss": true,
		"beta": 0.04, "num_iterations": 1.0, "temperature": 1.0, "epsilon_high": nil, "max_completion_length": 512.0,
	}
	if diff := cmp.Diff(want, r.Config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantLine(t, r.Notes, "beta is 0.04 in training_args.json and 0.1 in wandb/run-1/files/config.yaml")
}

// TestCompletions: TRL's columns as JSON lines, verl's dumps by step, the base model's file.
func TestCompletions(t *testing.T) {
	r := run(t, folder(t, `
-- completions/completions_00010.jsonl --
{"step": 10, "prompt": "a", "completion": "x y", "length_reward": 2, "format_reward": NaN, "advantage": 0.5, "gold": 0.25, "tokens": 7, "truncated": true, "logprob": -3.5, "ref_logprob": -4}
{"step": 10, "prompt": [{"role": "user", "content": "b"}], "completion": [{"role": "assistant", "content": "z"}], "rewards": {"length_reward": 1}, "finish_reason": "stop"}
-- rollouts/20.jsonl --
{"input": "a", "output": "w", "score": 3.0, "gts": "4"}
-- completions/base.jsonl --
{"prompt": "a", "completion": "base answer", "length_reward": 0}
-- mixed.jsonl --
{"step": 0, "prompt": "a", "completion": "first", "r": 1, "model": "policy"}
{"step": 0, "prompt": "a", "completion": "of the reference", "r": 1, "model": "reference"}
`), Options{})
	var got []string
	for _, b := range r.Batches {
		for _, c := range b.Kept {
			got = append(got, fmt.Sprintf("%d base=%v %s|%s %v", b.Step, b.Base, c.Prompt, c.Text, c.Rewards))
		}
	}
	slices.Sort(got)
	want := []string{
		"0 base=false a|first map[r:1]",
		"0 base=true a|base answer map[length_reward:0]", "0 base=true a|of the reference map[r:1]",
		"10 base=false a|x y map[length_reward:2]", "10 base=false b|z map[length_reward:1]",
		"20 base=false a|w map[score:3]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, s := range r.Sources {
		if s.Path == "rollouts/20.jsonl" {
			wantLine(t, s.Notes, "the file's name, 20, is used")
		}
	}
	c := find1(t, r.Batches[2], "x y")
	if *c.Advantage != 0.5 || *c.Gold != 0.25 || c.Tokens != 7 || !*c.Truncated || *c.LogProb != -3.5 || *c.ReferenceLogProb != -4 {
		t.Errorf("%+v", c)
	}
	if c := find1(t, r.Batches[2], "z"); *c.Truncated {
		t.Errorf("%+v", c)
	}
}

// TestCompletionsWithoutAStep: a number in the name of a folder is no step.
func TestCompletionsWithoutAStep(t *testing.T) {
	r := run(t, folder(t, "-- log.csv --\nstep,reward\n1,2\n-- seed_3/completions.jsonl --\n{\"prompt\": \"a\", \"completion\": \"b\"}\n"), Options{})
	if len(r.Batches) != 0 || len(r.Unused) != 1 || !strings.Contains(r.Unused[0].Reason, "completions without a step: add a column step") {
		t.Errorf("%+v %+v", r.Batches, r.Unused)
	}
}

// TestMetricsAmongCompletions: a log may hold both, a line each.
func TestMetricsAmongCompletions(t *testing.T) {
	r := run(t, folder(t, `
-- log.jsonl --
{"step": 1, "reward": 0.5}
{"step": 1, "score": 1, "prompt": "p", "completion": "c"}
{"step": 2, "reward": 0.75}
`), Options{})
	wantValues(t, r, "reward", 1, 0.5, 2, 0.75)
	if len(r.Series) != 1 || len(r.Batches) != 1 || len(r.Sources) != 2 {
		t.Errorf("%+v %+v", r.Series, r.Sources)
	}
}

// TestSampleKeepsTheSamePrompts: however the rows are ordered, each step keeps the same ones.
func TestSampleKeepsTheSamePrompts(t *testing.T) {
	s := newSamples(10)
	for step := range int64(5) {
		for i := range 200 {
			prompt := fmt.Sprint((i*[]int{1, 3, 7, 9, 11}[step] + 7) % 200) // another order at each step
			s.add("f", example{step: step, Completion: record.Completion{Prompt: prompt, Text: "t"}})
		}
	}
	var r record.Run
	s.fill(&r)
	var first []string
	for i, b := range r.Batches {
		var prompts []string
		for _, c := range b.Kept {
			prompts = append(prompts, c.Prompt)
		}
		if first == nil {
			first = prompts
		}
		if diff := cmp.Diff(first, prompts); diff != "" || len(prompts) != 10 || b.Total != 200 || b.Step != int64(i) {
			t.Errorf("%+v %s", b, diff)
		}
	}
}

// TestSampleIsBounded: the budget holds whatever comes, and what was left out is said.
func TestSampleIsBounded(t *testing.T) {
	s := newSamples(0)
	s.budget = 4 << 20
	text := strings.Repeat("x", 65<<10)
	for step := range int64(40) {
		for i := range 20 {
			s.add("f", example{step: step, Completion: record.Completion{Prompt: fmt.Sprint(i), Text: text}})
		}
	}
	if s.bytes > s.budget {
		t.Error(s.bytes)
	}
	var r record.Run
	s.fill(&r)
	if len(r.Batches) < 4 || r.Batches[0].Step != 0 || r.Batches[len(r.Batches)-1].Step != 39 {
		t.Errorf("%d batches", len(r.Batches))
	}
	wantLine(t, r.Notes, "same ones at each")
	wantLine(t, r.Notes, "of some steps were left out")
	wantLine(t, r.Notes, "cut to its first 64 KB")
}
