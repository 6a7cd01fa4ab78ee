package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// found is a finding in a repository.
type found struct {
	place
	severity finding.Severity
	stable   bool // its rule is on by default
	headline string
}

// summary is what a run found, and how that compares with what was judged.
type summary struct {
	found   []found
	lines   map[string]int // of the files that were checked, by repository
	missing []string       // repositories that could not be had
	failed  []string       // rules that broke down, with the file

	judged map[place]judgement // of what was found
	fresh  []found             // that nobody has seen yet
	gone   []place
}

// check adds what the rules find below dir.
func (s *summary) check(ctx context.Context, repository, dir string, selected []string) error {
	registry, err := rule.NewRegistry(rules.All(), rules.Retired())
	if err != nil {
		return err
	}
	preview := true
	resolver := &config.Resolver{Rules: registry, Isolated: true, Override: config.Values{Preview: &preview, Select: selected}}
	files, err := vet.Open(vet.Request{Paths: []string{dir}, Rules: registry, Resolver: resolver})
	if err != nil {
		return fmt.Errorf("%s: %w", repository, err)
	}
	result, err := files.Check(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", repository, err)
	}
	if s.lines == nil {
		s.lines = map[string]int{}
	}
	for _, file := range result.Files {
		s.lines[repository] += bytes.Count(file.Text, []byte("\n"))
	}
	for _, problem := range result.Problems {
		if strings.Contains(problem.Message, "internal error") { // a file that Python cannot read is no matter of ours
			s.failed = append(s.failed, repository+": "+problem.Place()+": "+problem.Message)
		}
	}
	listed := map[place]bool{}
	for _, f := range result.Findings {
		path, err := filepath.Rel(dir, f.Range.File)
		if err != nil {
			return err
		}
		p := place{repository, filepath.ToSlash(path), f.Range.Start.Row, f.Code}
		if !listed[p] {
			listed[p] = true
			e, _ := registry.Lookup(f.Code)
			s.found = append(s.found, found{p, f.Severity, e.Doc.Status == rule.Stable, f.Message})
		}
	}
	return nil
}

// compare sets what was found against what was known. Of repositories that were not
// checked nothing is gone.
func (s *summary) compare(known map[place]judgement) {
	s.judged = map[place]judgement{}
	for _, f := range s.found {
		j, ok := known[f.place]
		if !ok {
			s.fresh = append(s.fresh, f)
			j = judgement{verdict: unread}
		}
		s.judged[f.place] = j
	}
	for p, j := range known {
		if _, ok := s.judged[p]; ok {
			continue
		}
		if _, checked := s.lines[p.repository]; checked {
			s.gone = append(s.gone, p)
		} else {
			s.judged[p] = j
		}
	}
}
