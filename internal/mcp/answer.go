package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// checkAnswer is what the tool check answers, as data.
type checkAnswer struct {
	Findings []foundAnswer `json:"findings"`
	Total    int           `json:"total" jsonschema:"findings in all, listed or not"`
	Files    int           `json:"files" jsonschema:"files that were checked"`
	More     int           `json:"more,omitempty" jsonschema:"findings that rules in preview, which are off, would add"`
	Problems []string      `json:"problems,omitempty" jsonschema:"what could not be checked, and why"`
	Notes    []string      `json:"notes,omitempty"`
	failed   int           // problems that kept a file from being checked
}

// foundAnswer is a finding. Rows and columns count from 1, columns in code points;
// in a notebook rows count within the cell, and cells from 1.
type foundAnswer struct {
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Severity string   `json:"severity"`
	Path     string   `json:"path"`
	Cell     int      `json:"cell,omitempty"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	EndLine  int      `json:"end_line"`
	Message  string   `json:"message"`
	Why      string   `json:"why,omitempty" jsonschema:"what it does to training"`
	Help     string   `json:"help,omitempty" jsonschema:"what to write instead"`
	Because  []string `json:"because,omitempty" jsonschema:"the values that the finding rests on, and where they come from"`
	Fix      string   `json:"fix,omitempty" jsonschema:"safe, unsafe or display (not applied by itself), if there is a fix"`
}

func newCheckAnswer(c *vet.Result, limit int) checkAnswer {
	a := checkAnswer{Findings: []foundAnswer{}, Total: len(c.Findings), Files: c.Checked, More: len(c.More), Notes: notesOf(c)}
	for _, f := range c.Findings[:min(limit, len(c.Findings))] {
		a.Findings = append(a.Findings, newFoundAnswer(f))
	}
	for _, p := range c.Problems {
		a.Problems = append(a.Problems, p.String())
		if p.Fatal {
			a.failed++
		}
	}
	return a
}

func newFoundAnswer(f finding.Finding) foundAnswer {
	out := foundAnswer{
		Code: f.Code, Name: f.Name, Severity: string(f.Severity), Message: f.Message, Why: f.Why, Help: f.Help,
		Path: f.Range.File, Cell: f.Range.Cell, Line: f.Range.Start.Row, Column: f.Range.Start.Column, EndLine: f.Range.End.Row,
	}
	for _, r := range f.Related {
		out.Because = append(out.Because, fmt.Sprintf("%s:%d: %s", r.Range.File, r.Range.Start.Row, r.Message))
	}
	if f.Fix != nil {
		out.Fix = string(f.Fix.Applicability)
	}
	return out
}

// notesOf are the warnings of a check, as the command line says them.
func notesOf(r *vet.Result) (out []string) {
	for _, w := range slices.Concat(r.Warnings, r.Refused) {
		out = append(out, "warning: "+words.Plain(w))
	}
	return out
}

// nothing reports whether the check came to nothing, for reasons that are said.
func (a checkAnswer) nothing() bool { return a.Total == 0 && a.failed > 0 && a.failed >= a.Files }

// remarks are the lines below the findings.
func (a checkAnswer) remarks() string {
	var lines []string
	lines = append(lines, a.Problems...)
	lines = append(lines, a.Notes...)
	if left := a.Total - len(a.Findings); left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more; check fewer files, select rules, or give a higher limit", left))
	}
	switch {
	case a.nothing():
	case a.Total == 0:
		lines = append(lines, fmt.Sprintf("No findings in %s.", words.Count(a.Files, "file")))
	default:
		lines = append(lines, fmt.Sprintf("%s in %s.", words.Count(a.Total, "finding"), words.Count(a.Files, "file")))
	}
	if a.More > 0 {
		lines = append(lines, fmt.Sprintf("%d more where rlvet mcp runs with --preview.", a.More))
	}
	return strings.Join(lines, "\n")
}
