package vet

import (
	"bytes"
	"encoding/json"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/paths"
)

// MarshalJSON gives what `rlvet check --output-format json` prints: the findings as one
// array. The names are ruff's where ruff has them.
func (r *Result) MarshalJSON() ([]byte, error) {
	list := make([]FindingJSON, len(r.Findings))
	for i, f := range r.Findings {
		list[i] = ToJSON(f, r.Dir)
	}
	return Marshal(list, "")
}

// Marshal gives the JSON of v without escaping <, > and &, which code is full of, and with
// a line end behind it.
func Marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// LocationJSON is a row and a column, both 1-based, the column in code points.
type LocationJSON struct {
	Row    int `json:"row"`
	Column int `json:"column"`
}

// FindingJSON is the shape of a finding in JSON. `rlvet confirm` prints the same
// objects with Confirmation filled in.
type FindingJSON struct {
	Code         string           `json:"code"`
	Name         string           `json:"name"`
	Severity     finding.Severity `json:"severity"`
	Evidence     finding.Evidence `json:"evidence"`
	Filename     string           `json:"filename"` // absolute
	Cell         *int             `json:"cell"`
	Location     LocationJSON     `json:"location"`
	EndLocation  LocationJSON     `json:"end_location"`
	Message      string           `json:"message"` // the headline
	Why          string           `json:"why"`
	Help         string           `json:"help"`
	Source       string           `json:"source,omitempty"` // what is the evidence, where that is a document
	URL          string           `json:"url"`
	Fingerprint  string           `json:"fingerprint"`
	NoqaRow      int              `json:"noqa_row"`
	Related      []RelatedJSON    `json:"related"`
	Fix          *FixJSON         `json:"fix"`
	Confirmation any              `json:"confirmation"`
}

// RelatedJSON is one step of the origin chain in JSON.
type RelatedJSON struct {
	Filename    string       `json:"filename"`
	Location    LocationJSON `json:"location"`
	EndLocation LocationJSON `json:"end_location"`
	Message     string       `json:"message"`
}

// FixJSON is a fix in JSON.
type FixJSON struct {
	Applicability finding.Applicability `json:"applicability"`
	Message       string                `json:"message"`
	Edits         []EditJSON            `json:"edits"`
}

// EditJSON is an edit in JSON.
type EditJSON struct {
	Content     string       `json:"content"`
	Location    LocationJSON `json:"location"`
	EndLocation LocationJSON `json:"end_location"`
}

// ToJSON returns the JSON shape of a finding; relative paths are made absolute
// from dir.
func ToJSON(f finding.Finding, dir string) FindingJSON {
	out := FindingJSON{
		Code: f.Code, Name: f.Name, Severity: f.Severity, Evidence: f.Evidence,
		Filename: paths.In(dir, f.Range.File), Message: f.Message, Why: f.Why, Help: f.Help, Source: f.Source, URL: f.URL,
		Location: location(f.Range, false), EndLocation: location(f.Range, true),
		Fingerprint: f.Fingerprint, NoqaRow: f.NoqaRow, Related: []RelatedJSON{},
	}
	if f.Range.Cell > 0 {
		out.Cell = &f.Range.Cell
	}
	for _, n := range f.Related {
		out.Related = append(out.Related, RelatedJSON{paths.In(dir, n.Range.File), location(n.Range, false), location(n.Range, true), n.Message})
	}
	if f.Fix != nil {
		fix := &FixJSON{Applicability: f.Fix.Applicability, Message: f.Fix.Message, Edits: []EditJSON{}}
		for _, e := range f.Fix.Edits {
			fix.Edits = append(fix.Edits, EditJSON{e.Content, location(e.Range, false), location(e.Range, true)})
		}
		out.Fix = fix
	}
	return out
}

func location(r finding.Range, end bool) LocationJSON {
	if end {
		return LocationJSON{r.End.Row, r.End.Column}
	}
	return LocationJSON{r.Start.Row, r.Start.Column}
}
