package harness

import (
	"context"
	"os"
	"sync"
)

// Run runs the plan's seeds and judges its targets. The error is one that kept it from
// running; what the program did is in the report. Nothing is left behind: no process,
// no file.
func Run(ctx context.Context, p Plan) (*Report, error) {
	p.Limits = p.Limits.orDefault()
	isolation, err := p.Isolation.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	w, err := newWorkshop(p.Targets)
	if err != nil {
		return nil, err
	}
	defer w.close()
	p.Tell = oneAtATime(p.Tell)
	runs, err := runAll(ctx, &p, w, isolation)
	if err != nil {
		return nil, err
	}
	return report(&p, isolation, runs), nil
}

func oneAtATime(tell func(Event)) func(Event) {
	if tell == nil {
		return nil
	}
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		tell(e)
	}
}

// runAll runs the seeds, some at a time; the first error ends them all.
func runAll(ctx context.Context, p *Plan, w *workshop, isolation Isolation) ([]*process, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	runs := make([]*process, len(p.Seeds))
	slots := make(chan struct{}, max(p.Jobs, 1))
	var group sync.WaitGroup
	for i := range p.Seeds {
		group.Add(1)
		go func() {
			defer group.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			run, err := launch(ctx, p, w, isolation, i)
			if err != nil {
				cancel(err)
			}
			runs[i] = run
		}()
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return runs, nil
}

// report collects what the runs saw, by target.
func report(p *Plan, isolation Isolation, runs []*process) *Report {
	r := &Report{Isolation: isolation}
	for _, run := range runs {
		if text, err := os.ReadFile(run.run.Output); err == nil {
			run.run.Output = string(text)
		}
		r.Runs = append(r.Runs, run.run)
	}
	for _, t := range p.Targets {
		var seeds []SeedEvidence
		for _, run := range runs {
			seeds = append(seeds, *run.saw[t.ID])
		}
		r.Targets = append(r.Targets, judge(t, seeds))
	}
	return r
}
