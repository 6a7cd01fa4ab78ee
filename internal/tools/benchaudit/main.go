// Command benchaudit measures whether `rlvet audit` tells runs that hack their reward from
// runs that do not.
//
// Purpose: detection and false alarms from runs whose truth is known; nothing is assumed.
//
// Input: the trainer of testdata/audit/tinylm, which is run under seeds with a KL coefficient
// that lets it hack and with a good one, and a Python with torch. Output: the section
// Detection of docs/benchmarks/audit.md, between its marks. `go run ./internal/tools/benchaudit` takes
// ten minutes of one core; -runs keeps the runs, and takes those that are there already.
//
// Limits: one trainer, one language, one flaw of the reward model. Gold, the truth, is
// measured on prompts that neither training nor the audit sees.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rlvet/rlvet/internal/benchtest"
)

// page is where the section stands, between these lines.
const (
	page  = "docs/benchmarks/audit.md"
	begin = "<!-- detection: written by go run ./internal/tools/benchaudit -->\n"
	end   = "<!-- end of detection -->\n"
)

func main() {
	var opts options
	flag.StringVar(&opts.root, "root", ".", "folder of the repository")
	flag.StringVar(&opts.python, "python", "/usr/bin/python3", "a Python that has torch")
	flag.StringVar(&opts.runs, "runs", "", "folder of runs to take where they are there, and to keep; temporary if not given")
	flag.IntVar(&opts.seeds, "seeds", 10, "seeds of each kind")
	benchtest.Main(func(ctx context.Context) error { return run(ctx, opts) })
}

type options struct {
	root, python, runs string
	seeds              int
}

// run makes and judges the runs, and writes the section.
func run(ctx context.Context, opts options) error {
	versions, err := benchtest.Versions(ctx, opts.python)
	if err != nil {
		return err
	}
	if opts.runs == "" {
		if opts.runs, err = os.MkdirTemp("", "benchaudit"); err != nil {
			return err
		}
		defer os.RemoveAll(opts.runs)
	}
	found, err := measureAll(ctx, opts)
	if err != nil {
		return err
	}
	name := filepath.Join(opts.root, filepath.FromSlash(page))
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, err := benchtest.Between(page, old, begin, end, []byte(render(versions, found)))
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// measureAll judges run after run.
func measureAll(ctx context.Context, opts options) ([]finding, error) {
	var found []finding
	for _, k := range kinds {
		for seed := range opts.seeds {
			c := trial{kind: k, seed: seed, root: opts.root, python: opts.python}
			fmt.Fprintln(os.Stderr, c.name())
			f, err := c.measure(ctx, filepath.Join(opts.runs, c.name()))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name(), err)
			}
			found = append(found, f)
		}
	}
	return found, nil
}
