// Command benchpeers measures rlvet beside other tools that read Python.
//
// Purpose: one table, from one run on one machine over the same files, so that
// its ratios can be trusted where absolute times cannot. `make bench-peers
// TREE=DIR` runs it.
//
// Input: a folder with Python files, which are copied to a temporary folder
// first: every tool then sees the same files, none sees anybody's settings.
// Output: a Markdown table of medians over several rounds; in a round every tool
// runs once, so that a busy spell of the machine hits all of them.
//
// Limits: peak memory is that of the largest process of a tool. A tool that is
// not there, fails, or exceeds its time is named as such and has no numbers. Unix
// only, since memory is read from the operating system's accounting.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rlvet/rlvet/internal/benchtest"
)

func main() {
	var opts options
	flag.StringVar(&opts.tree, "tree", "", "folder with the Python files to read")
	flag.StringVar(&opts.peers, "peers", ".peers", "folder in which npm's tools are, or are installed")
	flag.IntVar(&opts.rounds, "rounds", 5, "measured runs of each tool")
	flag.DurationVar(&opts.limit, "limit", 5*time.Minute, "longest time for one run of one tool; a tool that exceeds it is dropped")
	flag.IntVar(&opts.workers, "parse", 0, "only parse the tree with this many workers (used by the program itself)")
	benchtest.Main(func(ctx context.Context) error { return run(ctx, opts) })
}

type options struct {
	tree, peers string
	rounds      int
	limit       time.Duration
	workers     int
}

func run(ctx context.Context, opts options) error {
	if opts.tree == "" || opts.rounds < 1 {
		return fmt.Errorf("name a folder with -tree (make bench-peers TREE=DIR), and at least one round")
	}
	if opts.workers > 0 {
		return parseTree(opts.tree, opts.workers)
	}
	dir, err := os.MkdirTemp("", "benchpeers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	corpus, err := stage(opts.tree, filepath.Join(dir, "tree"))
	if err != nil {
		return err
	}
	tools, err := prepare(ctx, dir, opts.peers)
	if err != nil {
		return err
	}
	results := measureAll(ctx, tools, corpus.dir, opts)
	if err := ctx.Err(); err != nil {
		return err
	}
	fmt.Print(render(corpus, results, opts.rounds))
	return nil
}
