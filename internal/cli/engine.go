package cli

import (
	"context"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// request is what one check needs.
type request struct {
	paths     []string          // as they are shown
	named     map[string]bool   // those given on the command line: checked whatever they hold
	overlay   map[string][]byte // contents that differ from the disk, by path
	analyzers []*analysis.Analyzer
	torch     string       // oldest version for which fixes must hold, "" for all
	jobs      int          // 0 for one a core
	store     engine.Store // nil for none
	progress  func(done, total int)
}

// outcome is what the check of some files gave.
type outcome struct {
	findings []finding.Finding
	problems []finding.Problem
	files    map[string]*source.File // by path as shown
	stats    []string                // lines for --statistics
}

// checkFunc is the one way to findings. Tests of the command line put their own
// in, so that they do not depend on the wording of rules.
type checkFunc func(ctx context.Context, r request) (*outcome, error)

// engineCheck runs the engine.
func (a *app) engineCheck(ctx context.Context, r request) (*outcome, error) {
	o := engine.Options{
		Store: r.store, Identity: identity(),
		Analyzers: r.analyzers, Overlay: r.overlay, Named: r.named, Jobs: r.jobs, Torch: r.torch, Progress: r.progress,
	}
	if a.Getenv("RLVET_DEBUG") != "" {
		o.Trace = func(stack []byte) { a.Stderr.Write(stack) }
	}
	res, err := engine.Check(ctx, r.paths, o)
	if err != nil {
		return nil, err
	}
	return &outcome{findings: res.Findings, problems: res.Problems, files: res.Files, stats: res.Stats.Lines()}, nil
}
