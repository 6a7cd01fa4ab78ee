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
		{"Loss/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over actions"}},
		{"Loss/surrogate", Meaning{Quantity: record.PolicyLoss, Unit: record.Plain}},
		{"Loss/value_function", Meaning{Quantity: record.ValueLoss, Unit: record.Plain}},
		{"Loss/value", Meaning{Quantity: record.ValueLoss, Unit: record.Plain}},
		{"Loss/learning_rate", Meaning{Quantity: record.LearningRate, Unit: record.Plain}},
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
		{"episode_lengths/step", Meaning{Quantity: record.Length, Unit: record.Steps}},
		{"info/kl", Meaning{Quantity: record.ApproxKL, Unit: record.NatsPerToken, Basis: "of two Gaussians, mean over actions"}},
		{"losses/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over actions"}},
		{"losses/a_loss", Meaning{Quantity: record.PolicyLoss, Unit: record.Plain}},
		{"losses/c_loss", Meaning{Quantity: record.ValueLoss, Unit: record.Plain}},
		{"info/last_lr", Meaning{Quantity: record.LearningRate, Unit: record.Plain}},
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
		{"Loss / Policy loss", Meaning{Quantity: record.PolicyLoss, Unit: record.Plain}},
		{"Loss / Value loss", Meaning{Quantity: record.ValueLoss, Unit: record.Plain}},
		{"Loss / Critic loss", Meaning{Quantity: record.ValueLoss, Unit: record.Plain}},
		{"Learning / Learning rate", Meaning{Quantity: record.LearningRate, Unit: record.Plain}},
	},
	idle: []string{"Reward / *", "Episode / *", "Loss / *", "Policy / *", "Q-network / *", "Target / *", "Coefficient / *", "Stats / *", "Exploration / *"},
}
