package harness

import "context"

// Run runs one plan's seeds on this machine, one at a time, and judges its targets.
func Run(ctx context.Context, p Plan) (*Report, error) {
	reports, err := RunAll(ctx, Local{}, []Plan{p})
	if err == nil {
		err = reports[0].Failure
	}
	if err != nil {
		return nil, err
	}
	return reports[0], nil
}
