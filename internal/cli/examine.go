package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/vet"
)

// examine runs the engine over all inputs. overlay holds texts that differ from
// the disk: standard input, and files that fixes have changed.
func (s *session) examine(ctx context.Context, overlay map[string][]byte) (*outcome, error) {
	r := request{named: map[string]bool{}, overlay: map[string][]byte{}, jobs: s.flags.jobs}
	for _, in := range s.inputs {
		r.paths = append(r.paths, in.Path)
		r.named[in.Path] = in.Named
	}
	if s.stdin != nil {
		r.overlay[s.stdin.Path] = s.stdin.Raw
	}
	for path, text := range overlay {
		r.overlay[path] = text
	}
	r.store = s.store()
	job := s.job()
	r.analyzers, r.torch = job.Analyzers(), job.Torch()
	bar := s.progress(len(r.paths))
	r.progress = func(done, total int) { bar.set(int64(done), int64(total)) }
	defer bar.close()
	return s.check(ctx, r)
}

// job is what is checked, as the editor knows it too.
func (s *session) job() vet.Job {
	return vet.Job{Rules: s.rules, Resolver: s.resolver, Inputs: s.inputs}
}

func (s *session) newReport(problems []finding.Problem) *report.Report {
	r := &report.Report{Rules: s.rules, Version: version(), Dir: workingDir(), Checked: len(s.inputs), UnsafeFixes: s.settings.UnsafeFixes}
	r.Problems = slices.Concat(s.problems, problems)
	slices.SortStableFunc(r.Problems, finding.Problem.Compare)
	r.Problems = slices.Compact(r.Problems)
	return r
}

// judge applies settings, comments and --new-from to what the engine found.
func (s *session) judge(ctx context.Context, out *outcome) (*report.Report, error) {
	r := s.newReport(out.problems)
	r.Files = out.files
	v := s.job().Judge(vet.Found{Findings: out.findings, Problems: out.problems, Files: out.files})
	r.Findings, r.Suppressed, r.Hidden = v.Findings, v.Suppressed, v.Hidden
	return r, s.keepNew(ctx, r)
}

// explainFreely lets rules explain that are in preview or rest on names, unless the command
// line says otherwise: what they say is shown only beside what went wrong.
func (f *checkFlags) explainFreely() {
	preview, hints := true, true
	f.values.Preview, f.values.ShowHints = &preview, &hints
}

// checkAside returns what `rlvet check` finds in some files, for a command that shows it
// beside something else. Nothing is printed; what cannot be checked is the error.
func (a *app) checkAside(ctx context.Context, flags *checkFlags, resolver *config.Resolver, paths []string) (*report.Report, error) {
	settings, err := resolver.For(".")
	if err != nil {
		return nil, err
	}
	child, stderr := a.quiet()
	s := &session{app: child, flags: flags, resolver: resolver, settings: settings}
	for i := range paths {
		paths[i] = shortest(paths[i])
	}
	if err := s.collect(paths); err != nil {
		return nil, err
	}
	r := s.newReport(nil)
	if len(s.inputs) > 0 { // and never by s.work, which fixes where the settings say so
		found, err := s.examine(ctx, nil)
		if err != nil {
			return nil, err
		}
		if r, err = s.judge(ctx, found); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(r.Problems, func(p finding.Problem) bool { return p.Fatal }) {
		s.tell(r.Problems)
		return nil, errors.New(strings.TrimPrefix(strings.Join(linesOf(stderr), "; "), "error: "))
	}
	return r, nil
}
