package names

import "github.com/rlvet/rlvet/internal/audit/record"

// trainerRows are what transformers' Trainer logs of every training.
var trainerRows = []row{
	{"grad_norm", Meaning{Quantity: record.GradientNorm, Unit: record.Plain, Basis: "before clipping"}},
	{"learning_rate", learningRate},
}

// trainerIdle is what transformers' Trainer logs of every training besides.
var trainerIdle = []string{
	"loss", "epoch", "num_tokens", "num_input_tokens_seen", "train_loss", "total_flos", "train_runtime", "train_samples_per_second", "train_steps_per_second",
	"eval_loss", "eval_runtime", "eval_samples_per_second", "eval_steps_per_second", "eval_num_tokens",
}

// onceTrap is why ratios and clipping say nothing in a run that uses each batch once.
const onceTrap = "0 by construction where each batch is used for one step (num_iterations 1)"

// groupRows are what TRL's GRPOTrainer and RLOOTrainer log alike.
var groupRows = []row{
	{"reward", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "weighted sum of the reward functions, a mean over completions"}},
	{"reward_std", Meaning{Quantity: record.RewardStd, Unit: record.Points, Basis: "over the batch in new versions, within groups in older ones"}},
	{"frac_reward_zero_std", Meaning{Quantity: record.ZeroStdGroups, Unit: record.Share}},
	{"entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over the tokens of completions"}},
	{"completions/mean_length", Meaning{Quantity: record.Length, Unit: record.Tokens}},
	{"completion_length", Meaning{Quantity: record.Length, Unit: record.Tokens}},
	{"completions/clipped_ratio", Meaning{Quantity: record.Truncated, Unit: record.Share, Basis: "completions that do not end in an end-of-sequence token"}},
	{"rewards/*/mean", Meaning{Quantity: record.RewardPart, Unit: record.Points, Basis: "one reward function, before its weight"}},
	{"rewards/*/std", Meaning{Basis: "of one reward function"}},
	{"rewards/*std", Meaning{Basis: "of reward functions"}},
	{"rewards/*", Meaning{Quantity: record.RewardPart, Unit: record.Points, Basis: "one reward function, before its weight"}},
}

// groupIdle is what the two log besides.
var groupIdle = append([]string{
	"completions/*", "eval_completions/*", "sampling/*", "tools/*", "profiling/*", "aux_loss", "entropy_coef", "cispo_clip_ratio", "step_time",
}, trainerIdle...)

// groupMarks are the names by which the two are known.
var groupMarks = []string{
	"completions/mean_length", "completions/clipped_ratio", "completions/mean_terminated_length",
	"frac_reward_zero_std", "clip_ratio/region_mean", "rewards/*", "reward_std",
}

