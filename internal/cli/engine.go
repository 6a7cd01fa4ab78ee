package cli

import (
	"context"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// request is what one check needs.
type request struct {
	paths     []string          // as they are shown
	named     map[string]bool   // those given on the command line: checked whatever they hold
	overlay   map[string][]byte // contents that differ from the disk, by path
	analyzers []*analysis.Analyzer
	torch     string // oldest version for which fixes must hold, "" for all
	jobs      int    // 0 for one a core
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

// engineCheck reads the files; there is nothing to run on them yet.
func engineCheck(ctx context.Context, r request) (*outcome, error) {
	out := &outcome{files: map[string]*source.File{}}
	for _, path := range r.paths {
		f, err := read(path, r.overlay)
		if err != nil {
			out.problems = append(out.problems, problemOf(path, err))
			continue
		}
		out.files[path] = f
	}
	return out, ctx.Err()
}

func read(path string, overlay map[string][]byte) (*source.File, error) {
	if raw, ok := overlay[path]; ok {
		return source.FromBytes(path, raw)
	}
	return source.Read(path)
}
