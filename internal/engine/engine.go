// Package engine turns files into findings: the driver of the analyzers.
//
// Purpose: one call, Snapshot.Check, by which the command line, the hook and the
// editor reach findings. It reads the requested files and the modules of the
// project that they import, orders them by their imports, runs analyzers on each
// in the order of their Requires, hands facts from module to module, and turns
// diagnostics into findings with rows, columns, cells and fingerprints.
//
// Input: paths, options and analyzers, of which it knows none by name. Output: a
// Result: findings and problems, sorted, the same bytes for any order of the
// paths and any number of workers. A panic or an overrun of a rule is a problem
// of one rule and one file; everything else goes on.
//
// Limits: a rule that never returns keeps its goroutine, since Go has no way to
// end one; its module's memory stays with it. Circular imports see the modules
// that come first. Severities, suppressions and settings are not applied here.
package engine

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/source"
)

// Options say what to check and how. The zero value runs nothing.
type Options struct {
	// Analyzers are the rules to run.
	Analyzers []*analysis.Analyzer
	// Extra are those of which nobody asked for the findings: that one fails is no problem.
	Extra []*analysis.Analyzer
	// Overlay holds contents that differ from the disk, by path as shown or
	// absolute: standard input, fixed files.
	Overlay map[string][]byte
	// Buffers are files that an editor has read, by absolute path.
	Buffers map[string]*source.File
	// Cache is what earlier checks learnt; nil for none. Paths must be absolute then.
	Cache *Cache
	// Settled says that the files on the disk are as the cache has them, so that it
	// need not look: nothing but buffers has changed.
	Settled bool
	// Peek says that the cache is read but not changed.
	Peek bool
	// Store is what earlier processes learnt; nil for none. Identity names the program
	// that learns: what another one stored is not found.
	Store    Store
	Identity string
	// Focus are those of the requested paths that are checked; the others count as
	// texts of the program only. Nil checks all.
	Focus map[string]bool
	// Named are the paths that are checked whatever they hold; others are passed
	// over where no byte of them concerns RL. Nil names all.
	Named map[string]bool
	// Jobs is the number of workers; 0 means one a core.
	Jobs int
	// Timeout bounds one analyzer on one module; 0 means DefaultTimeout.
	Timeout time.Duration
	// Torch is the oldest version of torch for which fixes must hold, "" for all.
	Torch string
	// Records are what a run of the program showed of its modules, by absolute path; nil for none.
	Records map[string]*infer.Record
	// RequestedOnly leaves out findings in modules that were not requested but are
	// imported by requested ones.
	RequestedOnly bool
	// MaxModules bounds the imported modules that are read; 0 means
	// DefaultMaxModules.
	MaxModules int
	// Progress is called after each module, from one goroutine at a time.
	Progress func(done, total int)
	// Trace is called with the stack of each panic of an analyzer.
	Trace func(stack []byte)
}

// The default bounds.
const (
	// DefaultTimeout is far above what any analyzer takes on any file that is
	// accepted, so that a busy machine does not change results.
	DefaultTimeout = 30 * time.Second
	// DefaultMaxModules is more than the projects of people have.
	DefaultMaxModules = 20000
)

func (o *Options) jobs() int {
	if o.Jobs > 0 {
		return o.Jobs
	}
	return runtime.GOMAXPROCS(0)
}

// Result is the outcome of a check.
type Result struct {
	// Findings are sorted by file, place and code. Name and severity, unless a rule weakened it, are left to
	// the registry of rules.
	Findings []finding.Finding
	// Problems say what could not be checked, sorted; those of Open are included.
	Problems []finding.Problem
	// Files are the texts in which findings and their explanations lie, and all
	// requested ones that were looked at, by Range.File.
	Files map[string]*source.File
	// Reporters are, by path, the other modules whose evaluation led to findings in
	// a file.
	Reporters map[string][]string
	Stats     Stats
}

// Check opens the paths and runs the analyzers: Open, then Snapshot.Check.
func Check(ctx context.Context, paths []string, o Options) (*Result, error) {
	s, err := Open(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	return s.Check(ctx)
}
