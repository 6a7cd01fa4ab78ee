package names

import "github.com/rlvet/rlvet/internal/audit/record"

// trainerRows are what transformers' Trainer logs of every training.
var trainerRows = []row{
	{"grad_norm", Meaning{Quantity: record.GradientNorm, Unit: record.Plain, Basis: "before clipping"}},
	{"learning_rate", Meaning{Quantity: record.LearningRate, Unit: record.Plain}},
}

// grpo are the names of TRL's GRPOTrainer, of this and of older versions.
var grpo = table{
	trainer: "trl grpo",
	marks:   []string{"completions/mean_length", "completions/clipped_ratio", "frac_reward_zero_std", "clip_ratio/region_mean", "completion_length", "rewards/*", "reward_std"},
	rows: append([]row{
		{"reward", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "weighted sum of the reward functions, a mean over completions"}},
		{"reward_std", Meaning{Quantity: record.RewardStd, Unit: record.Points, Basis: "of each group, a mean over groups"}},
		{"frac_reward_zero_std", Meaning{Quantity: record.ZeroStdGroups, Unit: record.Share}},
		{"kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "k3, mean over the tokens of completions"}},
		{"entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over the tokens of completions"}},
		{"completions/mean_length", Meaning{Quantity: record.Length, Unit: record.Tokens}},
		{"completion_length", Meaning{Quantity: record.Length, Unit: record.Tokens}},
		{"completions/clipped_ratio", Meaning{Quantity: record.Truncated, Unit: record.Share, Basis: "completions without an end-of-sequence token"}},
		{"clip_ratio/region_mean", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage", Trap: "0 by construction where each batch is used for one step (num_iterations 1)"}},
		{"clip_ratio", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Trap: "0 by construction where each batch is used for one step (num_iterations 1)"}},
		{"policy_loss", Meaning{Quantity: record.PolicyLoss, Unit: record.Plain}},
		{"sampling/importance_sampling_ratio/mean", Meaning{Quantity: record.EngineRatio, Unit: record.Plain}},
		{"sampling/sampling_logp_difference/mean", Meaning{Quantity: record.EngineMismatch, Unit: record.NatsPerToken, Basis: "absolute difference of log-probs"}},
		{"rewards/*/mean", Meaning{Basis: "one reward function, a part of reward"}},
		{"rewards/*/std", Meaning{Basis: "of one reward function"}},
		{"rewards/*", Meaning{Basis: "one reward function, a part of reward"}},
	}, trainerRows...),
}

// ppo are the names of TRL's PPOTrainer since PPOv2.
var ppo = table{
	trainer: "trl ppo",
	marks:   []string{"objective/rlhf_reward", "objective/scores", "objective/non_score_reward", "policy/approxkl_avg", "policy/clipfrac_avg", "val/ratio", "val/ratio_var", "val/num_eos_tokens", "loss/value_avg"},
	rows: append([]row{
		{"objective/scores", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "the reward model's score, a mean over completions"}},
		{"objective/rlhf_reward", Meaning{Quantity: record.RewardPenalised, Unit: record.Points}},
		{"objective/kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerSequence, Basis: "k1 unless kl_estimator is k3, summed over the sequence"}},
		{"policy/entropy_avg", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over all positions", Trap: "pads are in the mean"}},
		{"objective/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerSequence, Basis: "-log-prob of the sampled tokens, summed over the sequence"}},
		{"policy/approxkl_avg", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k2, mean over all positions", Trap: "pads are in the mean: short answers make it small"}},
		{"policy/clipfrac_avg", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage, over the tokens of responses"}},
		{"val/ratio", Meaning{Quantity: record.Ratio, Unit: record.Plain, Basis: "mean over all positions and minibatches", Trap: "pads are in the mean, with ratio 1"}},
		{"val/ratio_var", Meaning{Basis: "variance of the means of minibatches", Trap: "not the variance of the tokens' ratios: drift among tokens does not show"}},
		{"val/num_eos_tokens", Meaning{Quantity: record.EndTokens, Unit: record.Tokens, Basis: "summed over the batch of one process"}},
		{"loss/policy_avg", Meaning{Quantity: record.PolicyLoss, Unit: record.Plain}},
		{"loss/value_avg", Meaning{Quantity: record.ValueLoss, Unit: record.Plain}},
		{"lr", Meaning{Quantity: record.LearningRate, Unit: record.Plain}},
	}, trainerRows...),
}

// oldPPO are the names of TRL's PPOTrainer up to 0.11.
var oldPPO = table{
	trainer: "trl ppo (up to 0.11)",
	marks:   []string{"ppo/mean_scores", "ppo/mean_non_score_reward", "ppo/policy/approxkl", "ppo/policy/clipfrac", "ppo/val/var_explained", "objective/kl_coef", "env/reward_mean", "tokens/responses_len_mean"},
	rows: []row{
		{"env/reward_mean", Meaning{Quantity: record.Reward, Unit: record.Points}},
		{"objective/kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerSequence, Basis: "k1, summed over the sequence"}},
	},
}
