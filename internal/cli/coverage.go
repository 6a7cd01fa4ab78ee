package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/coverage"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// The bounds of what is listed for people.
const (
	mostCauses  = 10
	mostPlaces  = 3
	mostEntries = 20
)

// coverageCommand returns `rlvet debug coverage`.
func (a *app) coverageCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "coverage [PATH...]", Short: "Show how much of the tensor code rlvet understood",
		Long: "Count the expressions that hold tensors, or may hold them, and of how many the kind, the shape, the gradient and the owner are known. Then list the most frequent reasons why kinds and gradients are unknown, with places, and the functions that nothing calls: of those, rlvet knows the parameters by name only.",
		RunE: func(cmd *cobra.Command, paths []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("--output-format %s: want text or json", format)
			}
			if len(paths) == 0 {
				paths = []string{"."}
			}
			return a.showCoverage(cmd.Context(), paths, format)
		},
	}
	c.Flags().StringVar(&format, "output-format", "text", "print as `FORMAT`: text, json")
	return c
}

// covered is what `rlvet debug coverage --output-format json` prints.
type covered struct {
	coverage.Counts
	Files   int           `json:"files"`
	Bounds  []string      `json:"bounds_hit"`
	Causes  []coveredRow  `json:"reasons"`
	Grads   []coveredRow  `json:"gradient_reasons"`
	Entries []coveredName `json:"entries"`
}

// coveredRow is a reason why kinds or gradients are unknown.
type coveredRow struct {
	Why         string   `json:"why"`
	Expressions int      `json:"expressions"`
	Places      []string `json:"places"`
}

// coveredName is a function that nothing calls.
type coveredName struct {
	Name  string `json:"name"`
	Place string `json:"place"`
}

// coverageOf collects the coverage of all modules of a check.
type coverageOf struct {
	mu    sync.Mutex
	total *coverage.Coverage
	files map[string]*source.File
}

func newCoverageOf() *coverageOf {
	return &coverageOf{total: coverage.New(), files: map[string]*source.File{}}
}

// analyzer adds a module. It depends on all modules of a check, and must not run beside a
// store that leaves some of them out.
func (c *coverageOf) analyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "coverage", Doc: "counts what is known of each expression", Requires: []*analysis.Analyzer{pass.Syntax, pass.Values},
		Run: func(p *analysis.Pass) (any, error) {
			src := p.ResultOf[pass.Syntax].(*pass.Source)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.files[src.File.Path] = src.File
			c.total.Add(p.ResultOf[pass.Values].(*infer.Result))
			return nil, nil
		},
	}
}

// showCoverage evaluates the files and writes what was understood.
func (a *app) showCoverage(ctx context.Context, paths []string, format string) error {
	collected := newCoverageOf()
	request := a.request(&checkFlags{noCache: true}, a.resolver())
	request.Paths = paths
	request.Engine = func(ctx context.Context, paths []string, o engine.Options) (*engine.Result, error) {
		o.Analyzers = []*analysis.Analyzer{collected.analyzer()}
		return engine.Check(ctx, paths, o)
	}
	res, err := vet.Check(ctx, request)
	if err != nil {
		return err
	}
	for _, p := range res.Problems {
		a.warnf("%s", p)
	}
	if len(collected.files) == 0 {
		return errors.New("no file that concerns RL was evaluated; name a file to have it evaluated all the same")
	}
	c := describeCoverage(collected.total, collected.files)
	c.Bounds = res.Stats.Bounds()
	if format == "json" {
		out := json.NewEncoder(a.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(c)
	}
	return c.write(a.Stdout)
}

// line sums up the coverage for --statistics.
func (c *coverageOf) line() string {
	n := c.total.Counts()
	part := func(count int) string { return share(count, n.Expressions) }
	return fmt.Sprintf("understood, of %s that may hold tensors: kind %s (%s more by name), shape %s, gradient %s, owner %s, nothing known %s",
		words.Count(n.Expressions, "expression"), part(n.Derived), part(n.Named), part(n.Shape), part(n.Grad), part(n.Owner), part(n.Nothing))
}

// describeCoverage writes places as people read them.
func describeCoverage(total *coverage.Coverage, files map[string]*source.File) *covered {
	place := func(p coverage.Place) string {
		f := files[p.Path]
		if f == nil {
			return p.Path
		}
		problem := finding.Problem{File: p.Path, Line: f.Position(p.Start).Row}
		if cell := f.CellAt(p.Start); cell != nil {
			problem.Cell = cell.Number
		}
		return problem.Place()
	}
	c := &covered{Counts: total.Counts(), Files: len(files), Entries: []coveredName{}}
	rows := func(causes []coverage.Cause) []coveredRow {
		out := []coveredRow{}
		for _, cause := range causes {
			row := coveredRow{Why: cause.Why, Expressions: cause.Expressions}
			for _, at := range cause.Places {
				row.Places = append(row.Places, place(at))
			}
			row.Places = slices.Compact(row.Places)
			out = append(out, row)
		}
		return out
	}
	c.Causes, c.Grads = rows(total.Causes()), rows(total.GradCauses())
	for _, e := range total.Entries() {
		c.Entries = append(c.Entries, coveredName{e.Name, place(e.Place)})
	}
	return c
}

// write writes the coverage for people.
func (c *covered) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s that hold tensors, or may hold them, in %s\n\n", words.Count(c.Expressions, "expression"), words.Count(c.Files, "file"))
	for _, row := range []struct {
		name  string
		count int
	}{
		{"kind, derived", c.Derived}, {"kind, by name only", c.Named}, {"shape", c.Shape}, {"gradient", c.Grad},
		{"  attached to the graph", c.Attached}, {"owner", c.Owner}, {"nothing known", c.Nothing},
	} {
		fmt.Fprintf(&b, "%-23s %7d  %4s\n", row.name, row.count, share(row.count, c.Expressions))
	}
	reasons := func(of string, rows []coveredRow) {
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\nWhy %s are unknown, most frequent first:\n", of)
		}
		for _, row := range rows[:min(mostCauses, len(rows))] {
			fmt.Fprintf(&b, "%7d  %s\n         %s\n", row.Expressions, row.Why, few(row.Places))
		}
	}
	reasons("kinds", c.Causes)
	reasons("gradients", c.Grads)
	if len(c.Bounds) > 0 {
		fmt.Fprintf(&b, "\nCut off by bounds: %s\n", strings.Join(c.Bounds, ", "))
	}
	if len(c.Entries) > 0 {
		fmt.Fprintf(&b, "\nNothing calls %s; the parameters are known by name, annotation and default only:\n", words.Count(len(c.Entries), "function"))
		for _, e := range c.Entries[:min(mostEntries, len(c.Entries))] {
			fmt.Fprintf(&b, "         %s  %s\n", e.Place, e.Name)
		}
		if more := len(c.Entries) - mostEntries; more > 0 {
			fmt.Fprintf(&b, "         and %d more, which --output-format json lists\n", more)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %%", (100*n+of/2)/of)
}

// few lists the first places.
func few(places []string) string {
	if more := len(places) - mostPlaces; more > 0 {
		return strings.Join(places[:mostPlaces], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(places, ", ")
}
