package report

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report/sarif"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/vet"
)

// SARIF writes SARIF 2.1.0: rules with their pages as help, results with code
// flows (the origin chain), fixes, fingerprints and suppressions, and what could
// not be checked as notifications. A notebook's location has the row in the
// cell, and the cell as a logical location.
type SARIF struct{}

// sourceRoot is the base of relative paths, which uploads to GitHub need.
const sourceRoot = "%SRCROOT%"

// Write writes one run.
func (SARIF) Write(w io.Writer, r *vet.Result) error {
	s := newSARIFRun(r)
	for i := range r.Findings {
		s.result(&r.Findings[i])
	}
	for i := range r.Suppressed {
		// A suppression without a reason has no justification.
		s.result(&r.Suppressed[i].Finding).Suppressions = []sarif.Suppression{{Kind: "inSource", Status: "accepted", Justification: r.Suppressed[i].Reason}}
	}
	return s.write(w)
}

// sarifRun collects the rules that results refer to.
type sarifRun struct {
	run    *sarif.Run
	report *vet.Result
	index  map[string]int // of a code among the driver's rules
}

func newSARIFRun(r *vet.Result) *sarifRun {
	run := &sarif.Run{
		Tool: sarif.Tool{Driver: sarif.Driver{
			Name: "rlvet", FullName: "rlvet " + r.Version, SemanticVersion: strings.TrimPrefix(r.Version, "v"),
			InformationURI: "https://github.com/rlvet/rlvet", Rules: []sarif.Rule{},
		}},
		ColumnKind: "unicodeCodePoints", Invocations: []sarif.Invocation{invocation(r)}, Results: []*sarif.Result{},
	}
	if r.Dir != "" {
		run.OriginalURIBaseIDs = map[string]sarif.Artifact{sourceRoot: {URI: fileURI(r.Dir) + "/"}}
	}
	return &sarifRun{run: run, report: r, index: map[string]int{}}
}

// write writes the run as a log of its own.
func (s *sarifRun) write(w io.Writer) error {
	return WriteJSON(w, sarif.Log{Schema: sarif.Schema, Version: sarif.Version, Runs: []*sarif.Run{s.run}})
}

// invocation says whether everything could be checked.
func invocation(r *vet.Result) sarif.Invocation {
	inv := sarif.Invocation{ExecutionSuccessful: !fatal(r.Problems)}
	for _, p := range r.Problems {
		n := sarif.Notification{Message: sarif.Message{Text: p.Message}, Level: "warning"}
		if p.Fatal {
			n.Level = "error"
		}
		if p.File != "" {
			at := sarif.Location{PhysicalLocation: sarif.PhysicalLocation{ArtifactLocation: artifact(p.File)}, LogicalLocations: cellOf(p.Cell)}
			if p.Line > 0 {
				at.PhysicalLocation.Region = &sarif.Region{StartLine: p.Line}
			}
			n.Locations = []sarif.Location{at}
		}
		inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, n)
	}
	return inv
}

// rule returns the index of a rule, which it adds when it is first met.
func (s *sarifRun) rule(code string) int {
	if i, ok := s.index[code]; ok {
		return i
	}
	d := sarif.Rule{ID: code}
	if e, ok := s.report.Rules.Lookup(code); ok {
		describe(&d, e.Doc)
	}
	rules := &s.run.Tool.Driver.Rules
	s.index[code] = len(*rules)
	*rules = append(*rules, d)
	return s.index[code]
}

func describe(d *sarif.Rule, doc *rule.Doc) {
	summary := sarif.Message{Text: doc.Summary()}
	d.Name, d.HelpURI = doc.Name, doc.URL()
	d.ShortDescription, d.FullDescription = &summary, &summary
	d.Help = &sarif.Message{Text: summary.Text, Markdown: doc.Markdown()}
	d.DefaultConfiguration = &sarif.Configuration{Level: level(doc.Severity)}
	d.Properties = map[string]any{"tags": []string{doc.Family, string(doc.Status)}}
}

func level(s finding.Severity) string { return string(s) } // the words are SARIF's own

// result adds a finding to the run.
func (s *sarifRun) result(f *finding.Finding) *sarif.Result {
	result := &sarif.Result{
		RuleID: f.Code, RuleIndex: s.rule(f.Code), Level: level(f.Severity), Message: sarif.Message{Text: f.Line()},
		Locations: []sarif.Location{locate(f.Range)}, PartialFingerprints: map[string]string{"rlvet/v1": f.Fingerprint},
		Properties: map[string]any{"evidence": string(f.Evidence)},
	}
	if len(f.Related) > 0 {
		result.CodeFlows = []sarif.CodeFlow{flow(f)}
	}
	for i, n := range f.Related {
		related := noted(n.Range, n.Message)
		related.ID = i + 1
		result.RelatedLocations = append(result.RelatedLocations, related)
	}
	if f.Fix != nil && len(f.Fix.Edits) > 0 {
		result.Fixes = []sarif.Fix{sarifFix(f.Fix)}
	}
	s.run.Results = append(s.run.Results, result)
	return result
}

// flow is the origin chain, which ends at the finding.
func flow(f *finding.Finding) sarif.CodeFlow {
	var steps []sarif.Step
	add := func(r finding.Range, text string) {
		steps = append(steps, sarif.Step{Location: noted(r, text), ExecutionOrder: len(steps) + 1})
	}
	for _, n := range f.Related {
		add(n.Range, n.Message)
	}
	add(f.Range, f.Line())
	return sarif.CodeFlow{ThreadFlows: []sarif.ThreadFlow{{Locations: steps}}}
}

func sarifFix(fix *finding.Fix) sarif.Fix {
	out := sarif.Fix{Description: sarif.Message{Text: fix.Message}}
	for _, file := range editedFiles(fix) {
		change := sarif.ArtifactChange{ArtifactLocation: artifact(file)}
		for _, e := range editsOf(fix, file) {
			change.Replacements = append(change.Replacements, sarif.Replacement{DeletedRegion: region(e.Range), InsertedContent: sarif.Content{Text: e.Content}})
		}
		out.ArtifactChanges = append(out.ArtifactChanges, change)
	}
	return out
}

func locate(r finding.Range) sarif.Location {
	where := region(r)
	return sarif.Location{
		PhysicalLocation: sarif.PhysicalLocation{ArtifactLocation: artifact(r.File), Region: &where}, LogicalLocations: cellOf(r.Cell),
	}
}

// noted is a place with what is said of it.
func noted(r finding.Range, text string) sarif.Location {
	at := locate(r)
	at.Message = &sarif.Message{Text: text}
	return at
}

// cellOf names a cell of a notebook; 0 is none.
func cellOf(cell int) []sarif.LogicalLocation {
	if cell == 0 {
		return nil
	}
	return []sarif.LogicalLocation{{Name: fmt.Sprintf("cell %d", cell), Kind: "module"}}
}

func region(r finding.Range) sarif.Region {
	return sarif.Region{StartLine: r.Start.Row, StartColumn: r.Start.Column, EndLine: r.End.Row, EndColumn: r.End.Column}
}

// artifact names a file: relative to the source root, or by an absolute URI.
func artifact(path string) sarif.Artifact {
	if filepath.IsAbs(path) {
		return sarif.Artifact{URI: fileURI(path)}
	}
	u := url.URL{Path: filepath.ToSlash(path)}
	return sarif.Artifact{URI: u.String(), URIBaseID: sourceRoot}
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/x
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String()
}
