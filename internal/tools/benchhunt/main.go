// Command benchhunt measures `rlvet hunt` beside two tools that look for NaN, on programs
// with one fault each and on programs without any.
//
// Purpose: one table from one run on one machine; nothing in it is assumed.
//
// Input: the programs of testdata/hunt, whose marks say which line is the first bad one
// (programs.go), a Python with torch, and an rlvet, which is built if none is named.
// Output: a Markdown table. `go run ./internal/tools/benchhunt > docs/benchmarks/hunt.md` writes it.
//
// Limits: the others are told the seed that fails; rlvet has to find it among those of the
// program's first line. They see exactly the runs that rlvet sees (peers/pinned.py).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/rlvet/rlvet/internal/benchtest"
)

func main() {
	var opts options
	flag.StringVar(&opts.root, "root", ".", "folder of the repository")
	flag.StringVar(&opts.rlvet, "rlvet", "", "the rlvet to measure; built from the repository if not given")
	flag.StringVar(&opts.python, "python", "/usr/bin/python3", "a Python that has torch and numpy")
	flag.StringVar(&opts.only, "only", "*", "names of the programs, as a pattern of the shell")
	flag.StringVar(&opts.keep, "keep", "", "folder in which what rlvet prints is kept, as NAME.json")
	benchtest.Main(func(ctx context.Context) error { return run(ctx, opts) })
}

type options struct{ root, rlvet, python, only, keep string }

func run(ctx context.Context, opts options) error {
	programs, err := readPrograms(filepath.Join(opts.root, "testdata", "hunt"))
	if err != nil {
		return err
	}
	m, err := newMachine(ctx, opts)
	if err != nil {
		return err
	}
	defer m.close()
	var rows []row
	for i, p := range programs {
		if ok, err := path.Match(opts.only, p.name); err != nil || !ok {
			continue
		}
		fmt.Fprintf(os.Stderr, "%d of %d: %s\n", i+1, len(programs), p.name)
		r := row{program: p, said: map[string]verdict{}}
		for _, t := range tools {
			v, err := m.measure(ctx, t, p, p.seeds)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", p.name, t, err)
			}
			r.said[t] = v
		}
		rows = append(rows, r)
	}
	fmt.Print(render(m.versions, rows))
	return nil
}
