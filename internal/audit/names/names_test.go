package names

import (
	"slices"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestTrainersByTheirNames: what each trainer logs, with what lies under equal names.
func TestTrainersByTheirNames(t *testing.T) {
	for _, test := range []struct {
		trainer string
		names   []string
		name    string
		want    Meaning
	}{
		{"trl grpo", []string{"reward", "reward_std", "completion_length", "kl", "rewards/len"}, "kl",
			Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "k3, mean over the tokens of completions"}},
		{"trl grpo", []string{"train/completions/mean_length", "train/sampling/importance_sampling_ratio/mean", "train/kl"}, "train/completions/mean_length",
			Meaning{Quantity: record.Length, Unit: record.Tokens}},
		{"trl grpo or trl rloo", []string{"completions/mean_length", "kl", "frac_reward_zero_std"}, "kl",
			Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken}},
		{"trl grpo", []string{"completions/mean_length", "eval_completions/mean_length", "policy_loss"}, "eval_completions/mean_length",
			Meaning{Quantity: record.Length, Unit: record.Tokens, Evaluation: true}},
		{"trl ppo", []string{"objective/kl", "objective/scores", "policy/approxkl_avg"}, "objective/kl",
			Meaning{Quantity: record.KLReference, Unit: record.NatsPerSequence, Basis: "k1 unless kl_estimator is k3, summed over the sequence"}},
		{"trl ppo (up to 0.11)", []string{"objective/kl", "objective/kl_coef", "ppo/mean_scores"}, "objective/kl_coef",
			Meaning{Quantity: record.KLCoefficient, Unit: record.Plain}},
		{"openrlhf", []string{"train/kl", "train/reward", "train/ppo_kl", "train/response_length"}, "train/ppo_kl",
			Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k1, mean over tokens: may be below 0"}},
		{"openrlhf", []string{"train/ppo_kl", "eval/eval_gsm8k_pass1"}, "eval/eval_gsm8k_pass1",
			Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "mean reward of the evaluation's prompts", Evaluation: true}},
		{"verl", []string{"critic/score/mean", "actor/kl_loss", "response_length/mean"}, "critic/score/mean",
			Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "before the KL penalty"}},
		{"stable-baselines3", []string{"rollout/ep_rew_mean", "train/clip_fraction"}, "train/clip_fraction",
			Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: unsigned}},
		{"rsl-rl", []string{"Train/mean_reward", "Loss/surrogate", "Loss/entropy"}, "Loss/entropy",
			Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over actions"}},
		{"rl_games", []string{"rewards/step", "rewards/iter", "losses/entropy", "info/kl"}, "rewards/step",
			Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the last episodes"}},
		{"skrl", []string{"Reward / Total reward (mean)", "Loss / Policy loss"}, "Loss / Policy loss",
			Meaning{Quantity: record.PolicyLoss, Unit: record.Plain}},
		{"rllib", []string{"episode_reward_mean", "evaluation/episode_reward_mean", "info/learner/default_policy/learner_stats/kl"}, "evaluation/episode_reward_mean",
			Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "return in the evaluation's environment", Evaluation: true}},
		{"rllib", []string{"env_runners/episode_return_mean", "learners/default_policy/mean_kl_loss"}, "learners/default_policy/mean_kl_loss",
			Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "of the whole distributions, mean over actions"}},
		{"tianshou", []string{"train/reward", "test/reward", "test/reward_std", "update/loss"}, "train/reward",
			Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the episodes that were collected"}},
		{"spinning up", []string{"AverageEpRet", "AverageTestEpRet", "LossPi", "KL"}, "KL",
			Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k1, mean over actions: may be below 0"}},
		{"openai baselines", []string{"eprewmean", "loss/approxkl", "loss/clipfrac"}, "loss/approxkl",
			Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k2, mean over actions"}},
		{"cleanrl", []string{"charts/episodic_return", "losses/clipfrac"}, "losses/clipfrac",
			Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: unsigned}},
	} {
		trainer := Recognise(test.names)
		got, ok := trainer.Meaning(test.name)
		got.Rank = 0
		if trainer.Name() != test.trainer || !ok || got != test.want {
			t.Errorf("%v: trainer %q, %s is %+v, want %q, %+v", test.names, trainer.Name(), test.name, got, test.trainer, test.want)
		}
	}
}

// TestEqualNamesOfUnknownTrainers: a name has a meaning where all that log it agree, and is
// ambiguous where they do not.
func TestEqualNamesOfUnknownTrainers(t *testing.T) {
	nobody := Recognise([]string{"something", "else"})
	if nobody.Name() != "" {
		t.Error(nobody.Name())
	}
	if m, ok := nobody.Meaning("reward"); !ok || m.Quantity != record.Reward || m.Basis != "" {
		t.Errorf("reward is the reward everywhere: %+v %v", m, ok)
	}
	if m, ok := nobody.Meaning("kl"); !ok || m.Quantity != record.KLReference || m.Unit != "" {
		t.Errorf("the unit of a KL of nobody's is not known: %+v %v", m, ok)
	}
	if m, ok := nobody.Meaning("clip_ratio"); !ok || m.Quantity != record.ClipFraction {
		t.Errorf("%+v %v", m, ok)
	}
	if _, ok := nobody.Meaning("something"); ok || nobody.Ambiguous("something") {
		t.Error("something has no meaning")
	}
	two := Trainer{fits: []*table{{rows: []row{{"x", Meaning{Quantity: record.Reward}}}}, {rows: []row{{"x", Meaning{Quantity: record.HeldOut}}}}}}
	if _, ok := two.Meaning("x"); ok || !two.Ambiguous("x") {
		t.Error("x means two things")
	}
}

