// Package observe is `rlvet observe`: the rules on what a run of the program showed.
//
// It runs a program for one short seed with the value of every expression recorded, has the program
// evaluated once more with the record beside it, and runs the same rules. What evaluation leaves
// unknown (registries, containers, frameworks, getattr) is known then; what did not run is not judged.
//
// Input: a [Request]: a program and its limits. Output: a [Result]: what was found at places that
// ran, and what check finds without a run.
// Limits: what holds of one run need not hold of another. Values are known again by the identity of
// tensors, arrays and objects, so what goes through numbers, files or other processes is not followed.
package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// Request says what to run: one script, or a module.
type Request struct {
	program.Request
	// Compare holds what evaluation knows by itself to what was seen.
	Compare bool
}

// The bounds of a run where no others are given: it has to show what is done, not to train.
const (
	DefaultSteps            = 64
	DefaultEnvironmentSteps = 20000
)

// Result is what was found.
type Result struct {
	Script string
	// Checked is what the rules find with the record, at places that ran.
	Checked *vet.Result
	// New is how many of those findings check does not have without the record; their evidence is
	// [finding.Observed].
	New int
	// Idle are findings of check at places that did not run.
	Idle []finding.Finding
	// Compared is how both sources agree, where the request asks for it.
	Compared Comparison
	// Sites is how many expressions were evaluated, of all in the files that were imported.
	Sites, Seen int
	Run         harness.SeedRun
	Python      *harness.Python
	Isolation   harness.Isolation
}

// Run runs the program and checks it by what was seen. The error is one line that says what kept it.
func Run(ctx context.Context, r Request) (*Result, error) {
	if len(r.Plan.Seeds) != 1 {
		return nil, errors.New("one seed is observed; name one")
	}
	runner, p, err := program.Only(ctx, r.Request, "observed")
	if err != nil {
		return nil, err
	}
	out := &Result{Script: p.Name}
	records, err := out.record(ctx, runner, p)
	if err != nil {
		return out, err
	}
	if err := out.idle(ctx, p, records); err != nil {
		return out, err
	}
	switch {
	case records.seen > 0:
	case out.Run.Status == "done":
		return out, fmt.Errorf("%s: nothing ran that can be observed: it came to its end without evaluating an expression of the project; name the script that trains, with its arguments behind --: rlvet observe train.py -- ARGUMENTS", p.Name)
	default:
		return out, fmt.Errorf("%s: no expression of the program was evaluated: %s; %s", p.Name, out.ended(), harness.Advice(out.ended(), out.Run.Crash, out.Python))
	}
	out.Seen, out.Sites = records.seen, records.sites
	for _, path := range records.files {
		if path != abs(p.Name) {
			p.With = append(p.With, paths.Short(path))
		}
	}
	if r.Compare || len(p.With) > 0 { // else it is checked already
		both := &comparer{records: records, said: map[Difference]bool{}}
		if r.Compare {
			runner.Check.Also(both.analyzer())
		}
		if err := p.Vet(ctx); err != nil {
			return out, program.OneLine(err)
		}
		out.Compared = both.out
	}
	static := p.Checked
	runner.Check = r.Check
	runner.Check.Records = records.byPath
	if err := p.Vet(ctx); err != nil {
		return out, program.OneLine(err)
	}
	out.compare(static, p.Checked, records)
	return out, nil
}

// record runs the program with the recorder.
func (r *Result) record(ctx context.Context, runner *program.Runner, p *program.Program) (*records, error) {
	work, err := paths.Temporary()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	plan, err := p.Plan(ctx)
	if err != nil {
		return nil, err
	}
	if plan.Limits.MaxSteps == 0 && plan.Limits.MaxEnvironmentSteps == 0 {
		plan.Limits.MaxSteps, plan.Limits.MaxEnvironmentSteps = DefaultSteps, DefaultEnvironmentSteps
	}
	plan.Instruments, plan.Kept = []harness.Instrument{{Name: "recorder", Settings: map[string]any{}}}, work
	report, err := runner.RunOne(ctx, "recording one seed", plan)
	if err != nil {
		return nil, err
	}
	r.Run, r.Python, r.Isolation = report.Runs[0], plan.Python, report.Isolation
	for _, e := range r.Run.InstrumentErrors {
		return nil, fmt.Errorf("%s: the recorder stopped: %s (%s)", p.Name, e.Error, e.Where)
	}
	return readAll(filepath.Join(work, strconv.Itoa(r.Run.Seed)), roots(p), p)
}

// roots are the names of the folder of a project: its own, and last the one by which the user names it.
func roots(p *program.Program) []string {
	if folder, inside := strings.CutSuffix(abs(p.Name), string(filepath.Separator)+p.Script); inside && folder != p.Root {
		return []string{p.Root, folder}
	}
	return []string{p.Root}
}

// abs is a path in full.
func abs(path string) string { return paths.In(paths.Working(), path) }

// compare takes the findings at places that ran, and says which of them check does not have.
func (r *Result) compare(static, observed *vet.Result, records *records) {
	known := map[string]bool{}
	for _, f := range static.Findings {
		known[f.Fingerprint] = true
		if !records.ran(f.Range) {
			r.Idle = append(r.Idle, f)
		}
	}
	observed.Findings = slices.DeleteFunc(observed.Findings, func(f finding.Finding) bool { return !records.ran(f.Range) })
	for i := range observed.Findings {
		if f := &observed.Findings[i]; !known[f.Fingerprint] {
			f.Evidence, f.Why = finding.Observed, strings.TrimSpace(f.Why+fmt.Sprintf(" (observed under seed %d)", r.Run.Seed))
			r.New++
		}
	}
	r.Checked = observed
}

// ran reports whether the statements at a place ran.
func (r *records) ran(at finding.Range) bool {
	record := r.byPath[abs(at.File)]
	return record != nil && record.Ran(ast.Span{Start: uint32(at.StartByte), End: uint32(at.EndByte)})
}

// ended says how the run ended.
func (r *Result) ended() string {
	return words.Plain(cmp.Or(r.Run.EndedEarly(), "it ended with "+r.Run.Status))
}

// Summary says in one line what was seen of the program.
func (r *Result) Summary() string {
	line := fmt.Sprintf("Observed seed %d of %s with torch %s: %d of %s ran", r.Run.Seed, r.Script, r.Python.Torch, r.Seen, words.Count(r.Sites, "expression"))
	if r.New > 0 {
		line += fmt.Sprintf("; %s only known from the run", words.Choose(r.New, "1 finding is", strconv.Itoa(r.New)+" findings are"))
	}
	if n := len(r.Idle); n > 0 {
		line += fmt.Sprintf("; %s of check left out, where nothing ran", words.Count(n, "finding"))
	}
	if r.Run.Status == "crash" {
		line += "; the run ended early: " + r.ended()
	}
	return line + "."
}
