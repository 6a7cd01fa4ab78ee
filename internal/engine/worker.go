package engine

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"iter"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// worker checks one group after the other. Its place in the work is in fields,
// not on the stack: when an analyzer overruns its time, another goroutine goes on
// from there and leaves the first to itself.
type worker struct {
	*run
	parser *parse.Parser
	group  *group
	rest   []*module            // of the group, not begun
	unit   *unit                // the module at hand
	plan   []*analysis.Analyzer // of the unit, not begun

	attempt *attempt // guarded by run.mu
}

// work goes on until there is nothing left. It returns at once when its
// goroutine was given up; another one runs then.
func (w *worker) work() {
	for {
		switch {
		case w.ctx.Err() == nil && len(w.plan) > 0:
			a := w.plan[0]
			w.plan = w.plan[1:]
			if !w.unit.analyze(a) {
				return
			}
		case w.ctx.Err() == nil && len(w.rest) > 0:
			m := w.rest[0]
			w.rest = w.rest[1:]
			w.begin(m)
		default:
			w.leave()
			if w.group != nil && w.ctx.Err() == nil {
				w.finish(w.group)
			}
			w.group = w.take()
			if w.group == nil {
				w.parser.Close()
				w.workers.Done()
				return
			}
			w.rest = w.pending(w.group)
		}
	}
}

// begin parses a module and plans its analyzers.
func (w *worker) begin(m *module) {
	w.leave()
	tree := w.parsed(m)
	if tree.err != nil {
		tree.cancel()
		w.fail(m, tree.err)
		return
	}
	src := tree.src
	src.Token = w.bases.file(m.File)
	w.fset.AddExistingFiles(src.Token)
	src.Name, src.Torch, src.Record = m.Name, w.options.Torch, w.options.Records[m.abs]
	src.Path = project.Relative(m.resolver.Root(), m.abs)
	src.Import, src.Texts, src.Pin, src.Beside = m.importer(), w.textsFor(m), m.pin(w.demands), w.besideOf(m)
	w.mu.Lock()
	w.live[m] = src
	if m.asked {
		y := w.yieldOn(m)
		y.problems = append(y.problems, syntaxProblems(m.File, src.AST.Errors)...)
		y.problems = append(y.problems, orderProblems(m.File, src.AST)...)
	}
	w.mu.Unlock()
	w.unit = newUnit(w, m, src, tree.cancel)
	for _, a := range w.run.plan {
		if a != pass.Syntax && (m.asked || w.facty[a]) && (!m.configures() || w.config[a]) {
			w.plan = append(w.plan, a)
		}
	}
}

// leave ends the unit at hand.
func (w *worker) leave() {
	if w.unit == nil {
		return
	}
	w.unit.cancel()
	if res, ok := w.unit.results[pass.Values].(*infer.Result); ok {
		w.note(func(s *Stats) { s.add(res.Stats) })
		res.Release()
	}
	w.unit = nil
}

// fail notes that a module could not be parsed.
func (w *worker) fail(m *module, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.states[m.group].spoilt = true
	if m.asked && w.ctx.Err() == nil {
		y := w.yieldOn(m)
		p := problemOf(m.Path, err)
		p.Fatal = p.Fatal && (!m.configures() || m.concerns && !w.passedOver(m)) // a template may be no YAML
		y.problems = append(y.problems, p)
	}
}

// pending returns the members of a group that have to be evaluated: all, unless an
// earlier check knows what importers need. What is known is put in place.
func (r *run) pending(g *group) []*module {
	if g.known == nil {
		return g.members
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*module
	for i, m := range g.members {
		old := &g.known.members[i]
		for typ, fact := range old.facts {
			r.facts[factKey{m, typ}] = fact
		}
		r.live[m] = old.source
		r.fset.AddExistingFiles(old.source.Token)
		switch {
		case m.asked && m.known != nil:
			r.yields[m] = m.known
		case m.asked:
			out = append(out, m)
		}
	}
	return out
}

// yieldOn returns what the rules said of a module; run.mu is held.
func (r *run) yieldOn(m *module) *yield {
	y := r.yields[m]
	if y == nil {
		y = &yield{}
		r.yields[m] = y
	}
	return y
}

// textsFor gives the rules on a module the texts of the program, and notes that
// they looked.
func (r *run) textsFor(m *module) func(path string) iter.Seq2[string, []byte] {
	return func(path string) iter.Seq2[string, []byte] {
		r.mu.Lock()
		r.yieldOn(m).texts = r.all()
		r.mu.Unlock()
		return r.around(path)
	}
}

func (w *worker) note(f func(*Stats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.stats)
}

// unit is the run of all analyzers on one module.
type unit struct {
	*worker
	module  *module
	src     *pass.Source
	cancel  context.CancelFunc         // of the source's context
	results map[*analysis.Analyzer]any // of those that succeeded
	common  analysis.Pass              // what is the same for all analyzers
	// inputs are the results by the list that asks for them: all rules require the
	// same steps, and a module has dozens of rules.
	inputs map[**analysis.Analyzer]map[*analysis.Analyzer]any
}

func newUnit(w *worker, m *module, src *pass.Source, cancel context.CancelFunc) *unit {
	u := &unit{
		worker: w, module: m, src: src, cancel: cancel,
		results: map[*analysis.Analyzer]any{pass.Syntax: src}, inputs: map[**analysis.Analyzer]map[*analysis.Analyzer]any{},
	}
	u.common = u.commonPass()
	return u
}

// analyze runs one analyzer, if all that it requires succeeded. It is false
// where the goroutine was given up meanwhile.
func (u *unit) analyze(a *analysis.Analyzer) bool {
	results, ok := u.inputsOf(a)
	if !ok {
		return true // said already
	}
	at := u.start(u, a)
	u.guarded(at, results)
	if !u.end(at) {
		return false
	}
	u.note(func(s *Stats) { s.spent(a, time.Since(at.begun)) })
	if at.err != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.failed(a, u.gaveUp(a, at.err))
		return true
	}
	u.results[a] = at.value
	u.keep(a, at.diagnostics)
	return true
}

