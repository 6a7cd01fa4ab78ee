package hunt

import (
	"path/filepath"
	"slices"

	"github.com/rlvet/rlvet/internal/harness"
)

// gradients are the instruments that try gradients, none where that is not asked for.
func (h *hunter) gradients(record bool) []harness.Instrument {
	if !h.Gradients {
		return nil
	}
	settings := map[string]any{"modules": append([]string{}, h.Modules...), "loss": true}
	if record && h.Record > 0 {
		settings["record"], settings["max_record"] = true, h.Record
	}
	return []harness.Instrument{instrument(derivatives, settings)}
}

// hearGradients puts what the derivatives of a run were into the result.
func (h *hunter) hearGradients(o observed) error {
	list, err := h.gradientsOf(o)
	if err != nil {
		return err
	}
	h.result.Gradients = append(h.result.Gradients, list...)
	if slices.ContainsFunc(list, func(g Gradient) bool { return g.Record != nil }) {
		h.result.Record = filepath.Join(o.kept, o.process)
	}
	return nil
}

// gradientsOf reads what hunt.derivatives wrote.
func (h *hunter) gradientsOf(o observed) ([]Gradient, error) {
	var found struct {
		Functions []Gradient `json:"functions"`
	}
	_, err := o.read(derivatives, &found)
	for i := range found.Functions {
		g := &found.Functions[i]
		_, g.ForwardRow, _ = h.located(g.Filename, g.ForwardRow)
		_, g.SourceRow, _ = h.located(g.Filename, g.SourceRow)
		g.Filename, g.Row, g.Cell = h.located(g.Filename, g.Row)
	}
	return append([]Gradient{}, found.Functions...), err
}

// wrong are those of some gradients that are.
func wrong(list []Gradient) (out []Gradient) {
	for _, g := range list {
		if g.Verdict == "wrong" {
			out = append(out, g)
		}
	}
	return out
}
