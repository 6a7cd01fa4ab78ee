// Package audit reads what a training run left behind and says whether its reward rose
// because the policy became better or because it cheats, and which checkpoint to take.
//
// Signals are computed one by one (signals*.go), each against the start of the run and an
// absolute guard, each with its source. A signal that cannot be computed is "unknown" and
// says what is missing: it is never a false all-clear. Alerts disqualify checkpoints; the
// rest is chosen by held-out judgements, never by the reward that was trained on.
//
// Input: a [Request]: the folder of a run, and the settings by which it is read. Output: a
// [Result]. Nothing is run and nothing is written; [Job.Follow] reads a run that goes on again
// and again.
package audit

import "github.com/rlvet/rlvet/internal/audit/record"

// Level says how bad a signal is.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warn    Level = "warn"
	Alert   Level = "alert"
	Unknown Level = "unknown"
)

// Result is what came of an audit. Its JSON is what `rlvet audit --output-format json` prints.
type Result struct {
	// Run is the folder, absolute; Trainer the one whose names were recognised, or "".
	Run     string `json:"run"`
	Trainer string `json:"trainer"`
	// Level is the verdict: that of the worst signal, and unknown where nothing was logged by
	// which cheating would show.
	Level Level `json:"level"`
	// Sources and Unused are what was read, and what was seen and not used.
	Sources []record.Source `json:"sources"`
	Unused  []record.Unused `json:"unused"`
	// OtherRuns are runs that lie in the folder, too, and of which nothing is used.
	OtherRuns []record.Other `json:"other_runs"`
	// Signals are in the order of the table of the documentation.
	Signals []Signal `json:"signals"`
	// Checkpoints are by step, ascending.
	Checkpoints []Checkpoint `json:"checkpoints"`
	// Primary is the metric of Checkpoints by which they were ranked, "" where nothing held-out
	// was found.
	Primary string `json:"primary"`
	// Recommended is nil where nothing held-out says which to take.
	Recommended *Recommendation `json:"recommended"`
	// ByRewardAlone is the checkpoint with the highest training reward, nil without one.
	ByRewardAlone *ByReward `json:"by_reward_alone"`
	// OverOptimisation is the law that was fitted to held-out scores over KL, nil where there
	// are too few, or where they show no peak.
	OverOptimisation *OverOptimisation `json:"over_optimisation"`
	// Agreement is that of the raters of the judgements, nil where fewer than two rated.
	Agreement *Agreement `json:"agreement"`
	// Texts is what was measured of the completions, nil where none are logged,
	// or where Options did not ask for it.
	Texts *Texts `json:"texts"`
	// Missing is what was not logged and would be needed, a sentence each.
	Missing []string `json:"missing"`
	// Notes are what a reader has to know: restarts, merged points, assumed units.
	Notes []string `json:"notes"`
	// Record is what the numbers come from, for plots.
	Record *record.Run `json:"-"`
}

// OverOptimisation is R(d) = d (A - B ln d) of Gao, Schulman and Hilton 2022 (arXiv
// 2210.10760), where d is the square root of the KL to the reference in nats per sequence.
type OverOptimisation struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
	// PeakKL is where the held-out score is highest, in nats per sequence; it may lie beyond
	// what the run reached. PeakScore is what it gained until there.
	PeakKL    float64 `json:"peak_kl"`
	PeakScore float64 `json:"peak_score"`
	// PeakKLLow and PeakKLHigh are the ends of the peak's 95 % interval; nil where nothing
	// bounds it.
	PeakKLLow  *float64 `json:"peak_kl_low"`
	PeakKLHigh *float64 `json:"peak_kl_high"`
	// Start is the held-out score at no KL, from which the gains are counted.
	Start float64 `json:"start"`
	// Passed says that the run went beyond the peak; N is the number of checkpoints fitted.
	Passed bool `json:"passed"`
	N      int  `json:"n"`
}

// Agreement is how far raters agree beyond chance.
type Agreement struct {
	// Statistic is "Cohen's kappa" for two raters, "Fleiss' kappa" for more.
	Statistic string   `json:"statistic"`
	Raters    []string `json:"raters"`
	// Kappa is over Kappa.N comparisons of so many Prompts; its interval is over prompts, since
	// several checkpoints' answers to one prompt are not independent.
	Kappa   Metric `json:"kappa"`
	Prompts int    `json:"prompts"`
	// Disagree names raters who differ from the rest, a sentence each.
	Disagree []string `json:"disagree"`
}

// Texts is what was measured of completions without a model, at a few steps, each time beside the
// base's.
type Texts struct {
	// Base says whose completions are compared with: "the base model's completions", "the
	// completions up to step 10".
	Base     string        `json:"base"`
	Measures []TextMeasure `json:"measures"`
}

// TextMeasure is one measure, over the steps.
type TextMeasure struct {
	// Name is a word ("rep_4"), What says what is counted.
	Name string      `json:"name"`
	What string      `json:"what"`
	Unit record.Unit `json:"unit"`
	// Base is that of all of the base's completions; nil where only the one beside each step says
	// something.
	Base  *float64   `json:"base"`
	Steps []TextStep `json:"steps"`
}

