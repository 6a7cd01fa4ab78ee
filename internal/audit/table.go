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
	// rare signals are of special set-ups: that they are unknown is not worth a line in
	// Result.Missing.
	rare bool
}

// table is the signals in the order in which they are shown.
var table = []row{
	{"kl-reference", []record.Quantity{record.KLReference}, klReference, false},
	{"kl-negative", []record.Quantity{record.KLReference}, klNegative, true},
	{"kl-per-reward", []record.Quantity{record.KLReference, record.Reward}, klPerReward, true},
	{"over-optimisation", []record.Quantity{record.KLReference, record.HeldOut}, overOptimisation, true},
	{"proxy-against-held-out", []record.Quantity{record.Reward, record.HeldOut}, proxyAgainstHeldOut, false},
	{"length-drift", []record.Quantity{record.Length}, lengthDrift, false},
	{"length-share", []record.Quantity{record.Length, record.Reward}, lengthShare, false},
	{"truncation", []record.Quantity{record.Truncated}, truncation, false},
	{"repetition", nil, repetition, false},
	{"duplicates", nil, duplicates, true},
	{"openings", nil, openings, true},
	{"refusals", nil, refusals, true},
	{"script-drift", nil, scriptDrift, true},
	{"reward-std", []record.Quantity{record.RewardStd}, rewardSpread, false},
	{"zero-std-groups", []record.Quantity{record.ZeroStdGroups}, zeroGroups, true},
	{"reward-disagreement", []record.Quantity{record.RewardDisagreement}, disagreement, true},
	{"entropy", []record.Quantity{record.Entropy}, entropyCollapse, false},
	{"clip-fraction", []record.Quantity{record.ClipFraction}, clipFraction, false},
	{"approx-kl", []record.Quantity{record.ApproxKL}, approxKL, true},
	{"ratio", []record.Quantity{record.Ratio}, meanRatio, true},
	{"ratio-drift", []record.Quantity{record.Ratio}, ratioDrift, true},
	{"explained-variance", []record.Quantity{record.ExplainedVariance}, explainedVariance, true},
	{"effective-samples", []record.Quantity{record.EffectiveSamples}, effectiveSamples, true},
	{"engine-mismatch", []record.Quantity{record.EngineMismatch, record.EngineRatio}, engineMismatch, true},
	{"non-finite", nil, nonFinite, true},
	{"rater-agreement", nil, raterAgreement, true},
}

// judgeAll runs the table. It also says what was not logged and should have been.
func judgeAll(e *evidence) (signals []Signal, missing []string) {
	for _, r := range table {
		s := r.judge(e)
		if v := s.Value; v != nil && !finite(*v) {
			s = unknown("the values are too large, or too near to 0, to be compared")
		}
		s.Name = r.name
		slices.SortFunc(s.Spans, bySpan)
		signals = append(signals, s)
		if s.Level == Unknown && !r.rare {
			missing = append(missing, r.name+": "+s.Note)
		}
	}
	return signals, missing
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// worst returns the signal with the worst level, the first of those.
func worst(signals []Signal) Signal {
	rank := map[Level]int{Alert: 0, Warn: 1, OK: 2, Unknown: 3}
	return slices.MinFunc(signals, func(a, b Signal) int { return rank[a.Level] - rank[b.Level] })
}
