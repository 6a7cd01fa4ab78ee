package record

import (
	"slices"
	"strings"
)

// Quantity names what a number measures, whatever the logger calls it.
type Quantity string

// The vocabulary. Names of loggers are mapped to it by the tables of internal/audit/read;
// what has no row there stays a Series with its own name and no quantity.
const (
	// Reward is the proxy that training maximises: the mean over the batch of the reward
	// model's score, or of the episode's return, before a KL penalty.
	Reward Quantity = "reward"
	// RewardPenalised is Reward less the KL penalty.
	RewardPenalised Quantity = "reward_penalised"
	// RewardPart is the mean of one reward function of several that are added up to Reward.
	RewardPart Quantity = "reward_part"
	// RewardStd is the standard deviation of the reward over the batch or the group.
	RewardStd Quantity = "reward_std"
	// ZeroStdGroups is the share of groups whose rewards are all equal: no signal.
	ZeroStdGroups Quantity = "zero_std_groups"
	// HeldOut is a score that training does not maximise: an evaluation, a gold reward.
	HeldOut Quantity = "held_out"
	// RewardDisagreement is the standard deviation over an ensemble of reward models.
	RewardDisagreement Quantity = "reward_disagreement"
	// KLReference is the KL divergence of the policy from the reference model. Its Unit says
	// whether it is a sum over the sequence or a mean over tokens.
	KLReference Quantity = "kl_reference"
	// KLCoefficient is the weight of the KL term.
	KLCoefficient Quantity = "kl_coefficient"
	// ApproxKL is the divergence between the policy that collected and the updated one.
	ApproxKL Quantity = "approx_kl"
	// ClipFraction is the share of ratios that the clip cut off.
	ClipFraction Quantity = "clip_fraction"
	// Ratio is the mean importance ratio of the updated to the collecting policy.
	Ratio Quantity = "ratio"
	// Entropy is that of the policy, a mean over tokens or actions.
	Entropy Quantity = "entropy"
	// ExplainedVariance is 1 - var(return - value)/var(return).
	ExplainedVariance Quantity = "explained_variance"
	// Length is the mean length of a completion or of an episode.
	Length Quantity = "length"
	// Truncated is the share of completions that were cut at the longest length.
	Truncated Quantity = "truncated"
	// EndTokens counts the end-of-sequence tokens: a mean over completions, or, where its Basis
	// says so, a sum over the batch of one process.
	EndTokens Quantity = "end_tokens"
	// EffectiveSamples is the effective sample size of the importance weights, as a share.
	EffectiveSamples Quantity = "effective_samples"
	// EngineRatio is the mean importance ratio of the trainer to the rollout engine.
	EngineRatio Quantity = "engine_ratio"
	// EngineMismatch is the mean absolute difference between the log-probs, or the
	// probabilities, of the rollout engine and those of the trainer.
	EngineMismatch Quantity = "engine_mismatch"
	// PolicyLoss and ValueLoss are the terms of the loss.
	PolicyLoss Quantity = "policy_loss"
	ValueLoss  Quantity = "value_loss"
	// GradientNorm is that of all parameters, before clipping.
	GradientNorm Quantity = "gradient_norm"
	// LearningRate is the optimizer's.
	LearningRate Quantity = "learning_rate"
)

// Unit says what a number counts, and what it is a sum or a mean over.
type Unit string

// The units. An empty Unit is one that the logger does not tell.
const (
	NatsPerSequence Unit = "nats per sequence" // a sum over the tokens, a mean over sequences
	NatsPerToken    Unit = "nats per token"    // a mean over tokens or actions
	Nats            Unit = "nats"
	Share           Unit = "share" // of 0 to 1
	Tokens          Unit = "tokens"
	Words           Unit = "words" // split at white space
	Characters      Unit = "characters"
	Steps           Unit = "steps of the environment"
	Points          Unit = "points" // of a reward
	Plain           Unit = "number" // a ratio, a coefficient
)

// Quantities and Units are all that there are, for those who name one.
var (
	Quantities = []Quantity{
		Reward, RewardPenalised, RewardPart, RewardStd, ZeroStdGroups, HeldOut, RewardDisagreement,
		KLReference, KLCoefficient, ApproxKL, ClipFraction, Ratio, Entropy,
		ExplainedVariance, Length, Truncated, EndTokens, EffectiveSamples, EngineRatio,
		EngineMismatch, PolicyLoss, ValueLoss, GradientNorm, LearningRate,
	}
	Units = []Unit{NatsPerSequence, NatsPerToken, Nats, Share, Tokens, Words, Characters, Steps, Points, Plain}
)

// Typed is the unit as one word, as it is written on the command line.
func (u Unit) Typed() string { return strings.ReplaceAll(string(u), " ", "-") }

// ParseUnit reads a unit whose words may be joined by hyphens or underscores, and reports
// whether there is such a one.
func ParseUnit(text string) (Unit, bool) {
	u := Unit(strings.Join(strings.Fields(strings.NewReplacer("-", " ", "_", " ").Replace(text)), " "))
	return u, slices.Contains(Units, u)
}
