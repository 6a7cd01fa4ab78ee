// Command benchobserve measures `rlvet observe`: whether what is inferred agrees with what runs show, and what
// recording costs.
//
// Input: the programs of testdata that run alone, and those named on the command line. Output: a page in
// Markdown, docs/benchmarks/observe.md; each difference is a defect of a table or of inference.
//
// Limits: times are wall clock of single runs, with the start of Python in them; a program that ends early counts as far as it came.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rlvet/rlvet/internal/benchtest"
	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/observe"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
	"github.com/rlvet/rlvet/rules"
)

func main() {
	python := flag.String("python", "/usr/bin/python3", "a Python that has torch")
	benchtest.Main(func(ctx context.Context) error { return run(ctx, *python, flag.Args()) })
}

// programs are those of testdata.
var programs = []string{"testdata/confirm/grpo.py", "internal/watch/testdata/*.py", "testdata/hunt/faults/*/train.py"}

func run(ctx context.Context, python string, named []string) error {
	versions, err := benchtest.Versions(ctx, python)
	if err != nil {
		return err
	}
	list := named
	for _, pattern := range programs {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		list = append(list, found...)
	}
	var all []measured
	for _, path := range list {
		fmt.Fprintln(os.Stderr, path)
		m, err := measure(ctx, python, path)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	write(os.Stdout, versions, all)
	return nil
}

// measured is what came of one program.
type measured struct {
	path            string
	result          *observe.Result // nil where nothing could be observed
	why             string
	plain, recorded float64 // seconds
}

// measure runs a program without the recorder and with it.
func measure(ctx context.Context, python, path string) (measured, error) {
	m := measured{path: path}
	registry, err := rule.NewRegistry(rules.All(), rules.Retired())
	if err != nil {
		return m, err
	}
	request := program.Request{
		Check:   vet.Request{Rules: registry, Resolver: &config.Resolver{Rules: registry, Isolated: true}},
		Scripts: []string{path}, Python: python,
		Plan: harness.Plan{Seeds: []int{0}, Isolation: harness.NoIsolation, Limits: harness.Limits{Timeout: 2 * time.Minute, MaxSteps: observe.DefaultSteps, MaxEnvironmentSteps: observe.DefaultEnvironmentSteps}},
	}
	if m.plain, err = plain(ctx, request); err != nil {
		return m, err
	}
	r, err := observe.Run(ctx, observe.Request{Request: request, Compare: true})
	if err != nil {
		m.why = err.Error()
		return m, ctx.Err()
	}
	m.result, m.recorded = r, r.Run.WallSeconds
	return m, nil
}

// plain is how long the same run takes with nothing watched.
func plain(ctx context.Context, request program.Request) (float64, error) {
	runner, err := program.NewRunner(request)
	if err != nil {
		return 0, err
	}
	p, err := runner.Locate(request.Scripts[0])
	if err != nil {
		return 0, err
	}
	plan, err := p.Plan(ctx)
	if err != nil {
		return 0, err
	}
	report, err := runner.RunOne(ctx, "", plan)
	if err != nil {
		return 0, err
	}
	return report.Runs[0].WallSeconds, nil
}

// write writes the page.
func write(w io.Writer, versions string, all []measured) {
	fmt.Fprintf(w, "# Benchmarks: observe\n\nWritten by `make bench-observe`; %s. What evaluation knows of tensors and arrays without a run (library, gradient, rank, sizes) is held\nto what one seed showed, until %d optimizer steps.\n\n", versions, observe.DefaultSteps)
	facts, wrong := 0, 0
	var ratios []float64
	fmt.Fprint(w, "| program | expressions that ran | facts both know | different | plain | recorded |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, m := range all {
		if m.result == nil {
			fmt.Fprintf(w, "| %s | %s | | | %.1f s | |\n", m.path, m.why, m.plain)
			continue
		}
		r := m.result
		facts, wrong = facts+r.Compared.Values, wrong+len(r.Compared.Wrong)
		ratios = append(ratios, m.recorded/m.plain)
		fmt.Fprintf(w, "| %s | %d of %d | %d | %d | %.1f s | %.1f s |\n", m.path, r.Seen, r.Sites, r.Compared.Values, len(r.Compared.Wrong), m.plain, m.recorded)
	}
	fmt.Fprintf(w, "\n%s known to both, %d different", words.Count(facts, "fact"), wrong)
	if facts > 0 {
		fmt.Fprintf(w, ": %.2f %% agree", 100*float64(facts-wrong)/float64(facts))
	}
	if len(ratios) > 0 {
		slices.Sort(ratios)
		fmt.Fprintf(w, ". Recorded runs took %.2f times as long (median of %d)", ratios[len(ratios)/2], len(ratios))
	}
	fmt.Fprint(w, ".\n")
	for _, m := range all {
		if m.result == nil {
			continue
		}
		for _, d := range m.result.Compared.Wrong {
			fmt.Fprintf(w, "- %s, %s of `%s`: inferred %s, seen %s\n", d.Place, d.What, words.Plain(d.Text), d.Said, d.Seen)
		}
	}
}
