package audit

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// row is a signal: its name, the quantities that it reads, and how it is judged. To add
// one, add a file with its function, and a row here.
type row struct {
	name  string
	reads []record.Quantity
	judge func(*evidence) Signal
	of    scope
}

// scope says of which runs a signal is.
type scope int

const (
	// rare signals are of special set-ups: that they are unknown is not worth a line in
	// Result.Missing.
	rare scope = 1 << iota
	// ofTexts is what only policies that write texts have: left out of the result where the
	// policy acts in an environment, unless its numbers were logged all the same.
	ofTexts
	// ofUpdates is PPO's: where the policy acts in an environment, other algorithms are as
	// common, and it may not be missing.
	ofUpdates
)

// missed reports whether it is worth a line that a signal of this scope is unknown.
func (s scope) missed(environment bool) bool {
	return s&rare == 0 && !(environment && s&ofUpdates != 0)
}

// table is the signals in the order in which they are shown.
var table = []row{
	{"kl-reference", []record.Quantity{record.KLReference}, klReference, ofTexts},
	{"kl-negative", []record.Quantity{record.KLReference}, klNegative, rare | ofTexts},
	{"kl-per-reward", []record.Quantity{record.KLReference, record.Reward}, klPerReward, rare | ofTexts},
	{"over-optimisation", []record.Quantity{record.KLReference, record.HeldOut}, overOptimisation, rare | ofTexts},
	{"proxy-against-held-out", []record.Quantity{record.Reward, record.HeldOut}, proxyAgainstHeldOut, 0},
	{"worse-than-base", []record.Quantity{record.HeldOut}, worseThanBase, rare | ofTexts},
	{"reward-components", []record.Quantity{record.RewardPart, record.Reward}, rewardComponents, rare | ofTexts},
	{"length-drift", []record.Quantity{record.Length}, lengthDrift, ofTexts},
	{"length-share", []record.Quantity{record.Length, record.Reward}, lengthShare, ofTexts},
	{"truncation", []record.Quantity{record.Truncated}, truncation, ofTexts},
	{"repetition", nil, repetition, ofTexts},
	{"duplicates", nil, duplicates, rare | ofTexts},
	{"openings", nil, openings, rare | ofTexts},
	{"refusals", nil, refusals, rare | ofTexts},
	{"script-drift", nil, scriptDrift, rare | ofTexts},
	{"reward-std", []record.Quantity{record.RewardStd}, rewardSpread, ofTexts},
	{"zero-std-groups", []record.Quantity{record.ZeroStdGroups}, zeroGroups, rare | ofTexts},
	{"reward-disagreement", []record.Quantity{record.RewardDisagreement}, disagreement, rare | ofTexts},
	{"entropy", []record.Quantity{record.Entropy}, entropyCollapse, ofUpdates},
	{"clip-fraction", []record.Quantity{record.ClipFraction}, clipFraction, ofUpdates},
	{"approx-kl", []record.Quantity{record.ApproxKL}, approxKL, rare | ofUpdates},
	{"ratio", []record.Quantity{record.Ratio}, meanRatio, rare | ofTexts},
	{"ratio-drift", []record.Quantity{record.Ratio}, ratioDrift, rare | ofTexts},
	{"explained-variance", []record.Quantity{record.ExplainedVariance}, explainedVariance, rare | ofUpdates},
	{"effective-samples", []record.Quantity{record.EffectiveSamples}, effectiveSamples, rare | ofTexts},
	{"engine-mismatch", []record.Quantity{record.EngineMismatch, record.EngineRatio}, engineMismatch, rare | ofTexts},
	{"non-finite", nil, nonFinite, rare},
	{"rater-agreement", nil, raterAgreement, rare | ofTexts},
}

// judgeAll runs the table. It also says what was not logged and should have been.
func judgeAll(e *evidence) (signals []Signal, missing []string) {
	for _, r := range table {
		s := r.judge(e)
		if v := s.Value; v != nil && !finite(*v) {
			s = unknown("the values are too large, or too close to 0, to be compared")
		}
		if s.Level == Unknown && r.of&ofTexts != 0 && e.run.Environment {
			continue
		}
		s.Name, s.Help = r.name, e.unheld(s.Help)
		slices.SortFunc(s.Spans, bySpan)
		signals = append(signals, s)
		if s.Level == Unknown && r.of.missed(e.run.Environment) {
			missing = append(missing, r.name+": "+s.Note)
		}
	}
	return signals, missing
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// ranks of the levels, the worst first.
var ranks = map[Level]int{Alert: 0, Warn: 1, OK: 2, Unknown: 3}

func worse(a, b Signal) bool { return ranks[a.Level] < ranks[b.Level] }

// worst returns the signal with the worst level, the first of those.
func worst(signals []Signal) Signal {
	return slices.MinFunc(signals, func(a, b Signal) int { return ranks[a.Level] - ranks[b.Level] })
}
