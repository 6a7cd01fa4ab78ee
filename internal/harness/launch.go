package harness

import (
	"context"
	"errors"
)

// Launcher is where units run: on this machine, or on others.
type Launcher interface {
	// Launch runs units and returns a result for each, in their order. While they run
	// it calls the Progress of their plans. The error is one that kept all of them from
	// running, or the end of ctx; then nothing of theirs runs any more.
	Launch(ctx context.Context, units []Unit) ([]Result, error)
}

// Unit is one run to do: a seed of a plan.
type Unit struct {
	Plan *Plan
	Seed int

	gpu string // the one GPU that the run sees, as CUDA_VISIBLE_DEVICES names it; "" for all
}

// Result is what came of a unit. It is plain data, and the same after a way through JSON.
type Result struct {
	Run SeedRun
	// Saw is what was seen of the plan's targets, in their order.
	Saw []SeedEvidence
	// Failure says what kept the unit from running, "" where it ran.
	Failure string
}

// reportOf collects what the runs of one plan saw, by target.
func reportOf(targets []Target, results []Result) *Report {
	r := &Report{}
	for _, result := range results {
		if result.Failure != "" {
			r.Failure = errors.New(result.Failure)
			return r
		}
		r.Runs = append(r.Runs, result.Run)
		r.Isolation = weaker(r.Isolation, result.Run.Isolation)
	}
	for i, t := range targets {
		var seeds []SeedEvidence
		for _, result := range results {
			seeds = append(seeds, result.Saw[i])
		}
		r.Targets = append(r.Targets, judgePlan(t, seeds))
	}
	return r
}
