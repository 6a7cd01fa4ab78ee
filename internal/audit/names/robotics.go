package names

import "github.com/rlvet/rlvet/internal/audit/record"

// rslRL are the names of RSL-RL, of legged_gym and Isaac Lab. A step is an update.
var rslRL = table{
	trainer: "rsl-rl", environment: true,
	marks: []string{
		"Train/mean_reward", "Train/mean_episode_length", "Loss/surrogate", "Loss/value_function", "Policy/mean_noise_std", "Policy/mean_std",
		"Perf/total_fps", "Perf/collection time", "Perf/learning_time", "Loss/learning_rate", "Train/mean_reward/time",
	},
	rows: []row{
		{"Train/mean_reward", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the last 100 episodes"}},
		{"Train/mean_episode_length", Meaning{Quantity: record.Length, Unit: record.Steps, Basis: "of the last 100 episodes"}},
		{"Loss/entropy", actionEntropy},
		{"Loss/surrogate", policyLoss},
		{"Loss/value_function", valueLoss},
		{"Loss/value", valueLoss},
		{"Loss/learning_rate", learningRate},
	},
	idle: []string{"Train/mean_reward/time", "Train/mean_episode_length/time", "Policy/*", "Perf/*", "Episode/*", "Episode_Reward/*", "Episode_Termination/*",
		"Curriculum/*", "Metrics/*"},
}

// rlGames are the names of rl_games. It logs each curve over frames ("step"), updates ("iter")
// and seconds ("time"); the first is read.
var rlGames = table{
	trainer: "rl_games", environment: true,
	marks: []string{
		"rewards/step", "rewards/iter", "episode_lengths/step", "losses/a_loss", "losses/c_loss", "losses/bounds_loss", "info/last_lr", "info/e_clip",
		"info/kl", "performance/step_fps", "performance/step_inference_rl_update_fps",
	},
	rows: []row{
		{"rewards/step", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the last episodes"}},
		{"episode_lengths/step", episodeLength},
		{"info/kl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "of two Gaussians, mean over actions"}},
		{"losses/entropy", actionEntropy},
		{"losses/a_loss", policyLoss},
		{"losses/c_loss", valueLoss},
		{"info/last_lr", learningRate},
	},
	idle: []string{"rewards/iter", "rewards/time", "episode_lengths/iter", "episode_lengths/time", "shaped_rewards/*", "losses/bounds_loss", "info/*", "performance/*"},
}

// skrl are the names of skrl.
var skrl = table{
	trainer: "skrl", environment: true,
	marks: []string{
		"Reward / Total reward (mean)", "Reward / Instantaneous reward (mean)", "Episode / Total timesteps (mean)", "Loss / Policy loss",
		"Loss / Value loss", "Policy / Standard deviation", "Learning / Learning rate",
	},
	rows: []row{
		{"Reward / Total reward (mean)", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "return of the last 100 episodes"}},
		{"Episode / Total timesteps (mean)", Meaning{Quantity: record.Length, Unit: record.Steps, Basis: "of the last 100 episodes"}},
		{"Loss / Policy loss", policyLoss},
		{"Loss / Value loss", valueLoss},
		{"Loss / Critic loss", valueLoss},
		{"Learning / Learning rate", learningRate},
	},
	idle: []string{"Reward / *", "Episode / *", "Loss / *", "Policy / *", "Q-network / *", "Target / *", "Coefficient / *", "Stats / *", "Exploration / *"},
}
