package harness

import "context"

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
