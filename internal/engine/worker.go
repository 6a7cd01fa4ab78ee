package engine

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// worker checks one module after the other.
type worker struct {
	*run
	parser *parse.Parser
	runner runner
}

func (w *worker) close() {
	w.parser.Close()
	w.runner.close()
}

// module parses a module and runs the analyzers on it.
func (w *worker) module(m *module) {
	if w.ctx.Err() != nil {
		return
	}
	start := time.Now()
	src, err := pass.Parse(w.ctx, w.parser, w.fset, m.File)
	w.note(func(s *Stats) { s.Parse += time.Since(start); s.Modules++; s.Bytes += len(m.File.Text) })
	if err != nil {
		if m.requested && w.ctx.Err() == nil {
			w.problem(problemOf(m.Path, err))
		}
		return
	}
	src.Name, src.IsPackage, src.Torch = m.Name, m.IsPackage, w.options.Torch
	if m.requested {
		w.syntaxErrors(m, src)
	}
	src.Import = func(level int, dotted string) *types.Package {
		if to := m.find(m, level, dotted); to != nil {
			return to.pkg
		}
		return nil
	}
	w.mu.Lock()
	w.live[m] = src
	w.mu.Unlock()
	u := &unit{worker: w, module: m, src: src, results: map[*analysis.Analyzer]any{pass.Syntax: src}}
	for _, a := range w.plan {
		if a != pass.Syntax && (m.requested || w.facty[a]) {
			u.analyze(a)
		}
	}
	u.count()
}

// syntaxErrors reports the places that were not understood: what a rule could
// have said of them is not known, so they are fatal. Several on one line are one.
func (w *worker) syntaxErrors(m *module, src *pass.Source) {
	last := 0
	for _, e := range src.AST.Errors {
		p := m.problemAt(e)
		if p.Line != last {
			w.problem(p)
		}
		last = p.Line
	}
}

func (m *module) problemAt(e ast.SyntaxError) finding.Problem {
	cell, from, _ := m.File.Span(int(e.Span.Start), int(e.Span.End))
	message := e.Message
	if cell > 0 {
		message = fmt.Sprintf("cell %d: %s", cell, message)
	}
	return finding.Problem{File: m.Path, Line: from.Row, Message: message, Fatal: true}
}

func (w *worker) problem(p finding.Problem) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.problems = append(w.run.problems, p)
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
	results map[*analysis.Analyzer]any // of those that succeeded
}

// analyze runs one analyzer, if all that it requires succeeded.
func (u *unit) analyze(a *analysis.Analyzer) {
	results := make(map[*analysis.Analyzer]any, len(a.Requires))
	for _, req := range a.Requires {
		v, ok := u.results[req]
		if !ok {
			return // said already
		}
		results[req] = v
	}
	start := time.Now()
	out := u.guarded(a, results)
	took := time.Since(start)
	u.note(func(s *Stats) { s.spent(a, took) })
	switch {
	case u.ctx.Err() != nil:
	case out == nil:
		u.problem(u.internal(a, fmt.Sprintf("it takes more than %v", u.limit)))
	case out.err != nil:
		u.problem(u.internal(a, out.err.Error()))
	default:
		u.results[a] = out.value
		u.keep(a, out.diagnostics)
	}
}

func (u *unit) internal(a *analysis.Analyzer, what string) finding.Problem {
	kind := "rule"
	if a.ResultType != nil {
		kind = "step"
	}
	return finding.Problem{File: u.module.Path, Fatal: true, Message: fmt.Sprintf(
		"internal error in %s %s on this file: %s; please report it with the file", kind, a.Name, what)}
}

// outcome is what one analyzer gave.
type outcome struct {
	value       any
	err         error
	diagnostics []analysis.Diagnostic
}

// guarded runs an analyzer within its time; nil means that it did not end. What
// it does after that is thrown away.
func (u *unit) guarded(a *analysis.Analyzer, results map[*analysis.Analyzer]any) *outcome {
	ctx, cancel := context.WithTimeout(u.ctx, u.limit)
	defer cancel()
	u.src.Context = ctx
	var over atomic.Bool
	out := &outcome{}
	p := u.newPass(a, results, &over, out)
	finished := u.runner.do(ctx, func() {
		defer func() {
			if v := recover(); v != nil {
				out.err = fmt.Errorf("panic: %v", v)
				if u.options.Trace != nil {
					u.options.Trace(debug.Stack())
				}
			}
		}()
		out.value, out.err = a.Run(p)
		if out.err == nil && a.ResultType != nil && reflect.TypeOf(out.value) != a.ResultType {
			out.err = fmt.Errorf("its result is %T, not %v", out.value, a.ResultType)
		}
	})
	if !finished {
		over.Store(true)
		return nil
	}
	if errors.Is(out.err, context.DeadlineExceeded) {
		return nil
	}
	return out
}

// newPass makes the pass of go/analysis for one analyzer on the module.
func (u *unit) newPass(a *analysis.Analyzer, results map[*analysis.Analyzer]any, over *atomic.Bool, out *outcome) *analysis.Pass {
	m := u.module
	return &analysis.Pass{
		Analyzer:   a,
		Fset:       u.fset,
		OtherFiles: []string{m.Path},
		Pkg:        m.pkg,
		TypesSizes: types.SizesFor("gc", "amd64"),
		ResultOf:   results,
		Report: func(d analysis.Diagnostic) {
			if !over.Load() {
				out.diagnostics = append(out.diagnostics, d)
			}
		},
		ReadFile: func(name string) ([]byte, error) {
			if name != m.Path {
				return nil, fmt.Errorf("%s is no file of this pass", name)
			}
			return m.File.Raw, nil
		},
		ImportPackageFact: func(pkg *types.Package, f analysis.Fact) bool { return u.importFact(m, pkg, f) },
		ExportPackageFact: func(f analysis.Fact) {
			if !over.Load() {
				u.exportFact(m, f)
			}
		},
		AllPackageFacts:  func() []analysis.PackageFact { return u.packageFacts(m) },
		ImportObjectFact: noObjectFact,
		ExportObjectFact: noObjectFacts,
		AllObjectFacts:   func() []analysis.ObjectFact { return nil },
	}
}

// count adds up what inference did.
func (u *unit) count() {
	res, ok := u.results[pass.Values].(*infer.Result)
	if ok {
		u.note(func(s *Stats) { s.add(res.Stats) })
	}
}