// inputsOf returns the results that an analyzer requires; ok is false where one of
// them failed.
func (u *unit) inputsOf(a *analysis.Analyzer) (results map[*analysis.Analyzer]any, ok bool) {
	if len(a.Requires) == 0 {
		return nil, true
	}
	list := &a.Requires[0]
	if known := u.inputs[list]; len(known) == len(a.Requires) {
		return known, true
	}
	results = make(map[*analysis.Analyzer]any, len(a.Requires))
	for _, req := range a.Requires {
		v, ok := u.results[req]
		if !ok {
			return nil, false
		}
		results[req] = v
	}
	u.inputs[list] = results
	return results, true
}

// failed notes that an analyzer failed on the module; run.mu is held.
func (u *unit) failed(a *analysis.Analyzer, p finding.Problem) {
	u.states[u.module.group].spoilt = true
	if !slices.Contains(u.options.Extra, a) {
		y := u.yieldOn(u.module)
		y.problems = append(y.problems, p)
	}
}

// gaveUp is the problem of a file on which an analyzer failed.
func (u *unit) gaveUp(a *analysis.Analyzer, err error) finding.Problem {
	if deep := (infer.TooDeep{}); errors.As(err, &deep) {
		return finding.Problem{File: u.module.Path, Fatal: true, Message: fmt.Sprintf(
			"gave up: %v, so the file is not checked; please report it with the file", deep)}
	}
	return u.internal(a, err.Error())
}

func (u *unit) internal(a *analysis.Analyzer, what string) finding.Problem {
	kind := "rule"
	if a.ResultType != nil {
		kind = "step"
	}
	return finding.Problem{File: u.module.Path, Fatal: true, Message: fmt.Sprintf(
		"internal error in %s %s on this file: %s; please report it with the file", kind, a.Name, what)}
}

// guarded runs an analyzer; a panic is an error of it.
func (u *unit) guarded(at *attempt, results map[*analysis.Analyzer]any) {
	defer func() {
		if v := recover(); v != nil {
			at.err = fmt.Errorf("panic: %v", v)
			if err, ok := v.(error); ok {
				at.err = fmt.Errorf("panic: %w", err)
			}
			if u.options.Trace != nil {
				u.options.Trace(debug.Stack())
			}
		}
	}()
	a := at.analyzer
	at.value, at.err = a.Run(u.newPass(at, results))
	if at.err == nil && a.ResultType != nil && reflect.TypeOf(at.value) != a.ResultType {
		at.err = fmt.Errorf("its result is %T, not %v", at.value, a.ResultType)
	}
}

// newPass makes the pass of go/analysis for one analyzer on the module. What an
// analyzer reports or exports after its time is thrown away.
func (u *unit) newPass(at *attempt, results map[*analysis.Analyzer]any) *analysis.Pass {
	p := u.common
	p.Analyzer, p.ResultOf = at.analyzer, results
	p.Report = func(d analysis.Diagnostic) { at.diagnostics = append(at.diagnostics, d) }
	p.ExportPackageFact = func(f analysis.Fact) { u.exportFact(at, u.module, f) }
	return &p
}

// commonPass is the part of a pass that depends on the module only.
func (u *unit) commonPass() analysis.Pass {
	m := u.module
	return analysis.Pass{
		Fset:       u.fset,
		OtherFiles: []string{m.Path},
		Pkg:        m.pkg,
		TypesSizes: types.SizesFor("gc", "amd64"),
		ReadFile: func(name string) ([]byte, error) {
			if name != m.Path {
				return nil, fmt.Errorf("%s is no file of this pass", name)
			}
			return m.File.Raw, nil
		},
		ImportPackageFact: func(pkg *types.Package, f analysis.Fact) bool { return u.importFact(m, pkg, f) },
		AllPackageFacts:   func() []analysis.PackageFact { return u.packageFacts(m) },
		ImportObjectFact:  noObjectFact,
		ExportObjectFact:  noObjectFacts,
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
	}
}
