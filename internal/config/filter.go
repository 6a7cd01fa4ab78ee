package config

import (
	"maps"
	"path/filepath"
	"slices"
	"sort"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
)

// Judgement is what settings and comments leave of the findings of one file, or of several.
type Judgement struct {
	Findings   []finding.Finding // sorted by place
	Suppressed []suppress.Suppressed
	Hidden     int               // hints that are not shown
	Held       []finding.Finding // what would be shown if rules in preview, which are off, were on
}

// Add adds the judgement of another file.
func (j *Judgement) Add(other Judgement) {
	j.Findings = append(j.Findings, other.Findings...)
	j.Suppressed = append(j.Suppressed, other.Suppressed...)
	j.Hidden += other.Hidden
	j.Held = append(j.Held, other.Held...)
}

// Checked is one file after the engine was at it.
type Checked struct {
	Path     string
	File     *source.File // nil where it could not be read; then comments are not looked at
	Findings []finding.Finding
	// Partly reports whether some of what may lead to findings in the file was not
	// checked: whether a suppression is of use cannot be told then. Nil is never.
	Partly func() bool
}

// Judge completes the findings of one file from the rules' pages, and drops
// those of rules that are off for it, those that comments suppress and, unless
// they are asked for, those that rest on names alone. Both the command line and
// the editor show exactly what Judge returns.
func (s *Settings) Judge(rules *rule.Registry, c Checked) Judgement {
	enabled, held := s.EnabledFor(c.Path), s.without(s.Held, c.Path)
	j := s.judge(rules, c, enabled)
	if slices.ContainsFunc(c.Findings, func(f finding.Finding) bool { return held[f.Code] }) {
		all := clone(enabled)
		maps.Copy(all, held)
		shown := s.judge(rules, c, all).Findings
		more := max(0, len(shown)-len(j.Findings)) // one of the others may yield to one of these
		j.Held = slices.DeleteFunc(shown, func(f finding.Finding) bool { return !held[f.Code] })
		j.Held = j.Held[:min(more, len(j.Held))]
	}
	return j
}

// judge is Judge with the rules that count as on.
func (s *Settings) judge(rules *rule.Registry, c Checked, enabled rule.Set) Judgement {
	var on []finding.Finding
	for _, f := range c.Findings {
		if enabled[f.Code] {
			rules.Complete(&f)
			on = append(on, f)
		}
	}
	SortFindings(on)
	on, yielded := s.quiet(rules, c, on)
	for i, list := range yielded {
		on[i].Related = slices.Concat(on[i].Related, places(&on[i], list))
	}
	out := suppress.Outcome{Kept: on}
	if c.File != nil {
		out = suppress.Apply(c.File, on, suppress.Options{Rules: rules, Enabled: enabled, Path: s.fromProject(c.Path), Partly: c.Partly})
	}
	j := Judgement{Suppressed: out.Suppressed}
	for _, f := range out.Kept {
		if f.Evidence == finding.NameOnly && !s.ShowHints {
			j.Hidden++
			continue
		}
		j.Findings = append(j.Findings, f)
	}
	SortFindings(j.Findings)
	return j
}

// fromProject returns a path as seen from the root of its project.
func (s *Settings) fromProject(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return project.Relative(s.project, abs)
}

// EnabledFor returns the rules that run on a file, per-file-ignores considered.
func (s *Settings) EnabledFor(path string) rule.Set { return s.without(s.Enabled, path) }

// without returns a set without the rules that per-file-ignores turn off for a file.
func (s *Settings) without(rules rule.Set, path string) rule.Set {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	enabled, copied := rules, false
	for _, ig := range s.ignores {
		if !ig.glob.matches(abs) {
			continue
		}
		if !copied {
			enabled, copied = clone(enabled), true
		}
		for code := range ig.codes {
			delete(enabled, code)
		}
	}
	return enabled
}

func clone(set rule.Set) rule.Set {
	out := rule.Set{}
	for code := range set {
		out[code] = true
	}
	return out
}

// SortFindings orders findings by file, place and code, so that output does not
// depend on the order of work.
func SortFindings(list []finding.Finding) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		switch {
		case a.Range.File != b.Range.File:
			return a.Range.File < b.Range.File
		case a.Range.StartByte != b.Range.StartByte:
			return a.Range.StartByte < b.Range.StartByte
		case a.Range.EndByte != b.Range.EndByte:
			return a.Range.EndByte < b.Range.EndByte
		case a.Code != b.Code:
			return a.Code < b.Code
		}
		return a.Message < b.Message
	})
}