// grpo are the names of TRL's GRPOTrainer, of this and of older versions.
var grpo = table{
	trainer: "trl grpo",
	idle:    groupIdle,
	marks: append([]string{
		"completion_length", "clip_ratio", "sampling/importance_sampling_ratio/mean", "sampling/sampling_logp_difference/mean",
		"policy_loss", "entropy_coef", "cispo_clip_ratio", "tools/call_frequency",
	}, groupMarks...),
	rows: join(groupRows, []row{
		{"kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "k3, mean over the tokens of completions"}},
		{"clip_ratio/region_mean", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage, over tokens", Trap: onceTrap}},
		{"clip_ratio", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "over tokens, before March 2025 whatever the sign of the advantage", Trap: onceTrap}},
		{"clip_ratio/*", Meaning{Basis: "by the sign of the advantage, over tokens", Trap: onceTrap}},
		{"policy_loss", policyLoss},
		{"sampling/importance_sampling_ratio/mean", Meaning{Quantity: record.EngineRatio, Unit: record.Plain, Basis: "after truncation"}},
		{"sampling/sampling_logp_difference/mean", Meaning{Quantity: record.EngineMismatch, Unit: record.NatsPerToken, Basis: "absolute difference of log-probs, a mean over tokens"}},
	}, trainerRows),
}

// rloo are the names of TRL's RLOOTrainer since 0.22.
var rloo = table{
	trainer: "trl rloo",
	idle:    groupIdle,
	marks:   groupMarks,
	rows: join(groupRows, []row{
		{"kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "k1, mean over the tokens of completions"}},
		{"clip_ratio/region_mean", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage, over sequences", Trap: onceTrap}},
		{"clip_ratio/*", Meaning{Basis: "by the sign of the advantage, over sequences", Trap: onceTrap}},
	}, trainerRows),
}

// ppo are the names of TRL's PPOTrainer since PPOv2, and of RLOOTrainer before 0.22.
var ppo = table{
	trainer: "trl ppo",
	idle:    append([]string{"episode"}, trainerIdle...),
	marks: []string{
		"objective/rlhf_reward", "objective/scores", "objective/non_score_reward", "policy/approxkl_avg", "policy/clipfrac_avg",
		"policy/entropy_avg", "val/ratio", "val/ratio_var", "val/num_eos_tokens", "loss/value_avg",
	},
	rows: join([]row{
		{"objective/scores", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "the reward model's score, a mean over completions"}},
		{"objective/rlhf_reward", Meaning{Quantity: record.RewardPenalised, Unit: record.Points}},
		{"objective/non_score_reward", Meaning{Basis: "the KL penalty, summed over the sequence"}},
		{"objective/kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerSequence, Basis: "k1 unless kl_estimator is k3, summed over the sequence"}},
		{"policy/entropy_avg", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over all positions", Trap: "TRL takes the mean over pads, too, where the entropy is anything; take it over the tokens of responses"}},
		{"objective/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerSequence, Basis: "-log-prob of the sampled tokens, summed over the sequence", Trap: "TRL counts each pad as -1: short answers make it small"}},
		{"policy/approxkl_avg", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k2, mean over all positions", Trap: "TRL takes the mean over pads, too, where it is 0: short answers make it small"}},
		{"policy/clipfrac_avg", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage, over the tokens of responses"}},
		{"val/ratio", Meaning{Quantity: record.Ratio, Unit: record.Plain, Basis: "mean over all positions and minibatches", Trap: "TRL takes the mean over pads, too, where it is 1"}},
		{"val/ratio_var", Meaning{Basis: "variance of the means of minibatches", Trap: "not the variance of the tokens' ratios: drift among tokens does not show"}},
		{"val/num_eos_tokens", Meaning{Quantity: record.EndTokens, Unit: record.Tokens, Basis: "summed over the batch of one process"}},
		{"val/clipfrac_avg", Meaning{Basis: "of the value loss"}},
		{"loss/policy_avg", policyLoss},
		{"loss/value_avg", valueLoss},
		{"lr", learningRate},
		{"eps", Meaning{}},
	}, trainerRows),
}

// oldPPO are the names of TRL's PPOTrainer up to 0.11.
var oldPPO = table{
	trainer: "trl ppo (up to 0.11)",
	marks: []string{
		"ppo/mean_scores", "ppo/mean_non_score_reward", "ppo/policy/approxkl", "ppo/policy/clipfrac", "ppo/policy/policykl",
		"ppo/val/var_explained", "objective/kl_coef", "env/reward_mean", "tokens/responses_len_mean", "ppo/loss/total",
	},
	rows: []row{
		{"env/reward_mean", Meaning{Quantity: record.Reward, Unit: record.Points}},
		{"ppo/mean_scores", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "after scaling and clipping of scores, where that is on"}},
		{"env/reward_std", Meaning{Quantity: record.RewardStd, Unit: record.Points, Basis: "over the batch"}},
		{"ppo/std_scores", Meaning{Quantity: record.RewardStd, Unit: record.Points, Basis: "over the batch"}},
		{"ppo/mean_non_score_reward", Meaning{Basis: "the KL penalty, mean over tokens"}},
		{"objective/kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerSequence, Basis: "k1 unless kl_penalty says otherwise, summed over the sequence", Trap: "below 0 where generation is not sampled from the policy as trained"}},
		{"objective/kl_coef", klCoefficient},
		{"ppo/policy/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over the tokens of responses"}},
		{"objective/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerSequence, Basis: "-log-prob of the sampled tokens, summed over the sequence"}},
		{"ppo/policy/approxkl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k2, mean over the tokens of responses"}},
		{"ppo/policy/policykl", Meaning{Basis: "k1 of the old and the new policy, mean over tokens; early_stopping looks at it"}},
		{"ppo/policy/clipfrac", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage, over the tokens of responses"}},
		{"ppo/policy/ratio", Meaning{Quantity: record.Ratio, Unit: record.Plain}},
		{"ppo/val/var_explained", explainedVariance},
		{"ppo/loss/policy", policyLoss},
		{"ppo/loss/value", valueLoss},
		{"ppo/learning_rate", learningRate},
		{"tokens/responses_len_mean", Meaning{Quantity: record.Length, Unit: record.Tokens}},
		{"tokens/responses_len_std", Meaning{}},
		{"ppo/*", Meaning{}},
	},
}
