package hunt

import (
	"context"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/words"
)

// inPlaceSteps are the optimizer steps in which saved tensors are compared with what they
// were: what a program does to them, it does in each step.
const inPlaceSteps = 12

// Changed is a tensor that backward needs and that the program changed before backward ran,
// behind the back of autograd, which raises otherwise: the gradient is finite and wrong.
type Changed struct {
	// Filename and Row are of the change, SavedFilename and SavedRow of the operation whose
	// backward needs the tensor as it was.
	Filename string `json:"filename"`
	Cell     int    `json:"cell,omitempty"`
	Row      int    `json:"row"`
	// Op is the function that works in place; Source is the line.
	Op            string `json:"op"`
	Source        string `json:"source"`
	SavedFilename string `json:"saved_filename"`
	SavedCell     int    `json:"saved_cell,omitempty"`
	SavedRow      int    `json:"saved_row"`
	Step          int    `json:"step"`
	Shape         []int  `json:"shape"`
}

// watchInPlace is the instrument that compares saved tensors in the first steps.
func watchInPlace() harness.Instrument {
	return instrument(inPlace, map[string]any{"steps": inPlaceSteps})
}

// lookInPlace runs the first steps of the first seed that failed with every saved tensor compared.
func (h *hunter) lookInPlace(ctx context.Context, seeds []observed) error {
	if !h.Gradients {
		return nil
	}
	plan := h.plan([]int{firstFailing(seeds).Seed.Seed}, watchInPlace())
	plan.Limits.MaxSteps = inPlaceSteps
	runs, err := h.run(ctx, "running a seed again, to look for in-place changes", plan)
	if err != nil {
		return err
	}
	h.result.Changed, err = h.changedIn(runs[0][0])
	return err
}

// changedIn reads what hunt.inplace found in a run.
func (h *hunter) changedIn(o observed) ([]Changed, error) {
	var found struct {
		Changed []Changed `json:"changed"`
	}
	_, err := o.read(inPlace, &found)
	out := []Changed{}
	for _, c := range found.Changed {
		c.Filename, c.Row, c.Cell = h.located(c.Filename, c.Row)
		c.SavedFilename, c.SavedRow, c.SavedCell = h.located(c.SavedFilename, c.SavedRow)
		out = append(out, c)
	}
	return out, err
}

// changed shows what is changed between forward and backward.
func (t *text) changed() {
	for _, c := range t.r.Changed {
		t.Printf("%s %s: %s\n", t.Bad("changed in place:"), t.r.Place(c.Filename, c.Cell, c.Row), words.Plain(c.Source))
		t.Printf("  %s backward of %s needs the old value, and autograd does not see this change, so the gradient is wrong; change a copy, or change it after backward\n",
			t.Label("why:"), t.r.Place(c.SavedFilename, c.SavedCell, c.SavedRow))
	}
}
