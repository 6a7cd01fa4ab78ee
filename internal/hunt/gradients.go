package hunt

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/rlvet/rlvet/internal/harness"
)

// gradients are the instruments that try gradients, none where that is not asked for. Some seeds share
// the work; where clean is set, only those do it that come to their end.
func (h *hunter) gradients(seeds []int, record, clean bool) []harness.Instrument {
	if !h.Gradients || len(seeds) == 0 {
		return nil
	}
	settings := map[string]any{"modules": append([]string{}, h.Modules...), "loss": true, "seeds": seeds}
	if clean {
		settings["clean"] = true
	}
	if record && h.Record > 0 {
		settings["record"], settings["max_record"] = true, h.Record
	}
	return []harness.Instrument{instrument(derivatives, settings)}
}

// takeGradients puts what the derivatives of a run were into the result: of a function that
// was tried in several runs, what is worst.
func (h *hunter) takeGradients(o observed) error {
	list, err := h.gradientsOf(o)
	if err != nil {
		return err
	}
	for _, g := range list {
		i := slices.IndexFunc(h.result.Gradients, g.same)
		switch {
		case i < 0:
			h.result.Gradients = append(h.result.Gradients, g)
		case g.worse(&h.result.Gradients[i]):
			h.result.Gradients[i] = g
		default:
			continue
		}
		if g.Verdict == "wrong" {
			h.tried = &o.Seed
		}
		if err := h.keepRecord(g, filepath.Join(o.kept, o.process)); err != nil {
			return err
		}
	}
	return nil
}

// keepRecord keeps the recorded inputs of a function with those of others, in the folder of
// the first run that recorded any.
func (h *hunter) keepRecord(g Gradient, dir string) error {
	if g.Record == nil {
		return nil
	}
	if h.result.Record == "" {
		h.result.Record = dir
	}
	return os.Rename(filepath.Join(dir, *g.Record), filepath.Join(h.result.Record, *g.Record))
}

// same reports whether two trials are of one function at one place.
func (g *Gradient) same(o Gradient) bool {
	return g.Function == o.Function && g.Module == o.Module && g.Order == o.Order
}

// worse reports whether a trial says more against a function than another. One record is
// kept, so that the first that is wrong stays.
func (g *Gradient) worse(o *Gradient) bool {
	order := []string{"untested", "right", "not-differentiable", "surrogate", "wrong"}
	return slices.Index(order, g.Verdict) > slices.Index(order, o.Verdict)
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
