package names

import "github.com/rlvet/rlvet/internal/audit/record"

// tinker are the names of the training loops of the Tinker cookbook.
var tinker = table{
	trainer: "tinker cookbook",
	marks: []string{
		"env/all/reward/total", "env/all/ac_tokens_per_turn", "env/all/turns_per_episode", "env/all/by_group/frac_mixed",
		"optim/kl_sample_train_v1", "optim/kl_sample_train_v2", "optim/entropy", "kl_policy_base", "progress/done_frac",
	},
	rows: []row{
		{"env/all/reward/total", Meaning{Quantity: record.Reward, Unit: record.Points, Basis: "a mean over trajectories"}},
		{"test/env/all/reward/total", Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "the test set's prompts, by its reward", Evaluation: true}},
		{"env/all/ac_tokens_per_turn", Meaning{Quantity: record.Length, Unit: record.Tokens, Basis: "of a turn"}},
		{"test/env/all/ac_tokens_per_turn", Meaning{Quantity: record.Length, Unit: record.Tokens, Basis: "of a turn", Evaluation: true}},
		{"kl_policy_base", Meaning{Quantity: record.KLReference, Unit: record.NatsPerToken, Basis: "k1, mean over the tokens of actions"}},
		{"optim/entropy", Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "-log-prob of the sampled tokens, a mean over them"}},
		{"optim/kl_sample_train_v1", Meaning{Basis: "k1 of the sampler and the trainer, mean over tokens: not absolute"}},
		{"optim/kl_sample_train_v2", Meaning{Basis: "k2 of the sampler and the trainer, mean over tokens"}},
		{"optim/lr", learningRate},
	},
	idle: []string{"optim/*", "env/*", "test/*", "time/*", "progress/*", "sampling_client/*"},
}

// preferences are the names of TRL's and others' trainers of DPO and its kin. They train on
// given answers: what they call rewards are log-ratios of the policy itself.
var preferences = table{
	trainer: "dpo or its kin",
	noRun:   "learns from preferences over given answers (DPO and its kin) and samples none",
	marks: []string{
		"rewards/chosen", "rewards/rejected", "rewards/accuracies", "rewards/margins", "logps/chosen", "logps/rejected", "logits/chosen", "logits/rejected",
	},
	rows: join(each(Meaning{}, "rewards/chosen", "rewards/rejected", "rewards/accuracies", "rewards/margins", "entropy"), trainerRows),
	idle: append([]string{"rewards/*", "logps/*", "logits/*", "mean_token_accuracy", "*_loss", "accuracy", "log_odds_chosen", "log_odds_ratio", "eval_*"}, trainerIdle...),
}

// supervised are the names of TRL's SFTTrainer.
var supervised = table{
	trainer: "trl sft",
	noRun:   "is supervised training, which has no reward",
	marks:   []string{"mean_token_accuracy", "eval_mean_token_accuracy"},
	rows:    join([]row{{"entropy", Meaning{Basis: "of the model on given texts"}}}, trainerRows),
	idle:    append([]string{"mean_token_accuracy", "eval_*"}, trainerIdle...),
}
