package measure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// RateOverPrompts is the mean over prompts of a rate: groups[i] are the outcomes of prompt i
// by one or several raters, 1 for a win, 0.5 for a tie, 0 for a loss. Each prompt counts alike,
// and N counts them; empty ones are left out.
//
// The interval is Wilson's for as many independent outcomes as would vary as little as the
// means of the prompts do (the effective sample size of Korn and Graubard 1998, Survey
// Methodology 24, 193; Dean and Pagano 2015 try it with Wilson's interval), and no more than
// there are outcomes. Where every outcome is a win, or every one a loss, the prompts are
// counted: unlike the bootstrap it then has an interval still. Not defined without outcomes,
// and for outcomes outside of 0 to 1.
func RateOverPrompts(groups [][]float64) Interval {
	var means []float64
	outcomes := 0
	for _, g := range groups {
		if slices.ContainsFunc(g, func(v float64) bool { return !(v >= 0 && v <= 1) }) {
			return undefined(0)
		}
		if len(g) > 0 {
			means, outcomes = append(means, stat.Mean(g, nil)), outcomes+len(g)
		}
	}
	if len(means) == 0 {
		return undefined(0)
	}
	rate, stderr := MeanError(means)
	count := float64(len(means))
	if stderr > 0 {
		count = math.Max(1, math.Min(rate*(1-rate)/(stderr*stderr), float64(outcomes)))
	}
	return scoreInterval(rate, count, len(means))
}
