package harness

import "context"

// Run runs the plan's seeds on this machine, one at a time, and judges its targets. The
// error is one that kept it from running; what the program did is in the report. Nothing
// is left behind: no process, no file.
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

// RunAll runs the seeds of all plans where the launcher runs them, and returns a report
// a plan, in order. What keeps one plan from running is in its report; the error is one
// that kept all from running.
func RunAll(ctx context.Context, l Launcher, plans []Plan) ([]*Report, error) {
	var units []Unit
	for i := range plans {
		p := plans[i]
		p.Limits = p.Limits.orDefault()
		for _, seed := range p.Seeds {
			units = append(units, Unit{Plan: &p, Seed: seed})
		}
	}
	results, err := l.Launch(ctx, units)
	if err != nil {
		return nil, err
	}
	var reports []*Report
	for _, p := range plans {
		reports = append(reports, reportOf(p.Targets, results[:len(p.Seeds)]))
		results = results[len(p.Seeds):]
	}
	return reports, nil
}
