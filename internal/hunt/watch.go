package hunt

import (
	"fmt"

	"github.com/rlvet/rlvet/internal/harness"
)

// seedOf is a run as the result tells it.
func seedOf(run harness.SeedRun) Seed {
	s := Seed{
		Seed: run.Seed, Status: "clean", Losses: []Loss{}, Norms: []Norm{}, Steps: run.Steps, EnvironmentSteps: run.EnvironmentSteps,
		WallSeconds: run.WallSeconds, PeakMemory: run.PeakMemory,
	}
	switch {
	case run.Nonfinite != nil:
		s.Status, s.Failure = "failed", &Failure{Kind: "loss", Seed: run.Seed, Step: run.Nonfinite.Step, Detail: run.Nonfinite.What}
	case run.Crash != nil:
		s.Status, s.Trouble = "crash", fmt.Sprintf("it raised %s: %s", run.Crash.Type, run.Crash.Message)
	}
	return s
}
