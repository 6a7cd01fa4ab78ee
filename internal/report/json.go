package report

import (
	"io"

	"github.com/rlvet/rlvet/internal/vet"
)

// JSON writes the findings as one array; the names are ruff's where ruff has
// them.
type JSON struct{}

// JSONLines writes one finding a line, with the same names.
type JSONLines struct{}

// Write writes the array, indented.
func (JSON) Write(w io.Writer, r *vet.Result) error { return encode(w, r, "  ") }

// Write writes the lines.
func (JSONLines) Write(w io.Writer, r *vet.Result) error {
	for _, f := range r.Findings {
		if err := encode(w, vet.ToJSON(f, r.Dir), ""); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes v as JSON that a person can read too.
func WriteJSON(w io.Writer, v any) error { return encode(w, v, "  ") }

func encode(w io.Writer, v any, indent string) error {
	text, err := vet.Marshal(v, indent)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
