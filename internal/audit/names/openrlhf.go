package names

import "github.com/rlvet/rlvet/internal/audit/record"

// openRLHF are the names of OpenRLHF's PPO trainer, less the prefix "train/".
var openRLHF = table{
	trainer: "openrlhf",
	marks: []string{
		"ppo_clip_ratio", "ppo_kl", "logprobs_diff", "response_length", "total_length", "return", "vllm_kl", "group_reward_std",
		"actor_lr", "act_loss", "generated_samples", "dynamic_filtering_pass_rate", "timing/make_experience", "timing/ppo_train",
	},
	rows: []row{
		{"reward", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "a mean over completions"}},
		{"score", Meaning{Basis: "what the remote reward returns beside the reward"}},
		{"return", Meaning{Quantity: record.RewardPenalised, Unit: record.Points, Basis: "after baseline and KL penalty, summed over the sequence"}},
		{"group_reward_std", Meaning{Quantity: record.RewardStd, Unit: record.Points, Basis: "within groups"}},
		{"kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "k1 unless the estimator is set, mean over the tokens of a response, clamped to +-10", Trap: "0 by construction without a reference model (coefficient 0)"}},
		{"logprobs_diff", Meaning{Basis: "k1 to the reference, mean over the tokens of a response"}},
		{"kl_coef", klCoefficient},
		{"ppo_kl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k1, mean over tokens: may be below 0"}},
		{"ppo_clip_ratio", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage, over tokens"}},
		{"clip_ratio", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage, over tokens"}},
		{"entropy_loss", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "the entropy itself, mean over tokens"}},
		{"vllm_kl", Meaning{Quantity: record.EngineMismatch, Unit: record.NatsPerToken, Basis: "k1 of the rollout engine and the trainer, mean over tokens: not absolute", Trap: "differences of both signs cancel"}},
		{"response_length", Meaning{Quantity: record.Length, Unit: record.Tokens}},
		{"truncated", Meaning{Quantity: record.Truncated, Unit: record.Share}},
		{"total_length", Meaning{Basis: "prompt and response"}},
		{"policy_loss", policyLoss},
		{"act_loss", policyLoss},
		{"critic_loss", valueLoss},
		{"actor_lr", learningRate},
		{"eval_*_pass1", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "mean reward of the evaluation's prompts", Evaluation: true}},
		{"eval_*_response_length_mean", Meaning{Quantity: record.Length, Unit: record.Tokens, Evaluation: true}},
		{"eval_response_length_mean", Meaning{Quantity: record.Length, Unit: record.Tokens, Evaluation: true}},
		{"eval_*_truncated_rate", Meaning{Quantity: record.Truncated, Unit: record.Share, Evaluation: true}},
		{"eval_truncated_rate", Meaning{Quantity: record.Truncated, Unit: record.Share, Evaluation: true}},
		{"eval_*_pass*", Meaning{Basis: "the best of several samples of each prompt", Evaluation: true}},
	},
}