// TestNamesOfOwnLoops: what people's own loops log is known by its words, without units that
// only their code could tell; two of its names do not make it a known trainer.
func TestNamesOfOwnLoops(t *testing.T) {
	own := Recognise([]string{"loss", "Mean Reward", "reward_std", "policy_loss", "kl_mean", "gold_acc", "eval_reward"})
	if own.Name() != "" {
		t.Errorf("taken for %q", own.Name())
	}
	for name, want := range map[string]Meaning{
		"Mean Reward": {Quantity: record.Reward, Unit: record.Points},
		"kl_mean":     {Quantity: record.KLReference},
		"clip-frac":   {Quantity: record.ClipFraction, Unit: record.Share},
		"loss":        {},
	} {
		m, ok := own.Meaning(name)
		if m.Rank = 0; !ok || m != want {
			t.Errorf("%s is %+v %v, want %+v", name, m, ok, want)
		}
	}
	for _, name := range []string{"gold_acc", "eval_reward"} {
		if m, _ := own.Meaning(name); m.Quantity != record.HeldOut {
			t.Errorf("%s is %+v", name, m)
		}
	}
	grpo := Recognise([]string{"completions/mean_length", "frac_reward_zero_std", "policy_loss", "gold_acc", "mean_reward"})
	if m, _ := grpo.Meaning("gold_acc"); m.Quantity != record.HeldOut {
		t.Errorf("a gold score beside a trainer's own metrics is %+v", m)
	}
	if m, _ := grpo.Meaning("policy_loss"); m.Quantity != record.PolicyLoss {
		t.Errorf("policy_loss is %+v", m)
	}
}

// TestNoRuns: preferences and supervised training have metrics with names of rewards and
// entropy, which say nothing of a reward that is maximised.
func TestNoRuns(t *testing.T) {
	for trainer, names := range map[string][]string{
		"dpo or its kin": {"loss", "rewards/chosen", "rewards/rejected", "rewards/accuracies", "logps/chosen", "entropy"},
		"trl sft":        {"loss", "mean_token_accuracy", "entropy", "num_tokens", "eval_mean_token_accuracy"},
	} {
		got := Recognise(names)
		if got.Name() != trainer || got.NoRun() == "" {
			t.Errorf("%v: %q, %q", names, got.Name(), got.NoRun())
		}
		for _, name := range names {
			if m, ok := got.Meaning(name); m.Quantity != "" || !ok && !got.Idle(name) {
				t.Errorf("%s: %s is %+v %v", trainer, name, m, ok)
			}
		}
	}
}

// TestTables: every row has a known quantity and unit, no name is there twice, and every mark
// is a name of the trainer or one of its bookkeeping.
func TestTables(t *testing.T) {
	for _, table := range append(tables, &monitor) {
		seen := map[string]bool{}
		for _, r := range table.rows {
			if seen[r.name] {
				t.Errorf("%s: %s is there twice", table.trainer, r.name)
			}
			seen[r.name] = true
			if (r.Quantity == "") != (r.Unit == "") {
				t.Errorf("%s: %s has quantity %q and unit %q", table.trainer, r.name, r.Quantity, r.Unit)
			}
			if r.Quantity != "" && (!slices.Contains(record.Quantities, r.Quantity) || !slices.Contains(record.Units, r.Unit)) {
				t.Errorf("%s: %s: %q in %q", table.trainer, r.name, r.Quantity, r.Unit)
			}
		}
		if table != &monitor && len(table.marks) < 2 {
			t.Errorf("%s has %d marks", table.trainer, len(table.marks))
		}
	}
}

// TestPatterns: a star stands for some text, not for none.
func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"rewards/*/mean", "rewards/len/mean", true}, {"rewards/*/mean", "rewards//mean", false}, {"rewards/*", "rewards/", false},
		{"kl", "kl", true}, {"kl", "kl2", false}, {"eval_*_pass1", "eval_gsm8k_pass1", true}, {"eval_*_pass1", "eval_pass1", false},
	} {
		if got := matches(test.pattern, test.name); got != test.want {
			t.Errorf("%s fits %s: %v", test.name, test.pattern, got)
		}
	}
}

// TestIdleNames: what a trainer logs beside is known to be of no use, of that trainer alone.
func TestIdleNames(t *testing.T) {
	sb3 := Recognise([]string{"rollout/ep_rew_mean", "train/clip_fraction"})
	if !sb3.Idle("time/fps") || !sb3.Idle("train/loss") || sb3.Idle("train/approx_kl") || sb3.Idle("mine") || !sb3.Environment() {
		t.Error("the names beside")
	}
	if nobody := Recognise(nil); nobody.Idle("time/fps") || nobody.Environment() || Known("time/fps") {
		t.Error("of no trainer nothing is known")
	}
}
