package report

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/rlvet/rlvet/internal/finding"
)

// JSON writes the findings as one array; the names are ruff's where ruff has
// them.
type JSON struct{}

// JSONLines writes one finding a line, with the same names.
type JSONLines struct{}

// Location is a row and a column, both 1-based, the column in code points.
type Location struct {
	Row    int `json:"row"`
	Column int `json:"column"`
}

// Finding is the shape of a finding in JSON. `rlvet confirm` prints the same
// objects with Confirmation filled in.
type Finding struct {
	Code         string           `json:"code"`
	Name         string           `json:"name"`
	Severity     finding.Severity `json:"severity"`
	Evidence     finding.Evidence `json:"evidence"`
	Filename     string           `json:"filename"` // absolute
	Cell         *int             `json:"cell"`
	Location     Location         `json:"location"`
	EndLocation  Location         `json:"end_location"`
	Message      string           `json:"message"` // the headline
	Why          string           `json:"why"`
	Help         string           `json:"help"`
	URL          string           `json:"url"`
	Fingerprint  string           `json:"fingerprint"`
	NoqaRow      int              `json:"noqa_row"`
	Related      []Related        `json:"related"`
	Fix          *Fix             `json:"fix"`
	Confirmation any              `json:"confirmation"`
}

// Related is one step of the origin chain in JSON.
type Related struct {
	Filename    string   `json:"filename"`
	Location    Location `json:"location"`
	EndLocation Location `json:"end_location"`
	Message     string   `json:"message"`
}

// Fix is a fix in JSON.
type Fix struct {
	Applicability finding.Applicability `json:"applicability"`
	Message       string                `json:"message"`
	Edits         []Edit                `json:"edits"`
}

// Edit is an edit in JSON.
type Edit struct {
	Content     string   `json:"content"`
	Location    Location `json:"location"`
	EndLocation Location `json:"end_location"`
}

// Write writes the array, indented.
func (JSON) Write(w io.Writer, r *Report) error {
	list := make([]Finding, len(r.Findings))
	for i, f := range r.Findings {
		list[i] = ToJSON(f, r.Dir)
	}
	return encode(w, list, "  ")
}

// Write writes the lines.
func (JSONLines) Write(w io.Writer, r *Report) error {
	for _, f := range r.Findings {
		if err := encode(w, ToJSON(f, r.Dir), ""); err != nil {
			return err
		}
	}
	return nil
}

// encode writes v without escaping <, > and &, which code is full of.
func encode(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// ToJSON returns the JSON shape of a finding; relative paths are made absolute
// from dir.
func ToJSON(f finding.Finding, dir string) Finding {
	out := Finding{
		Code: f.Code, Name: f.Name, Severity: f.Severity, Evidence: f.Evidence,
		Filename: absolute(dir, f.Range.File), Message: f.Message, Why: f.Why, Help: f.Help, URL: f.URL,
		Location: location(f.Range, false), EndLocation: location(f.Range, true),
		Fingerprint: f.Fingerprint, NoqaRow: f.NoqaRow, Related: []Related{},
	}
	if f.Range.Cell > 0 {
		out.Cell = &f.Range.Cell
	}
	for _, n := range f.Related {
		out.Related = append(out.Related, Related{absolute(dir, n.Range.File), location(n.Range, false), location(n.Range, true), n.Message})
	}
	if f.Fix != nil {
		fix := &Fix{Applicability: f.Fix.Applicability, Message: f.Fix.Message, Edits: []Edit{}}
		for _, e := range f.Fix.Edits {
			fix.Edits = append(fix.Edits, Edit{e.Content, location(e.Range, false), location(e.Range, true)})
		}
		out.Fix = fix
	}
	return out
}

func location(r finding.Range, end bool) Location {
	if end {
		return Location{r.End.Row, r.End.Column}
	}
	return Location{r.Start.Row, r.Start.Column}
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}