// TextStep is a measure at a step.
type TextStep struct {
	Step  int64   `json:"step"`
	Value float64 `json:"value"`
	// Base is that of the base's completions that the step's are compared with, which are those of
	// the same prompts if SamePrompts says so; nil where there are none.
	Base *float64 `json:"base"`
	// Low and High are the ends of the 95 % interval of Value - Base, or of Value where there is
	// no Base; nil where it is not known.
	Low         *float64 `json:"low"`
	High        *float64 `json:"high"`
	N           int      `json:"n"` // completions
	SamePrompts bool     `json:"same_prompts"`
}

// Signal is one thing that goes wrong, and how far it did.
type Signal struct {
	Name  string `json:"name"`
	Level Level  `json:"level"`
	// Step is the first one at which the level held; nil where it is ok or unknown.
	Step *int64 `json:"step"`
	// Value is the one that the level rests on, nil where it is unknown.
	Value *float64    `json:"value"`
	Unit  record.Unit `json:"unit"`
	// Threshold is the border that was crossed, or the nearest one, in words: "> 10".
	Threshold string `json:"threshold"`
	// Basis says where the threshold comes from: a paper, a document, practice, our choice.
	Basis string `json:"basis"`
	// Note says what was found; of an unknown signal what is missing.
	Note string `json:"note"`
	// Why says why that hurts, and Help what to do; both are "" where nothing is wrong.
	Why  string `json:"why,omitempty"`
	Help string `json:"help,omitempty"`
	// Spans are the steps over which it alerted, so that checkpoints in them are
	// disqualified; the last may be open (To < 0).
	Spans []Span `json:"spans,omitempty"`
	// Findings are places in the script that explain it, where a script was given.
	Findings []Explanation `json:"findings,omitempty"`
	// Curve is what the level rests on, step by step, and Borders where it warns and alerts, in
	// the same unit; both are for plots, and empty where there is nothing to draw.
	Curve   []record.Point `json:"-"`
	Borders []Border       `json:"-"`
	// CurveOf and CurveUnit are the metric whose curve it is, where that is not the signal's
	// own value: a held-out score, of which the reward parts.
	CurveOf   string      `json:"-"`
	CurveUnit record.Unit `json:"-"`
}

// Border is a value of a curve beyond which a level holds.
type Border struct {
	Level Level
	At    float64
}

// Span is a range of steps, both ends in it; To is -1 where it lasts to the end.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Explanation is a static finding that explains a signal.
type Explanation struct {
	Code     string `json:"code"`
	Filename string `json:"filename"`
	Row      int    `json:"row"`
	Message  string `json:"message"`
}

// Checkpoint is a saved state, with what is known of it.
type Checkpoint struct {
	Step int64 `json:"step"`
	// Path is relative to the run's folder; "" where only numbers were logged at the step.
	Path string `json:"path"`
	// Metrics are by name: "reward", "held_out", "kl_reference", "length", "length_drift",
	// "rep_4", "win_rate", "win_rate_length_controlled" ...
	Metrics map[string]Metric `json:"metrics"`
	// Disqualified are the names of the signals that alert there.
	Disqualified []string `json:"disqualified"`
	// BelowBase says that the whole interval of the held-out score lies below the base model's, so
	// that it is no choice even where no signal alerts.
	BelowBase bool `json:"below_base"`
	// Pareto says that no other checkpoint is better in one metric and as good in the rest.
	Pareto bool `json:"pareto"`
}

// Excluded says that a checkpoint is no choice.
func (c *Checkpoint) Excluded() bool { return len(c.Disqualified) > 0 || c.BelowBase }

// Metric is a number with its uncertainty.
type Metric struct {
	Value float64 `json:"value"`
	// Low and High are the ends of the 95 % interval; nil where there is none.
	Low  *float64    `json:"low"`
	High *float64    `json:"high"`
	Unit record.Unit `json:"unit"`
	// N is the number of prompts, completions or logged values behind it.
	N int `json:"n"`
}

// Recommendation is the checkpoint to take.
type Recommendation struct {
	Step int64  `json:"step"`
	Path string `json:"path"`
	Why  string `json:"why"`
	// Better says whether held-out judgements surely prefer it to the model that training began
	// with; nil where that model was not judged.
	Better *bool `json:"better_than_base"`
}

// ByReward is what the training reward alone would have taken.
type ByReward struct {
	Step   int64   `json:"step"`
	Path   string  `json:"path"`
	Reward float64 `json:"reward"`
	// Cost is what taking it would lose of the held-out metric against the recommended one;
	// nil where that is not known, and where they are the same. Its interval allows for the
	// recommended one being the best of several.
	Cost *Metric `json:"cost"`
	// Note says what the cost rests on, and whether it can be told from nothing; "" without one.
	Note string `json:"note"`
}
