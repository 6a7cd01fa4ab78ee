package names

import "github.com/rlvet/rlvet/internal/audit/record"

// verl are the names of verl, of this and of older versions.
var verl = table{
	trainer: "verl",
	idle: []string{
		"training/*", "response_length_non_aborted/*", "response/*", "num_turns/*", "global_seqlen/*", "mfu/*", "rollout_corr/*", "mismatch/*", "tool_call_counts/*", "batch/*",
	},
	marks: []string{
		"critic/score/mean", "critic/rewards/mean", "critic/advantages/mean", "response_length/mean", "response_length/clip_ratio",
		"actor/pg_loss", "actor/ppo_kl", "actor/pg_clipfrac", "actor/entropy", "actor/entropy_loss", "training/global_step", "val-core/*",
	},
	rows: []row{
		{"critic/score/mean", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "before the KL penalty"}},
		{"critic/rewards/mean", Meaning{Quantity: record.RewardPenalised, Unit: record.Points}},
		{"actor/reward_kl_penalty", Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "by kl_penalty (k1 unless set), mean over the tokens of a response"}},
		{"actor/kl_loss", Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "by kl_loss_type (k3 unless set), mean over tokens"}},
		{"critic/kl", Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "by kl_penalty (k1 unless set), mean over the tokens of a response"}},
		{"actor/reward_kl_penalty_coeff", klCoefficient},
		{"actor/kl_coef", klCoefficient},
		{"critic/kl_coeff", klCoefficient},
		{"actor/ppo_kl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k1, mean over tokens: may be below 0"}},
		{"actor/pg_clipfrac", Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: "by the sign of the advantage, over tokens"}},
		{"actor/pg_clipfrac_lower", Meaning{Basis: "of the dual clip"}},
		{"actor/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over tokens, before the update"}},
		{"actor/entropy_loss", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "the entropy itself, mean over tokens"}},
		{"critic/vf_explained_var", explainedVariance},
		{"critic/vf_loss", valueLoss},
		{"actor/pg_loss", policyLoss},
		{"actor/grad_norm", Meaning{Quantity: record.GradientNorm, Unit: record.Plain, Basis: "before clipping"}},
		{"actor/lr", learningRate},
		{"response_length/mean", Meaning{Quantity: record.Length, Unit: record.Tokens}},
		{"response_length_non_aborted/mean", Meaning{Quantity: record.Length, Unit: record.Tokens}},
		{"response_length/clip_ratio", Meaning{Quantity: record.Truncated, Unit: record.Share, Basis: "responses of the longest length"}},
		{"training/rollout_probs_diff_mean", Meaning{Quantity: record.EngineMismatch, Unit: record.Share, Basis: "absolute difference of probabilities, a mean over tokens"}},
		{"rollout_corr/rollout_is_mean", Meaning{Quantity: record.EngineRatio, Unit: record.Plain}},
		{"mismatch/rollout_is_mean", Meaning{Quantity: record.EngineRatio, Unit: record.Plain}},
		{"rollout_corr/rollout_is_eff_sample_size", Meaning{Quantity: record.EffectiveSamples, Unit: record.Share}},
		{"mismatch/rollout_is_eff_sample_size", Meaning{Quantity: record.EffectiveSamples, Unit: record.Share}},
		{"val-core/*", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "the validation's prompts, by its reward function", Evaluation: true}},
		{"val/test_score/*", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "the validation's prompts, by its reward function", Evaluation: true}},
		{"val-aux/*", Meaning{Evaluation: true}},
		{"actor/*", Meaning{}},
		{"critic/*", Meaning{}},
		{"response_length/*", Meaning{}},
		{"prompt_length/*", Meaning{}},
		{"timing_s/*", Meaning{}},
		{"timing_per_token_ms/*", Meaning{}},
		{"perf/*", Meaning{}},
	},
}
