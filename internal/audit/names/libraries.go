package names

import "github.com/rlvet/rlvet/internal/audit/record"

// rllib are the names of Ray RLlib, before and after its new stack of 2024; in TensorBoard they
// stand behind "ray/tune/".
var rllib = table{
	trainer: "rllib", environment: true,
	marks: []string{
		"episode_reward_mean", "episode_len_mean", "episodes_this_iter", "episodes_total", "timesteps_this_iter", "time_since_restore",
		"iterations_since_restore", "env_runners/episode_return_mean", "env_runners/episode_reward_mean", "learners/*", "info/learner/*",
		"ray/tune/*", "num_healthy_workers",
	},
	rows: join(rllibRows(""), rllibRows("ray/tune/"), rllibRows("env_runners/"), rllibRows("sampler_results/"), rllibRows("ray/tune/env_runners/"), []row{
		{"info/learner/*/kl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "of the whole distributions, mean over actions"}},
		{"learners/*/mean_kl_loss", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "of the whole distributions, mean over actions"}},
		{"info/learner/*/entropy", actionEntropy},
		{"learners/*/entropy", actionEntropy},
		{"info/learner/*/vf_explained_var", explainedVariance},
		{"learners/*/vf_explained_var", explainedVariance},
		{"info/learner/*/policy_loss", policyLoss},
		{"learners/*/policy_loss", policyLoss},
		{"info/learner/*/vf_loss", valueLoss},
		{"learners/*/vf_loss", valueLoss},
		{"info/learner/*/cur_lr", learningRate},
	}),
	idle: []string{"info/*", "learners/*", "timers/*", "perf/*", "config/*", "ray/tune/*", "env_runners/*", "sampler_results/*", "evaluation/*", "sampler_perf/*",
		"counters/*", "hist_stats/*", "fault_tolerance/*", "env_runner_group/*", "num_*", "time_*", "timers*", "episodes_this_iter", "episodes_total",
		"timesteps_this_iter", "timesteps_since_restore", "iterations_since_restore", "agent_timesteps_total", "episode_reward_max", "episode_reward_min",
		"done", "pid", "warmup_time", "episodes_timesteps_total"},
}

// rllibRows are the episodes, of training and of the evaluation, behind a prefix.
func rllibRows(prefix string) []row {
	evaluation := prefix + "evaluation/"
	if prefix == "env_runners/" || prefix == "sampler_results/" {
		evaluation = "evaluation/" + prefix
	}
	var rows []row
	for _, name := range []string{"episode_reward_mean", "episode_return_mean"} {
		rows = append(rows,
			row{prefix + name, Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the iteration's episodes"}},
			row{evaluation + name, Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "return in the evaluation's environment", Evaluation: true}})
	}
	return append(rows,
		row{prefix + "episode_len_mean", episodeLength},
		row{evaluation + "episode_len_mean", evaluationLength})
}

// tianshou are the names of Tianshou, before and after 1.0. What stands under "update/" is
// logged by updates, the rest by steps of the environment: the two cannot be laid side by side.
var tianshou = table{
	trainer: "tianshou", environment: true,
	marks: []string{
		"train/episode", "test/env_step", "test/reward", "test/reward_std", "test/length_std", "test/returns_stat/mean", "train/returns_stat/mean",
		"save/env_step", "update/*", "train/env_step",
	},
	rows: []row{
		{"train/reward", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the episodes that were collected"}},
		{"train/returns_stat/mean", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the episodes that were collected"}},
		{"train/length", episodeLength},
		{"train/lens_stat/mean", episodeLength},
		{"test/reward", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "return in the test environments", Evaluation: true}},
		{"test/returns_stat/mean", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "return in the test environments", Evaluation: true}},
		{"test/length", evaluationLength},
		{"test/lens_stat/mean", evaluationLength},
	},
	idle: []string{"update/*", "save/*", "train/*", "test/*", "info/*"},
}

// spinningUp are the columns of Spinning Up's progress.txt.
var spinningUp = table{
	trainer: "spinning up", environment: true,
	marks: []string{
		"AverageEpRet", "StdEpRet", "MaxEpRet", "MinEpRet", "AverageTestEpRet", "TestEpLen", "AverageVVals", "AverageQ1Vals", "LossPi", "LossV", "LossQ",
		"DeltaLossPi", "StopIter", "ClipFrac",
	},
	rows: []row{
		{"AverageEpRet", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the epoch's episodes"}},
		{"AverageTestEpRet", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "return of the test episodes, without exploration", Evaluation: true}},
		{"EpLen", episodeLength},
		{"TestEpLen", evaluationLength},
		{"KL", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k1, mean over actions: may be below 0"}},
		{"Entropy", actionEntropy},
		{"ClipFrac", unsignedClipping},
		{"LossPi", policyLoss},
		{"LossV", valueLoss},
		{"LossQ", valueLoss},
	},
	idle: []string{"StdEpRet", "MaxEpRet", "MinEpRet", "StdTestEpRet", "MaxTestEpRet", "MinTestEpRet", "DeltaLoss*", "StopIter", "Average*", "Std*", "Max*", "Min*",
		"LossQ1", "LossQ2", "VVals", "Time"},
}

// baselines are the names of OpenAI's Baselines and of Stable-Baselines 2. approxkl is k2.
var baselines = table{
	trainer: "openai baselines", environment: true,
	marks: []string{
		"eprewmean", "eplenmean", "misc/nupdates", "misc/serial_timesteps", "loss/approxkl", "loss/clipfrac", "loss/policy_entropy", "approxkl", "clipfrac",
		"serial_timesteps", "policy_entropy", "EpRewMean", "EpLenMean", "EpThisIter", "ev_tdlam_before", "mean 100 episode reward",
		"% time spent exploring", "rollout/return_history", "total/epochs", "rollout/return", "ep_reward_mean",
	},
	rows: join([]row{
		{"eprewmean", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: lastHundred}},
		{"ep_reward_mean", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: lastHundred}},
		{"EpRewMean", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: lastHundred}},
		{"mean 100 episode reward", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: lastHundred}},
		{"rollout/return", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the epoch's episodes"}},
		{"eval/return", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "return in the evaluation's environment", Evaluation: true}},
		{"eplenmean", episodeLength},
		{"ep_len_mean", episodeLength},
		{"EpLenMean", episodeLength},
		{"rollout/episode_steps", episodeLength},
	}, updates("loss/"), updates(""), []row{
		{"misc/explained_variance", explainedVariance},
		{"explained_variance", explainedVariance},
		{"ev_tdlam_before", explainedVariance},
		{"loss_ent", actionEntropy},
		{"loss_kl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "of the whole distributions, mean over actions"}},
		{"train/loss_actor", policyLoss},
		{"train/loss_critic", valueLoss},
	}),
	idle: []string{"misc/*", "loss_*", "total/*", "rollout/*", "eval/*", "reference_*", "obs_rms_*", "ret_rms_*", "param_noise_*", "train/param_noise_distance",
		"fps", "n_updates", "nupdates", "serial_timesteps", "time_elapsed", "EpThisIter", "EpisodesSoFar", "TimeElapsed", "% time spent exploring", "episodes"},
}

const lastHundred = "return of the last 100 episodes"

// updates are what Baselines' PPO logs of an update, behind a prefix.
func updates(prefix string) []row {
	return []row{
		{prefix + "approxkl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "k2, mean over actions"}},
		{prefix + "clipfrac", unsignedClipping},
		{prefix + "policy_entropy", actionEntropy},
		{prefix + "policy_loss", policyLoss},
		{prefix + "value_loss", valueLoss},
	}
}
