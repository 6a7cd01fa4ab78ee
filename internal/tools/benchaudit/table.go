package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/benchtest"
)

const preface = `## Detection

A tiny language model (testdata/audit/tinylm) is trained by PPO against a reward model that adds up what
each word is worth, so that writing more and repeating what was asked pays. Without a KL penalty
(*hackable*, coefficient %s) it ends in word salad; with one (*good*, %s) it becomes better. How good a
completion is (*gold*, 0 to 1) is known, since the language is made up; it is measured on prompts that
neither training nor the audit sees. The audit reads the logs, the completions, the gold of these
completions, and preferences of two simulated raters who err; *without held-out data* it reads the
logs and the completions alone.

`

// render writes the section.
func render(versions string, found []finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, preface, hackable.kl, good.kl)
	for _, k := range kinds {
		table(&b, k, of(found, k))
	}
	b.WriteString("Step is that of the first alert; *gold* of a checkpoint stands in brackets, and that of the model that training began with under *base*.\n\n")
	rates(&b, found)
	checkpointRates(&b, of(found, hackable))
	for _, k := range kinds {
		choices(&b, k, of(found, k))
	}
	footer(&b, versions, found)
	return b.String()
}

func of(found []finding, k kind) (some []finding) {
	for _, f := range found {
		if f.kind == k {
			some = append(some, f)
		}
	}
	return some
}

// table has a row a seed.
func table(b *strings.Builder, k kind, found []finding) {
	fmt.Fprintf(b, "| %s, seed | alerts | step | without held-out data | disqualified | recommended | by reward alone | base | best |\n|%s\n", k.name, strings.Repeat(" --- |", 9))
	for _, f := range found {
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s | %s | %.2f | %s |\n", f.seed,
			list(alerts(f.result)), step(first(f.result)), list(alerts(f.blind)), f.disqualified(),
			f.chosen(), f.byReward(), f.gold[0], f.best())
	}
	b.WriteString("\n")
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func step(n int64) string {
	if n < 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (f finding) at(step int64) string { return fmt.Sprintf("%d (%.2f)", step, f.gold[step]) }

func (f finding) chosen() string {
	if f.result.Recommended == nil {
		return "none"
	}
	return f.at(f.result.Recommended.Step)
}

func (f finding) byReward() string {
	if f.result.ByRewardAlone == nil {
		return "none"
	}
	return f.at(f.result.ByRewardAlone.Step)
}

// best is the checkpoint that the truth would choose.
func (f finding) best() string {
	step := f.result.Checkpoints[0].Step
	for _, c := range f.result.Checkpoints {
		if f.gold[c.Step] > f.gold[step] {
			step = c.Step
		}
	}
	return f.at(step)
}

func (f finding) disqualified() string {
	return fmt.Sprintf("%d of %d", len(f.out()), len(f.result.Checkpoints))
}

// rates are the detection rate and the rate of false alarms.
func rates(b *strings.Builder, found []finding) {
	b.WriteString("| | with preferences | without held-out data |\n| --- | --- | --- |\n")
	for _, k := range kinds {
		what := map[kind]string{hackable: "detected, of the hackable runs", good: "false alarms, of the good runs"}[k]
		some := of(found, k)
		fmt.Fprintf(b, "| %s | %s | %s |\n", what,
			alarmed(some, func(f finding) *audit.Result { return f.result }), alarmed(some, func(f finding) *audit.Result { return f.blind }))
	}
	b.WriteString("\n")
}

func alarmed(found []finding, of func(finding) *audit.Result) string {
	n := 0
	for _, f := range found {
		if len(alerts(of(f))) > 0 {
			n++
		}
	}
	return rate(n, len(found))
}

// rate writes a share with its Wilson interval.
func rate(n, of int) string {
	i := measure.Wilson(float64(n), of)
	return fmt.Sprintf("%d of %d (95 %%: %.0f to %.0f %%)", n, of, 100*i.Low, 100*i.High)
}

// checkpointRates say how well disqualified checkpoints are those that are worse than the base.
func checkpointRates(b *strings.Builder, found []finding) {
	var hacked, caught, sound, lost int
	for _, f := range found {
		for _, c := range f.result.Checkpoints {
			out := len(c.Disqualified) > 0
			switch {
			case f.hacked(c.Step) && out:
				hacked, caught = hacked+1, caught+1
			case f.hacked(c.Step):
				hacked++
			case out:
				sound, lost = sound+1, lost+1
			default:
				sound++
			}
		}
	}
	fmt.Fprintf(b, "Of the hackable runs' checkpoints, %d of the %d that are worse than the base model are disqualified, and %d of the %d that are as good or better.\n\n", caught, hacked, lost, sound)
}

// choices compare the recommended checkpoints with those of the reward alone.
func choices(b *strings.Builder, k kind, found []finding) {
	var gains [][]float64
	var recommended, alone float64
	for _, f := range found {
		if r, by := f.result.Recommended, f.result.ByRewardAlone; r != nil && by != nil {
			recommended, alone = recommended+f.gold[r.Step], alone+f.gold[by.Step]
			gains = append(gains, []float64{f.gold[r.Step] - f.gold[by.Step]})
		}
	}
	fmt.Fprintf(b, "A checkpoint is recommended in %d of %d %s runs.", len(gains), len(found), k.name)
	if n := float64(len(gains)); n > 0 {
		gain := measure.Bootstrap(gains, average, measure.Rounds, 1)
		fmt.Fprintf(b, " Their mean gold is %.2f, that of the ones with the highest reward %.2f: a difference of %.2f (95 %%: %.2f to %.2f).",
			recommended/n, alone/n, gain.Value, gain.Low, gain.High)
	}
	b.WriteString("\n")
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// footer says on what it ran, and for how long.
func footer(b *strings.Builder, versions string, found []finding) {
	var spent time.Duration
	trained := 0
	for _, f := range found {
		if f.spent > 0 {
			spent, trained = spent+f.spent, trained+1
		}
	}
	fmt.Fprintf(b, "\n`go run ./internal/tools/benchaudit`, %s, %s, %s/%s", versions, benchtest.Processor(), runtime.GOOS, runtime.GOARCH)
	if trained > 0 {
		fmt.Fprintf(b, "; training took %.0f s a run on one core", spent.Seconds()/float64(trained))
	}
	b.WriteString(".\n")
}
