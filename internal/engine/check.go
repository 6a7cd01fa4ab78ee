package engine

import (
	"context"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
)

// # Order and memory
//
// A group is ready when all groups that it imports are done; ready groups are
// independent, so any worker takes any. The last one made ready is taken first:
// importers follow soon on what they import, and what nobody needs any more is
// dropped soon.
//
// What a group's modules export stays until every group that imports it,
// directly or not, is done: evaluating a function of an imported module may lead
// into a module that this one imports. Which facts a module sees depends on the
// import graph alone, never on what happens to be done.

// run is one Check.
type run struct {
	*Snapshot
	ctx   context.Context
	fset  *token.FileSet
	plan  []*analysis.Analyzer // all steps and rules, in the order of Requires
	facty map[*analysis.Analyzer]bool
	// config are those that run on files which are no Python: they require pass.Runs, or that requires them.
	config map[*analysis.Analyzer]bool
	limit  time.Duration

	mu       sync.Mutex
	wake     *sync.Cond
	ready    []*group
	states   map[*group]*groupState
	facts    map[factKey]analysis.Fact
	packages map[*types.Package]*module
	sources  map[string]*module // by shown path, which is the name of its token.File
	live     map[*module]*pass.Source
	yields   map[*module]*yield
	bases    *bases
	ahead    ahead // guarded by mu
	done     int
	total    int
	stats    Stats
	team     []*worker
	workers  sync.WaitGroup
}

type groupState struct {
	waiting int // needed groups that are not done
	using   int // user groups that are not released
	done    bool
	spoilt  bool        // a part failed or was given up
	known   *evaluation // of this check or an earlier one
}

// Check runs the analyzers over the snapshot. The error is the context's.
func (s *Snapshot) Check(ctx context.Context) (*Result, error) {
	r := &run{
		Snapshot: s, ctx: ctx, fset: token.NewFileSet(), limit: s.options.Timeout,
		states: map[*group]*groupState{}, facts: map[factKey]analysis.Fact{},
		packages: map[*types.Package]*module{}, sources: map[string]*module{}, live: map[*module]*pass.Source{},
		yields: map[*module]*yield{}, bases: basesOf(s.options.Cache),
	}
	if r.limit == 0 {
		r.limit = DefaultTimeout
	}
	r.plan, r.facty = plan(s.options.Analyzers)
	r.config = configPlan(r.plan)
	r.wake = sync.NewCond(&r.mu)
	r.ahead = newAhead(s.groups)
	for _, g := range s.groups {
		r.states[g] = &groupState{waiting: len(g.needs), using: len(g.users), known: g.known}
		r.total += len(g.members)
		for _, m := range g.members {
			r.packages[m.pkg] = m
		}
	}
	for _, m := range s.modules {
		r.sources[m.Path] = m
		if m.stored != nil && r.states[m.group] == nil {
			r.yields[m] = m.stored
		}
	}
	for _, g := range slices.Backward(s.groups) {
		if len(g.needs) == 0 {
			r.ready = append(r.ready, g)
		}
	}
	r.check()
	r.store()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// check runs the workers until every group is done or the context is.
func (r *run) check() {
	n := min(r.options.jobs(), max(len(r.groups), 1))
	r.workers.Add(n)
	for range n {
		w := &worker{run: r, parser: parse.New()}
		r.team = append(r.team, w)
	}
	for _, w := range r.team {
		go w.work()
	}
	over := make(chan struct{})
	defer close(over)
	go r.watch(over)
	r.workers.Wait()
}

// take returns the next ready group, waiting for one; nil when there is no more. While it
// waits it parses modules of groups that are not ready yet.
func (w *worker) take() *group {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if w.ctx.Err() != nil || w.done == w.total {
			return nil
		}
		if n := len(w.ready); n > 0 {
			g := w.ready[n-1]
			w.ready = w.ready[:n-1]
			return g
		}
		if e := w.ahead.next(); e != nil {
			w.mu.Unlock()
			e.parsed = w.parse(e.module)
			close(e.done)
			w.mu.Lock()
			continue
		}
		w.wake.Wait()
	}
}

// finish marks a group done, makes ready what waited for it, and releases what
// nobody waits for.
func (r *run) finish(g *group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += len(g.members)
	r.states[g].done = true
	for _, u := range g.users {
		st := r.states[u]
		st.waiting--
		if st.waiting == 0 {
			r.ready = append(r.ready, u)
		}
	}
	r.remember(g)
	r.release(g)
	if r.options.Progress != nil {
		r.options.Progress(r.done, r.total)
	}
	r.wake.Broadcast()
}

// release drops what a group exported when it and all groups that use it are
// done, and then looks at what it used itself.
func (r *run) release(g *group) {
	if st := r.states[g]; !st.done || st.using > 0 {
		return
	}
	for _, m := range g.members {
		for a := range r.facty {
			for _, f := range a.FactTypes {
				delete(r.facts, factKey{m, reflect.TypeOf(f)})
			}
		}
		if src := r.live[m]; src != nil {
			r.fset.RemoveFile(src.Token)
			delete(r.live, m)
		}
	}
	for _, n := range g.needs {
		r.states[n].using--
		r.release(n)
	}
}

// plan orders analyzers so that each comes after those that it requires, and
// says which ones lead to facts: those run on imported modules too.
func plan(roots []*analysis.Analyzer) (order []*analysis.Analyzer, facty map[*analysis.Analyzer]bool) {
	facty = map[*analysis.Analyzer]bool{}
	seen := map[*analysis.Analyzer]bool{}
	var visit func(a *analysis.Analyzer)
	visit = func(a *analysis.Analyzer) {
		if seen[a] {
			return
		}
		seen[a] = true
		for _, req := range a.Requires {
			visit(req)
		}
		order = append(order, a)
	}
	for _, a := range roots {
		visit(a)
	}
	var mark func(a *analysis.Analyzer)
	mark = func(a *analysis.Analyzer) {
		facty[a] = true
		for _, req := range a.Requires {
			mark(req)
		}
	}
	for _, a := range order {
		if len(a.FactTypes) > 0 {
			mark(a)
		}
	}
	return order, facty
}

// configPlan returns the rules that require pass.Runs, with all that they require.
func configPlan(plan []*analysis.Analyzer) map[*analysis.Analyzer]bool {
	out := map[*analysis.Analyzer]bool{}
	for _, a := range slices.Backward(plan) {
		if out[a] || slices.Contains(a.Requires, pass.Runs) {
			out[a] = true
			for _, req := range a.Requires {
				out[req] = true
			}
		}
	}
	return out
}

// result sorts and completes what was found.
func (r *run) result() *Result {
	res := &Result{Files: map[string]*source.File{}, Reporters: map[string][]string{}, Stats: r.stats}
	res.Problems = append(res.Problems, r.Snapshot.problems...)
	for _, y := range r.yields {
		res.Problems = append(res.Problems, y.problems...)
	}
	sortProblems(res.Problems)
	for _, m := range r.modules {
		if m.requested && m.File != nil {
			res.Files[m.Path] = m.File
		}
	}
	res.Findings = r.merge(res)
	for _, reporters := range res.Reporters {
		slices.Sort(reporters)
	}
	res.Stats.Read, res.Stats.Skipped, res.Stats.Bounded = r.read, r.skipped, r.bounded
	return res
}
