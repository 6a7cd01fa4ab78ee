package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/words"
)

// costs are the metrics of which less is better; what counts of a drift is its size.
var costs = []string{"kl_reference", "length_drift", "rep_4", "reward_disagreement"}

// choose says which checkpoint to take: of those without an alert, and not beaten in every
// metric by another, the one whose held-out score is surely highest.
func (e *evidence) choose(r *Result) {
	held := e.primary()
	r.ByRewardAlone = byReward(r.Checkpoints)
	if held == nil || len(r.Checkpoints) == 0 {
		return
	}
	r.Primary = held.name()
	belowBase(r.Checkpoints, held)
	pareto(r.Checkpoints, r.Primary)
	best := ranked(r.Checkpoints, r.Primary)
	if best == nil || !choosable(held, r) {
		r.Notes = append(r.Notes, "no checkpoint is recommended: "+whyNone(r))
		return
	}
	better := betterThanBase(held, best.Step)
	r.Recommended = &Recommendation{Step: best.Step, Path: best.Path, Why: because(best, r, held, better), Better: better}
	if by := r.ByRewardAlone; by != nil && by.Step != best.Step {
		by.Cost, by.Note = costOf(held, best.Step, by.Step, others(r, by.Step))
	}
}

// others counts the checkpoints that could have been taken, but for one.
func others(r *Result, but int64) (n int) {
	for _, c := range r.Checkpoints {
		if _, ok := c.Metrics[r.Primary]; ok && len(c.Disqualified) == 0 && c.Step != but {
			n++
		}
	}
	return n
}

// costOf is what another checkpoint loses of the held-out score against the best of so many.
// The best of many looks better than it is, so its interval holds for all of their differences
// at once (Bonferroni), whichever of them was taken. The note says what it rests on.
func costOf(held heldOut, best, other int64, many int) (*Metric, string) {
	cost, ok := held.less(best, other)
	if !ok || !finite(cost.Value) {
		return nil, ""
	}
	var notes []string
	if held.paired(best, other) {
		notes = append(notes, fmt.Sprintf("prompt by prompt over %s", words.Count(cost.N, "prompt")))
	}
	if cost.Low == nil {
		return &cost, strings.Join(append(notes, "without an interval"), ", ")
	}
	if many > 1 {
		wider := measure.Reach(0.025/float64(many), held.freedom(cost)) / measure.Reach(0.025, held.freedom(cost))
		i := measure.Interval{Value: cost.Value, Low: cost.Value - wider*(cost.Value-*cost.Low), High: cost.Value + wider*(*cost.High-cost.Value), N: cost.N}
		cost = metricOf(i, cost.Unit)
		notes = append(notes, fmt.Sprintf("allowing for the choice of one of %d", many))
	}
	if cost.Low == nil || *cost.Low <= 0 && *cost.High >= 0 {
		notes = append(notes, "not significant")
	}
	return &cost, strings.Join(notes, ", ")
}

// byReward is the checkpoint with the highest training reward, the first of those.
func byReward(list []Checkpoint) *ByReward {
	var best *ByReward
	for _, c := range list {
		if m, ok := c.Metrics["reward"]; ok && (best == nil || m.Value > best.Reward) {
			best = &ByReward{Step: c.Step, Path: c.Path, Reward: m.Value}
		}
	}
	return best
}

// belowBase marks the checkpoints of which held-out data say that they are worse than the base.
func belowBase(list []Checkpoint, held heldOut) {
	for i := range list {
		if _, ok := list[i].Metrics[held.name()]; ok {
			m, ok := gain(held, list[i].Step)
			list[i].BelowBase = ok && m.High != nil && *m.High < 0
		}
	}
}

// pareto marks the checkpoints, among those that may be taken, that none of the others
// beats. Only metrics that all of them have can be compared.
func pareto(list []Checkpoint, primary string) {
	var open []*Checkpoint
	for i := range list {
		if _, ok := list[i].Metrics[primary]; ok && !list[i].Excluded() {
			open = append(open, &list[i])
		}
	}
	axes := shared(open, primary)
	for _, c := range open {
		c.Pareto = true
		for _, o := range open {
			if o != c && beats(o, c, axes) {
				c.Pareto = false
			}
		}
	}
}

// axis is a metric, turned so that more is better.
type axis func(*Checkpoint) float64

func shared(list []*Checkpoint, primary string) []axis {
	axes := []axis{func(c *Checkpoint) float64 { return c.Metrics[primary].Value }}
	for _, name := range costs {
		all := true
		for _, c := range list {
			_, ok := c.Metrics[name]
			all = all && ok
		}
		if all {
			axes = append(axes, func(c *Checkpoint) float64 { return -cost(name, c.Metrics[name].Value) })
		}
	}
	return axes
}

// cost is how much a metric is to be paid for: a length that halved drifted as far as one
// that doubled, and less repetition than the base's costs nothing.
func cost(name string, value float64) float64 {
	switch name {
	case "length_drift":
		return math.Abs(math.Log(value))
	case "rep_4":
		return math.Max(value, 0)
	}
	return value
}

// beats says that a is as good as b in everything, and better in something.
func beats(a, b *Checkpoint, axes []axis) bool {
	better := false
	for _, of := range axes {
		if of(a) < of(b) {
			return false
		}
		better = better || of(a) > of(b)
	}
	return better
}

