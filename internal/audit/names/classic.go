package names

import "github.com/rlvet/rlvet/internal/audit/record"

// sb3 are the names of Stable-Baselines3.
var sb3 = table{
	trainer: "stable-baselines3", environment: true,
	marks: []string{
		"rollout/ep_rew_mean", "rollout/ep_len_mean", "train/clip_fraction", "train/policy_gradient_loss", "train/entropy_loss",
		"train/n_updates", "train/clip_range", "time/fps", "train/actor_loss", "train/critic_loss", "rollout/exploration_rate",
	},
	rows: []row{
		{"rollout/ep_rew_mean", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the last 100 episodes"}},
		{"rollout/ep_len_mean", Meaning{Quantity: record.Length, Unit: record.Steps, Basis: "of the last 100 episodes"}},
		{"rollout/success_rate", Meaning{Quantity: record.HeldOut, Unit: record.Share, Basis: "is_success of the last 100 training episodes"}},
		{"eval/mean_reward", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "return in the evaluation's environment", Evaluation: true}},
		{"eval/success_rate", Meaning{Quantity: record.HeldOut, Unit: record.Share, Evaluation: true}},
		{"eval/mean_ep_length", evaluationLength},
		{"train/approx_kl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k3, mean over actions"}},
		{"train/clip_fraction", unsignedClipping},
		{"train/entropy_loss", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over actions; logged with a minus sign, turned here", Negated: true}},
		{"train/explained_variance", Meaning{Quantity: record.ExplainedVariance, Unit: record.Plain, Basis: "over the rollout, before the update"}},
		{"train/policy_gradient_loss", policyLoss},
		{"train/kl_divergence_loss", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "of TRPO, mean over actions"}},
		{"train/policy_loss", policyLoss},
		{"train/actor_loss", policyLoss},
		{"train/value_loss", valueLoss},
		{"train/critic_loss", valueLoss},
		{"train/learning_rate", learningRate},
	},
	idle: []string{"train/ent_coef", "train/ent_coef_loss", "train/std", "rollout/std", "train/loss", "train/n_updates", "train/clip_range",
		"train/clip_range_vf", "train/policy_objective", "train/is_line_search_success", "rollout/exploration_rate", "time/*"},
}

// monitor are the columns of the monitor.csv of Stable-Baselines3 and Gymnasium's ancestors.
var monitor = table{
	trainer: "monitor", environment: true,
	rows: []row{
		{"r", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of each episode"}},
		{"l", Meaning{Quantity: record.Length, Unit: record.Steps, Basis: "of each episode"}},
		{"is_success", Meaning{Quantity: record.HeldOut, Unit: record.Share, Basis: "is_success of each training episode"}},
	},
}

// evaluations are the arrays of the evaluations.npz of Stable-Baselines3's EvalCallback.
var evaluations = table{
	trainer: "evaluations", environment: true,
	rows: []row{
		{"results", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "mean return of the evaluation's episodes", Evaluation: true}},
		{"successes", Meaning{Quantity: record.HeldOut, Unit: record.Share, Basis: "is_success of the evaluation's episodes", Evaluation: true}},
		{"ep_lengths", evaluationLength},
	},
}

// cleanRL are the names of CleanRL's scripts.
var cleanRL = table{
	trainer: "cleanrl", environment: true,
	marks: []string{
		"charts/episodic_return", "charts/episodic_length", "charts/learning_rate", "charts/SPS", "losses/old_approx_kl",
		"losses/approx_kl", "losses/clipfrac", "losses/explained_variance", "losses/entropy", "losses/policy_loss", "losses/value_loss",
	},
	rows: []row{
		{"charts/episodic_return", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of each episode"}},
		{"charts/avg_episodic_return", Meaning{Quantity: record.Reward, Unit: record.Points}},
		{"charts/episodic_length", episodeLength},
		{"eval/episodic_return", Meaning{Quantity: record.HeldOut, Unit: record.Points, Evaluation: true}},
		{"losses/approx_kl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k3, of the last minibatch, mean over actions"}},
		{"losses/old_approx_kl", Meaning{Basis: "k1 of the old and the new policy"}},
		{"losses/clipfrac", unsignedClipping},
		{"losses/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over actions, of the last minibatch"}},
		{"losses/explained_variance", explainedVariance},
		{"losses/policy_loss", policyLoss},
		{"losses/value_loss", valueLoss},
		{"losses/actor_loss", policyLoss},
		{"losses/td_loss", valueLoss},
		{"losses/qf_loss", valueLoss},
		{"charts/learning_rate", learningRate},
	},
	idle: []string{"charts/SPS", "charts/epsilon", "charts/update", "losses/q_values", "losses/qf1_values", "losses/qf2_values", "losses/qf1_loss",
		"losses/qf2_loss", "losses/alpha", "losses/alpha_loss"},
}

// join returns the rows one after the other.
func join(parts ...[]row) []row {
	var all []row
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}
