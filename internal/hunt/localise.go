package hunt

import (
	"context"
	"slices"

	"github.com/rlvet/rlvet/internal/harness"
)

// localised is what hunt.localise writes.
type localised struct {
	FirstBad *struct {
		FirstBad
		Statistics // flat
	} `json:"first_bad"`
	Chain      []Link  `json:"chain"`
	Layers     []Layer `json:"layers"`
	Window     *[2]int `json:"window"`
	Reproduced bool    `json:"reproduced"`
	// Again are the settings with which to look again, nil where this was enough: further
	// back, or line by line where the value came from outside of torch.
	Again map[string]any `json:"again"`
}

const nothingBad = "no operation turned finite inputs into NaN or infinity"

// mostLooks bounds how often the failing seed is run to find the first bad value.
const mostLooks = 8

// around are the settings for the first look: the update that failed and the one before it,
// or all since the last rollout began, whose values it uses.
func around(o observed) map[string]any {
	from := o.Failure.Step - 1
	if r := o.guards.RolloutStep; r != nil {
		from = min(from, *r)
	}
	return map[string]any{"from": max(0, from), "to": o.Failure.Step, "scaler": o.guards.Amp.Scaler}
}

// localise runs the failing seed again with the steps around the failure instrumented, and
// again while what it found says that more is to be looked at. A seed that does not fail
// again is watched from its beginning, in case it does.
func (h *hunter) localise(ctx context.Context, first observed) error {
	settings := around(first)
	for n := 1; ; n++ {
		again, found, err := h.look(ctx, first, settings, n == 1)
		if err != nil {
			return err
		}
		h.result.Reproduced = h.result.Reproduced || found.Reproduced || again.Failure != nil
		if again.Trouble != "" && !found.Reproduced {
			h.note("a run watched operation by operation did not reach the failure: %s", again.Trouble)
			h.tell(ctx, found)
			return nil
		}
		if n == 1 {
			if err := h.compare(ctx, first, again); err != nil {
				return err
			}
		}
		switch {
		case found.Again != nil && n < mostLooks:
			settings = found.Again
		case !found.Reproduced && n < 3:
			settings = map[string]any{"from": 0, "to": first.Failure.Step, "scaler": first.guards.Amp.Scaler}
		default:
			h.tell(ctx, found)
			return nil
		}
	}
}

// look runs the failing seed once more with some of its steps instrumented. The first time
// the gradients are tried too. The localiser hears of everything before the guards, which
// end the run.
func (h *hunter) look(ctx context.Context, first observed, settings map[string]any, whole bool) (observed, localised, error) {
	instruments := []harness.Instrument{instrument(localise, settings)}
	if whole {
		instruments = slices.Concat(instruments, h.gradients([]int{first.Seed.Seed}, true, false))
	}
	var found localised
	runs, err := h.run(ctx, "running the failing seed again, operation by operation", h.plan([]int{first.Seed.Seed}, append(instruments, instrument(guards, nil))...))
	if err != nil {
		return observed{}, found, err
	}
	again := runs[0][0]
	if whole {
		if err := h.takeGradients(again); err != nil {
			return again, found, err
		}
	}
	_, err = again.read(localise, &found)
	return again, found, err
}

// tell puts what was found into the result.
func (h *hunter) tell(ctx context.Context, found localised) {
	r := h.result
	r.Window = found.Window
	if found.Layers != nil {
		r.Layers = found.Layers
	}
	for _, l := range found.Chain {
		l.Filename, l.Row, l.Cell = h.located(l.Filename, l.Row)
		r.Chain = append(r.Chain, l)
	}
	if found.FirstBad == nil {
		h.note(nothingBad)
		return
	}
	bad := found.FirstBad.FirstBad
	bad.Statistics = found.FirstBad.Statistics
	bad.Filename, bad.Row, bad.Cell = h.located(bad.Filename, bad.Row)
	if bad.Cell == 0 {
		bad.narrow(ctx, textOf(bad.Filename))
	}
	r.FirstBad = &bad
}
