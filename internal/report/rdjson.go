package report

import (
	"io"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// RDJSON writes the Reviewdog Diagnostic Format. Its columns are bytes of UTF-8,
// counted from 1, and ends are exclusive.
type RDJSON struct{}

type rdResult struct {
	Source      rdSource       `json:"source"`
	Diagnostics []rdDiagnostic `json:"diagnostics"`
}

type rdSource struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type rdDiagnostic struct {
	Message     string         `json:"message"`
	Location    rdLocation     `json:"location"`
	Severity    string         `json:"severity"`
	Code        rdCode         `json:"code"`
	Suggestions []rdSuggestion `json:"suggestions,omitempty"`
}

type rdLocation struct {
	Path  string   `json:"path"`
	Range *rdRange `json:"range,omitempty"`
}

type rdCode struct {
	Value string `json:"value"`
	URL   string `json:"url,omitempty"`
}

type rdRange struct {
	Start rdPosition `json:"start"`
	End   rdPosition `json:"end"`
}

type rdPosition struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

type rdSuggestion struct {
	Range rdRange `json:"range"`
	Text  string  `json:"text"`
}

var rdSeverity = map[finding.Severity]string{finding.Error: "ERROR", finding.Warning: "WARNING", finding.Note: "INFO"}

// Write writes the object.
func (RDJSON) Write(w io.Writer, r *vet.Result) error {
	out := rdResult{Source: rdSource{"rlvet", "https://github.com/rlvet/rlvet"}, Diagnostics: []rdDiagnostic{}}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.Diagnostics = append(out.Diagnostics, rdDiagnostic{
			Message: inCell(f.Range) + f.Line(), Location: rdLocation{f.Range.File, rdSpan(r.Files[f.Range.File], f.Range)},
			Severity: rdSeverity[f.Severity], Code: rdCode{f.Code, f.URL}, Suggestions: rdSuggestions(r, f),
		})
	}
	return encode(w, out, "  ")
}

// rdSpan returns nil for a notebook, whose cells have no lines of the file.
func rdSpan(file *source.File, at finding.Range) *rdRange {
	if file == nil || at.Cell > 0 {
		return nil
	}
	position := func(offset int) rdPosition {
		row, column := file.Lines().ByteColumn(offset)
		return rdPosition{row, column + 1}
	}
	return &rdRange{position(at.StartByte), position(at.EndByte)}
}

// rdSuggestions gives the fix where it is one edit of the file: suggestions are
// alternatives of each other, so that two edits that belong together cannot be said.
func rdSuggestions(r *vet.Result, f *finding.Finding) []rdSuggestion {
	if f.Fix == nil || len(f.Fix.Edits) != 1 || f.Fix.Edits[0].Range.File != f.Range.File {
		return nil
	}
	e := f.Fix.Edits[0]
	if span := rdSpan(r.Files[e.Range.File], e.Range); span != nil {
		return []rdSuggestion{{*span, e.Content}}
	}
	return nil
}
