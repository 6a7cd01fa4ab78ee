// Command mutants plants known bugs in correct training code and counts how many are reported.
//
// Purpose: recall on code that nobody here wrote. Each operator rewrites one expression or
// statement of a program into a bug that a rule is there for; the program is checked before and
// after, and the mutant is reported if a finding of the operator's rules is new.
//
// Input: a folder of repositories, one a folder, as `go run ./internal/tools/corpus -trees DIR`
// leaves them. Output: a table of the operators with the share that was reported; with -v the
// mutants that were not, a line each.
//
// Limits: operators find their places by names, since people name things after what they are;
// rules must not. A mutant may be harmless or beyond what can be known, so the rate has a
// ceiling below one, and the list of what is missed is what to read. Nothing is written.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/benchtest"
)

func main() {
	var o options
	flag.StringVar(&o.trees, "trees", "", "folder of the repositories' files")
	flag.StringVar(&o.operators, "operators", "", "operators to plant, with commas (default: all)")
	flag.StringVar(&o.only, "only", "", "only repositories whose name contains this")
	flag.IntVar(&o.limit, "limit", 4, "mutants of one operator in one repository")
	flag.BoolVar(&o.verbose, "v", false, "list the mutants that were not heard")
	benchtest.Main(func(ctx context.Context) error { return o.run(ctx, os.Stdout) })
}

type options struct {
	trees, operators, only string
	limit                  int
	verbose                bool
}

func (o options) run(ctx context.Context, out io.Writer) error {
	if o.trees == "" {
		return fmt.Errorf("name the folder of the repositories with -trees; go run ./internal/tools/corpus -trees DIR fills it")
	}
	chosen, err := choose(o.operators)
	if err != nil {
		return err
	}
	dirs, err := filepath.Glob(filepath.Join(o.trees, "*"))
	if err != nil {
		return err
	}
	scores := make([]score, len(chosen))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || !strings.Contains(dir, o.only) {
			continue
		}
		if err := o.repository(ctx, dir, chosen, scores, out); err != nil {
			return err
		}
	}
	table(out, chosen, scores)
	return nil
}

// choose returns the operators with these names.
func choose(names string) ([]operator, error) {
	if names == "" {
		return operators, nil
	}
	var out []operator
	for name := range strings.SplitSeq(names, ",") {
		op := named(name)
		if op == nil {
			return nil, fmt.Errorf("no operator %q", name)
		}
		out = append(out, *op)
	}
	return out, nil
}

// score counts the mutants of an operator.
type score struct{ planted, heard int }

func (s score) rate() float64 { return float64(s.heard) / float64(max(s.planted, 1)) }

// table is a row an operator, and the mean of their rates.
func table(out io.Writer, of []operator, scores []score) {
	fmt.Fprintln(out, "| Bug | Rules | Planted | Heard | Rate |\n| --- | --- | --: | --: | --: |")
	sum, kinds := 0.0, 0
	var all score
	for i, op := range of {
		s := scores[i]
		if s.planted == 0 {
			continue
		}
		sum, kinds, all = sum+s.rate(), kinds+1, score{all.planted + s.planted, all.heard + s.heard}
		fmt.Fprintf(out, "| %s | %s | %d | %d | %.2f |\n", op.name, strings.Join(op.codes, " "), s.planted, s.heard, s.rate())
	}
	fmt.Fprintf(out, "| mean over kinds | | %d | %d | %.2f |\n", all.planted, all.heard, sum/float64(max(kinds, 1)))
}
