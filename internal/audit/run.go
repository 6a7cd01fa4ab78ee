package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/read"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// Request says which run to audit, and how.
type Request struct {
	Options
	// Dir is the folder of the run.
	Dir string
	// Metrics are what metrics of the run measure, by their names in the log, whatever the
	// settings of the folder say.
	Metrics map[string]config.Metric
	// Preferences are files of held-out judgements.
	Preferences []string
	// Scripts are the files that trained, which are checked, and not run.
	Scripts []string
	// Check says how they are checked; its settings are those of the audit too.
	Check vet.Request
	// Progress is told how many bytes of the run were read, of how many; nil for nobody.
	Progress func(done, total int64)
}

// Job is a request whose settings are read, and whose scripts are checked.
type Job struct {
	Request
	settings *config.Settings // of the run's folder
	names    map[string]read.Meaning
	findings []finding.Finding // in the scripts
}

// Run audits. The error is one that kept the run from being read.
//
//unused:keep the audit in one call
func Run(ctx context.Context, r Request) (*Result, error) {
	job, err := Open(ctx, r)
	if err != nil {
		return nil, err
	}
	return job.Audit(ctx)
}

// Open reads the settings and checks the scripts.
func Open(ctx context.Context, r Request) (*Job, error) {
	j := &Job{Request: r, names: map[string]read.Meaning{}}
	var err error
	if j.settings, err = r.Check.Resolver.For(r.Dir); err != nil {
		return nil, err
	}
	for _, metrics := range []map[string]config.Metric{j.settings.Metrics, r.Metrics} {
		for name, m := range metrics {
			j.names[name] = read.Meaning{Quantity: m.Quantity, Unit: m.Unit}
		}
	}
	if len(r.Scripts) == 0 {
		return j, nil
	}
	check := r.Check
	for _, path := range r.Scripts {
		check.Paths = append(check.Paths, paths.Short(path))
	}
	found, err := vet.CheckWhole(ctx, check)
	if err != nil {
		return nil, fmt.Errorf("--script: %w", err)
	}
	j.findings = found.Findings
	return j, nil
}

// Audit reads the run as it is now, and judges it.
func (j *Job) Audit(ctx context.Context) (*Result, error) { return j.audit(ctx, false) }

// audit reads the run and judges it. Of one that goes on, what is not there yet may come.
func (j *Job) audit(ctx context.Context, goesOn bool) (*Result, error) {
	run, err := j.read(ctx)
	if err != nil {
		return nil, err
	}
	if err := j.logged(run); err != nil && !goesOn {
		return nil, err
	}
	j.addSettings(run)
	r := Examine(run, j.Options)
	if j.Primary != "" && r.Primary == "" && !goesOn {
		return nil, fmt.Errorf("--primary %s: the run has no such score; without --primary the best that it has is taken", j.Primary)
	}
	if len(j.Scripts) > 0 {
		Explain(r, j.findings)
	}
	return r, nil
}

// read reads the run, and the judgements of it.
func (j *Job) read(ctx context.Context) (*record.Run, error) {
	run, err := read.Run(ctx, j.Dir, read.Options{Names: j.names, Progress: j.Progress})
	if err != nil {
		return nil, unread{err}
	}
	for _, path := range j.Preferences {
		held, notes, err := read.Judgements(path)
		if err != nil {
			return nil, fmt.Errorf("--preferences: %w", err)
		}
		run.Judgements.Preferences = append(run.Judgements.Preferences, held.Preferences...)
		run.Judgements.Scores = append(run.Judgements.Scores, held.Scores...)
		run.Notes = append(run.Notes, notes...)
	}
	if err := read.Logless(run); err != nil {
		return nil, unread{err}
	}
	return run, nil
}

// unread says that the folder holds nothing that can be read: of a run that has just begun
// it is no mistake.
type unread struct{ error }

// logged says which metric of the request the run does not have.
func (j *Job) logged(run *record.Run) error {
	var names []string
	for _, s := range run.Series {
		names = append(names, s.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(j.Metrics)) {
		switch near := words.Nearest(name, names); {
		case slices.Contains(names, name):
		case near != "":
			return fmt.Errorf("--metric: the run has no metric %q; did you mean %q?", name, near)
		default:
			return fmt.Errorf("--metric: the run has no metric %q", name)
		}
	}
	return nil
}

// addSettings adds to what was read the settings file that says what metrics of the run measure.
func (j *Job) addSettings(run *record.Run) {
	var said []string
	for _, s := range run.Series {
		if m, ok := j.settings.Metrics[s.Name]; ok && j.names[s.Name] == (read.Meaning{Quantity: m.Quantity, Unit: m.Unit}) && !slices.Contains(said, s.Name) {
			said = append(said, s.Name)
		}
	}
	if from := j.settings.Origin("audit.metrics"); len(said) > 0 {
		run.Sources = append(run.Sources, record.Source{
			Path: from, Format: "settings", Records: int64(len(said)), Notes: []string{"says what " + strings.Join(said, ", ") + " measures"},
		})
	}
}
