package hunt

import (
	"context"

	"github.com/rlvet/rlvet/internal/harness"
)

// Job is a program to hunt in.
type Job struct {
	// Plan says what to run, with nothing watched yet.
	Plan harness.Plan
	// Run runs plans, of which it shows a step's name meanwhile.
	Run func(ctx context.Context, step string, plans []harness.Plan) ([]*harness.Report, error)
}

// Hunt runs the program under its seeds. The error is one that kept it from running.
func (j *Job) Hunt(ctx context.Context) (*Result, error) {
	reports, err := j.Run(ctx, "the program as it is", []harness.Plan{j.Plan})
	if err != nil {
		return nil, err
	}
	if reports[0].Failure != nil {
		return nil, reports[0].Failure
	}
	r := &Result{Args: j.Plan.Args, Root: j.Plan.Root}
	for _, run := range reports[0].Runs {
		s := seedOf(run)
		r.Seeds = append(r.Seeds, s)
		if r.Failure == nil {
			r.Failure = s.Failure
		}
	}
	return r, nil
}
