package names

import (
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// plain are names that people give to metrics in loops of their own. They say what is
// measured, and not how: the divergences have no unit, since one loop sums over the sequence
// and the next takes the mean over tokens, and a length may be in words as well. The names are
// in lower case, with underscores for spaces and hyphens, and without the words for a mean.
var plain = table{rows: join(
	each(Meaning{Quantity: record.Reward, Unit: record.Points}, "reward", "rewards", "reward/total", "rollout/reward", "proxy", "proxy_reward", "proxy_score", "rm_score"),
	each(Meaning{Quantity: record.Reward, Unit: record.Points},
		"episode_reward", "episodic_reward", "ep_reward", "ep_rew", "episode_return", "episodic_return", "ep_return", "ep_ret"),
	each(episodeLength, "episode_length", "episodic_length", "ep_length", "episode_len", "ep_len"),
	each(Meaning{Quantity: record.RewardStd, Unit: record.Points}, "reward_std", "std_reward", "reward/std", "rewards/std"),
	each(Meaning{Quantity: record.ZeroStdGroups, Unit: record.Share},
		"zero_adv_fraction", "frac_zero_adv", "frac_zero_std", "zero_std_frac", "zero_std_fraction", "frac_reward_zero_std", "zero_variance_frac"),
	each(Meaning{Quantity: record.HeldOut, Unit: record.Points, Basis: "a score that training does not see, by its name"},
		"gold", "gold_reward", "gold_score", "gold_acc", "gold_accuracy", "true_reward", "held_out", "heldout_reward", "heldout_score"),
	each(Meaning{Quantity: record.KLReference}, "kl", "kl_div", "kl_divergence", "kl_ref", "kl_to_ref", "ref_kl", "exact_kl"),
	each(Meaning{Quantity: record.ApproxKL}, "approx_kl", "approxkl", "policy_kl"),
	each(Meaning{Quantity: record.ClipFraction, Unit: record.Share}, "clip_ratio", "clip_frac", "clipfrac", "clip_fraction"),
	each(Meaning{Quantity: record.Ratio, Unit: record.Plain}, "ratio", "importance_ratio"),
	each(Meaning{Quantity: record.Entropy}, "entropy", "policy_entropy", "policy/entropy", "token_entropy"),
	each(Meaning{Quantity: record.Length}, "completion_len", "completion_length", "response_len", "response_length", "generation_length"),
	each(Meaning{Quantity: record.Truncated, Unit: record.Share}, "truncated", "truncated_frac", "frac_truncated", "truncation_rate", "truncated_ratio"),
	each(policyLoss, "policy_loss", "pg_loss", "actor_loss"),
	each(valueLoss, "value_loss", "critic_loss", "vf_loss"),
	each(explainedVariance, "explained_variance", "explained_var"),
	each(Meaning{Quantity: record.GradientNorm, Unit: record.Plain}, "grad_norm"),
	each(learningRate, "lr", "learning_rate"),
	each(Meaning{}, append([]string{"total_loss", "_wandb/runtime", "profiling/*"}, trainerIdle...)...),
)}

// meanWords are what people put before or behind a name to say that it is a mean.
var meanWords = regexp.MustCompile(`^(?:mean|avg|average)_|[_/](?:mean|avg)$`)

var underscored = strings.NewReplacer(" ", "_", "-", "_")

// each gives one meaning to several names.
func each(m Meaning, names ...string) []row {
	var rows []row
	for _, name := range names {
		rows = append(rows, row{name, m})
	}
	return rows
}

// plainly looks a name up that no known trainer gave. What an evaluation logs of the reward is
// a score that training does not see.
func plainly(name string) (Meaning, bool) {
	name = underscored.Replace(strings.ToLower(Canonical(name)))
	m, ok := plain.meaning(meanWords.ReplaceAllString(name, ""))
	if m.Evaluation && m.Quantity == record.Reward {
		m.Quantity = record.HeldOut
	}
	return m, ok
}
