package report

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
)

// SARIF writes SARIF 2.1.0: rules with their pages as help, results with code
// flows (the origin chain), fixes, fingerprints and suppressions, and what could
// not be checked as notifications. A notebook's location has the row in the
// cell, and the cell as a logical location.
type SARIF struct{}

// sourceRoot is the base of relative paths, which uploads to GitHub need.
const sourceRoot = "%SRCROOT%"

// Write writes one run.
func (SARIF) Write(w io.Writer, r *Report) error {
	s := newSARIFRun(r)
	for i := range r.Findings {
		s.run.AddResult(s.result(&r.Findings[i]))
	}
	for i := range r.Suppressed {
		result := s.result(&r.Suppressed[i].Finding)
		result.AddSuppression(suppression(r.Suppressed[i].Reason))
		s.run.AddResult(result)
	}
	return s.write(w)
}

// suppression is a comment in the source; one without a reason has no justification.
func suppression(reason string) *sarif.Suppression {
	s := sarif.NewSuppression().WithKind("inSource").WithStatus("accepted")
	if reason != "" {
		s.WithJustification(reason)
	}
	return s
}

// sarifRun collects the rules that results refer to.
type sarifRun struct {
	run    *sarif.Run
	report *Report
	index  map[string]int // of a code among the driver's rules
}

func newSARIFRun(r *Report) *sarifRun {
	run := sarif.NewRunWithInformationURI("rlvet", "https://github.com/rlvet/rlvet")
	run.Tool.Driver.WithSemanticVersion(strings.TrimPrefix(r.Version, "v")).WithFullName("rlvet " + r.Version)
	run.WithColumnKind("unicodeCodePoints").WithInvocations([]*sarif.Invocation{invocation(r)})
	if r.Dir != "" {
		run.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{sourceRoot: *sarif.NewArtifactLocation().WithURI(fileURI(r.Dir) + "/")})
	}
	return &sarifRun{run: run, report: r, index: map[string]int{}}
}

// write writes the run as a log of its own.
func (s *sarifRun) write(w io.Writer) error {
	log := sarif.NewReport()
	log.Properties.Tags = []string{}
	log.AddRun(s.run)
	var b bytes.Buffer
	if err := log.PrettyWrite(&b); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// invocation says whether everything could be checked.
func invocation(r *Report) *sarif.Invocation {
	inv := sarif.NewInvocation().WithExecutionSuccessful(!fatal(r.Problems))
	for _, p := range r.Problems {
		n := sarif.NewNotification().WithMessage(sarif.NewTextMessage(p.Message)).WithLevel("warning")
		if p.Fatal {
			n.WithLevel("error")
		}
		if p.File != "" {
			at := sarif.NewPhysicalLocation().WithArtifactLocation(artifact(p.File))
			loc := sarif.NewLocationWithPhysicalLocation(at)
			if p.Line > 0 {
				at.WithRegion(sarif.NewRegion().WithStartLine(p.Line))
			}
			if p.Cell > 0 {
				loc.AddLogicalLocation(sarif.NewLogicalLocation().WithName(cellName(p.Cell)).WithKind("module"))
			}
			n.AddLocation(loc)
		}
		inv.AddToolExecutionNotification(n)
	}
	return inv
}

// rule returns the index of a rule, which it adds when it is first met.
func (s *sarifRun) rule(code string) int {
	if i, ok := s.index[code]; ok {
		return i
	}
	d := sarif.NewRule(code)
	if e, ok := s.report.Rules.Lookup(code); ok {
		describe(d, e.Doc)
	}
	s.run.Tool.Driver.AddRule(d)
	s.index[code] = len(s.index)
	return s.index[code]
}

func describe(d *sarif.ReportingDescriptor, doc *rule.Doc) {
	text := doc.Summary()
	d.WithName(doc.Name).WithHelpURI(doc.URL())
	d.WithShortDescription(sarif.NewMultiformatMessageString().WithText(text))
	d.WithFullDescription(sarif.NewMultiformatMessageString().WithText(text))
	d.WithHelp(sarif.NewMultiformatMessageString().WithText(text).WithMarkdown(doc.Markdown()))
	d.WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level(doc.Severity)))
	d.WithProperties(sarif.NewPropertyBag().WithTags([]string{doc.Family, string(doc.Status)}))
}

func level(s finding.Severity) string { return string(s) } // the words are SARIF's own

func (s *sarifRun) result(f *finding.Finding) *sarif.Result {
	result := sarif.NewRuleResult(f.Code).WithRuleIndex(s.rule(f.Code)).WithLevel(level(f.Severity))
	result.WithMessage(sarif.NewTextMessage(f.Line()))
	result.AddLocation(locate(f.Range))
	result.WithPartialFingerprints(map[string]string{"rlvet/v1": f.Fingerprint})
	result.WithProperties(sarif.NewPropertyBag().Add("evidence", string(f.Evidence)))
	if len(f.Related) > 0 {
		result.AddCodeFlow(flow(f))
	}
	for i, n := range f.Related {
		result.AddRelatedLocation(locate(n.Range).WithID(i + 1).WithMessage(sarif.NewTextMessage(n.Message)))
	}
	if f.Fix != nil && len(f.Fix.Edits) > 0 {
		result.AddFixe(sarifFix(f.Fix))
	}
	return result
}

// flow is the origin chain, which ends at the finding.
func flow(f *finding.Finding) *sarif.CodeFlow {
	thread := sarif.NewThreadFlow()
	add := func(r finding.Range, text string) {
		at := locate(r).WithMessage(sarif.NewTextMessage(text))
		thread.AddLocation(sarif.NewThreadFlowLocation().WithLocation(at).WithExecutionOrder(len(thread.Locations) + 1))
	}
	for _, n := range f.Related {
		add(n.Range, n.Message)
	}
	add(f.Range, f.Line())
	return sarif.NewCodeFlow().AddThreadFlow(thread)
}

func sarifFix(fix *finding.Fix) *sarif.Fix {
	out := sarif.NewFix().WithDescription(sarif.NewTextMessage(fix.Message))
	for _, file := range editedFiles(fix) {
		change := sarif.NewArtifactChange().WithArtifactLocation(artifact(file))
		for _, e := range editsOf(fix, file) {
			change.AddReplacement(sarif.NewReplacement().WithDeletedRegion(region(e.Range)).WithInsertedContent(sarif.NewArtifactContent().WithText(e.Content)))
		}
		out.AddArtifactChange(change)
	}
	return out
}

func locate(r finding.Range) *sarif.Location {
	at := sarif.NewPhysicalLocation().WithArtifactLocation(artifact(r.File)).WithRegion(region(r))
	out := sarif.NewLocationWithPhysicalLocation(at)
	if r.Cell > 0 {
		out.AddLogicalLocation(sarif.NewLogicalLocation().WithName(cellName(r.Cell)).WithKind("module"))
	}
	return out
}

func cellName(cell int) string { return fmt.Sprintf("cell %d", cell) }

func region(r finding.Range) *sarif.Region {
	return sarif.NewRegion().WithStartLine(r.Start.Row).WithStartColumn(r.Start.Column).WithEndLine(r.End.Row).WithEndColumn(r.End.Column)
}

// artifact names a file: relative to the source root, or by an absolute URI.
func artifact(path string) *sarif.ArtifactLocation {
	if filepath.IsAbs(path) {
		return sarif.NewArtifactLocation().WithURI(fileURI(path))
	}
	u := url.URL{Path: filepath.ToSlash(path)}
	return sarif.NewArtifactLocation().WithURI(u.String()).WithURIBaseID(sourceRoot)
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/x
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String()
}