// ranked is the checkpoint of the Pareto set with the highest lower bound of the held-out
// score. One without an interval comes behind those that have one, and where none has one
// the values count. Of equals it is the first, which went less far.
func ranked(list []Checkpoint, primary string) *Checkpoint {
	var best *Checkpoint
	bounded := slices.ContainsFunc(list, func(c Checkpoint) bool { return c.Pareto && c.Metrics[primary].Low != nil })
	bound := func(c *Checkpoint) float64 {
		switch m := c.Metrics[primary]; {
		case m.Low != nil:
			return *m.Low
		case bounded:
			return math.Inf(-1)
		default:
			return m.Value
		}
	}
	for i := range list {
		if c := &list[i]; c.Pareto && (best == nil || bound(c) > bound(best)) {
			best = c
		}
	}
	return best
}

// choosable says whether there is anything to choose from: two checkpoints that were judged, or
// one and the base.
func choosable(held heldOut, r *Result) bool {
	_, base := baseScore(held)
	judged := 0
	for _, c := range r.Checkpoints {
		if _, ok := c.Metrics[r.Primary]; ok {
			judged++
		}
	}
	return judged > 1 || base
}

func whyNone(r *Result) string {
	alerted, excluded := 0, 0
	for _, c := range r.Checkpoints {
		alerted += int(share(len(c.Disqualified) > 0))
		excluded += int(share(c.Excluded()))
	}
	if alerted == len(r.Checkpoints) {
		return "signals alert at every one of them; keep the base model"
	}
	if excluded == len(r.Checkpoints) {
		return "every one of them is below the base model, or a signal alerts there; keep the base model"
	}
	if alerted == 0 {
		return fmt.Sprintf("too few of them have a %s to compare", spaced(r.Primary))
	}
	return fmt.Sprintf("signals alert at %d of %d, and too few of the others have a %s to compare", alerted, len(r.Checkpoints), spaced(r.Primary))
}

// because says why, and which others could be as good for all that is known.
func because(best *Checkpoint, r *Result, held heldOut, better *bool) string {
	m := best.Metrics[r.Primary]
	why := fmt.Sprintf("it has the highest %s of the checkpoints without an alert: %s", spaced(r.Primary), inUnit(m.Value, m.Unit))
	if m.Low != nil {
		why = fmt.Sprintf("its %s has the highest lower bound of the checkpoints without an alert: %s (95 %%: %s to %s)", spaced(r.Primary), inUnit(m.Value, m.Unit), inUnit(*m.Low, m.Unit), inUnit(*m.High, m.Unit))
	}
	why += fmt.Sprintf(", with %s", behind(held, m.N))
	switch {
	case better == nil:
	case *better:
		why += "; it is better than the base model"
	default:
		base, _ := baseScore(held)
		why += fmt.Sprintf("; it is not shown to be better than the base model (%s)", inUnit(base.Value, base.Unit))
	}
	if alike := indistinguishable(best, r, held); len(alike) > 0 {
		why += fmt.Sprintf("; it is not significantly better than %s", someOf(alike, others(r, best.Step)))
	}
	return why
}

// betterThanBase says whether the score at a step is above that of the model that training
// began with beyond its error; nil where that is not known.
func betterThanBase(held heldOut, step int64) *bool {
	m, ok := gain(held, step)
	if !ok {
		return nil
	}
	better := m.Low != nil && *m.Low > 0
	return &better
}

// named bounds the checkpoints that a sentence names.
const named = 6

// someOf lists names, the first ones where there are many, or says that they are all.
func someOf(names []string, all int) string {
	if len(names) == all && all > 2 {
		return fmt.Sprintf("any of the other %d", all)
	}
	if more := len(names) - named; more > 1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:named], ", "), more)
	}
	return strings.Join(names, ", ")
}

func behind(held heldOut, n int) string {
	if _, ok := held.(logged); ok {
		return words.Count(n, "evaluation") + ", whose error is estimated from their scatter"
	}
	return words.Count(n, "prompt")
}

// indistinguishable are the other checkpoints without an alert whose score may be as high.
func indistinguishable(best *Checkpoint, r *Result, held heldOut) (names []string) {
	for _, c := range r.Checkpoints {
		if _, ok := c.Metrics[r.Primary]; !ok || c.Excluded() || c.Step == best.Step {
			continue
		}
		if m, ok := held.less(best.Step, c.Step); ok && (m.Low == nil || *m.Low <= 0) {
			names = append(names, called(c.Path, c.Step))
		}
	}
	return names
}

func called(path string, step int64) string {
	if path != "" {
		return path
	}
	return fmt.Sprintf("step %d", step)
}

func spaced(name string) string {
	if name == "held_out" {
		return "held-out score"
	}
	return strings.ReplaceAll(name, "_", " ")
}

// toCollect says what a recommendation would need.
func (e *evidence) toCollect() string {
	if e.run.Environment {
		return "no evaluation was found, so the audit can warn but not recommend: play each checkpoint in an environment of its own, without exploring and with other seeds, 20 episodes or more (Stable-Baselines3's EvalCallback writes evaluations.npz)"
	}
	return fmt.Sprintf("nothing held-out was found, so the audit can warn but not recommend: compare each checkpoint's answers with the base model's by two raters, blind, on prompts that training did not see; %d prompts give the win rate of one to within 10 points (95 %%), %d to within 5, and the difference of two takes up to twice as many",
		measure.PromptsFor(0.1, 0.5), measure.PromptsFor(0.05, 0.5))
}
