package vet

import (
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/pins"
	"github.com/rlvet/rlvet/internal/rule"
)

// Job is a set of files that are checked together.
type Job struct {
	Rules    *rule.Registry
	Resolver *config.Resolver // of settings of modules that nobody asked for
	Inputs   []config.Input
	// Partly says that modules which may have something to say about the inputs were
	// not checked: no suppression of what an analyzer finds is called unused then.
	Partly bool
	// Coverage tells of which inputs the whole project was checked; nil for all.
	Coverage *config.Coverage
}

// Analyzers returns the rules that are on for some input.
func (j Job) Analyzers() []*analysis.Analyzer {
	return j.analyzers(func(s *config.Settings) rule.Set { return s.Enabled })
}

// Held returns the rules that are on for no input and would be with rules in preview.
func (j Job) Held() []*analysis.Analyzer {
	on := j.Analyzers()
	return slices.DeleteFunc(j.analyzers(func(s *config.Settings) rule.Set { return s.Held }), func(a *analysis.Analyzer) bool { return slices.Contains(on, a) })
}

// analyzers returns the rules that some input's settings have in a set.
func (j Job) analyzers(set func(*config.Settings) rule.Set) []*analysis.Analyzer {
	var out []*analysis.Analyzer
	seen := map[*config.Settings]bool{}
	for _, in := range j.Inputs {
		seen[in.Settings] = true
	}
	for _, e := range j.Rules.Entries() {
		for settings := range seen {
			if e.Analyzer != nil && set(settings)[e.Doc.Code] {
				out = append(out, e.Analyzer)
				break
			}
		}
	}
	return out
}

// Torch returns the oldest version that any input asks for; a project that says
// nothing asks for all. There must be an input.
func (j Job) Torch() string {
	oldest := j.Inputs[0].Settings.TargetTorch
	for _, in := range j.Inputs {
		if v := in.Settings.TargetTorch; v == "" || oldest != "" && pins.Compare(v, oldest) < 0 {
			oldest = v
		}
	}
	return oldest
}

// Judge applies settings and comments to what the engine found in the job's files.
func (j Job) Judge(found *engine.Result) config.Judgement {
	byFile := map[string][]finding.Finding{}
	for _, f := range found.Findings {
		byFile[f.Range.File] = append(byFile[f.Range.File], f)
	}
	// A file that could not be read may call what is checked.
	broken := slices.ContainsFunc(found.Problems, func(p finding.Problem) bool { return p.Fatal })
	var all config.Judgement
	for _, in := range j.Inputs {
		all.Add(in.Settings.Judge(j.Rules, config.Checked{
			Path: in.Path, File: found.Files[in.Path], Findings: byFile[in.Path],
			Partly: func() bool { return j.Partly || broken || j.Coverage != nil && !j.Coverage.Whole(in) },
		}))
		delete(byFile, in.Path)
	}
	for path, list := range byFile {
		all.Add(j.judgeImported(config.Checked{Path: path, File: found.Files[path], Findings: list, Partly: always}))
	}
	config.SortFindings(all.Findings)
	return all
}

func always() bool { return true }

// judgeImported judges what was found in a module that nobody named but that a
// checked one imports: a helper's mistake shows only where it is called with
// the caller's values. Modules that settings exclude are passed over, and so
// are their comments' own mistakes; fixes are shown only.
func (j Job) judgeImported(c config.Checked) config.Judgement {
	settings, err := j.Resolver.For(c.Path)
	abs, _ := filepath.Abs(c.Path)
	if err != nil || settings.Excludes(abs) {
		return config.Judgement{}
	}
	judged := settings.Judge(j.Rules, c)
	judged.Findings = slices.DeleteFunc(judged.Findings, func(f finding.Finding) bool {
		e, ok := j.Rules.Lookup(f.Code)
		return ok && e.Analyzer == nil
	})
	for i := range judged.Findings {
		if fix := judged.Findings[i].Fix; fix != nil {
			shown := *fix
			shown.Applicability = finding.DisplayOnly
			judged.Findings[i].Fix = &shown
		}
	}
	return judged
}
