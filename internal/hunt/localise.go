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
	Chain   []Link  `json:"chain"`
	Layers  []Layer `json:"layers"`
	Window  *[2]int `json:"window"`
	Earlier bool    `json:"earlier"`
}

// window is the first and the last step to look at operation by operation: the update that
// failed and the one before it, or all since the last rollout began, whose values it uses.
func window(o observed) [2]int {
	from := o.Failure.Step - 1
	if r := o.guards.RolloutStep; r != nil {
		from = min(from, *r)
	}
	return [2]int{max(0, from), o.Failure.Step}
}

// localise runs the failing seed again with the steps around the failure instrumented, and
// further back while the first bad value was there already.
func (h *hunter) localise(ctx context.Context, first observed) error {
	at := window(first)
	for back := 4; ; back *= 4 {
		again, found, err := h.look(ctx, first, at, back == 4)
		if err != nil {
			return err
		}
		if back == 4 {
			h.result.Reproduced = again.Failure != nil || found.FirstBad != nil
			if err := h.compare(ctx, first, again); err != nil {
				return err
			}
		}
		if !found.Earlier || at[0] == 0 {
			h.tell(found, at)
			return nil
		}
		at[0] = max(0, min(at[0]-1, first.Failure.Step-back))
	}
}

// look runs the failing seed once more with a window of its steps instrumented. The first
// time the gradients are recorded too.
func (h *hunter) look(ctx context.Context, first observed, at [2]int, whole bool) (observed, localised, error) {
	instruments := []harness.Instrument{instrument(guards, nil), instrument(localise, map[string]any{"from": at[0], "to": at[1]})}
	if whole {
		instruments = slices.Concat(instruments, h.gradients(true))
	}
	var found localised
	runs, err := h.run(ctx, "the failing seed again, operation by operation", h.plan([]int{first.Seed.Seed}, instruments...))
	if err != nil {
		return observed{}, found, err
	}
	again := runs[0][0]
	if whole {
		if err := h.hearGradients(again); err != nil {
			return again, found, err
		}
	}
	_, err = again.read(localise, &found)
	return again, found, err
}

// tell puts what was found into the result.
func (h *hunter) tell(found localised, at [2]int) {
	r := h.result
	r.Window = &at
	if found.Window != nil {
		r.Window = found.Window
	}
	if found.Layers != nil {
		r.Layers = found.Layers
	}
	for _, l := range found.Chain {
		l.Filename, l.Row, l.Cell = h.located(l.Filename, l.Row)
		r.Chain = append(r.Chain, l)
	}
	if found.FirstBad == nil {
		h.note("no operation of steps %d to %d was seen to make a bad value of good ones", r.Window[0], r.Window[1])
		return
	}
	bad := found.FirstBad.FirstBad
	bad.Statistics = found.FirstBad.Statistics
	bad.Filename, bad.Row, bad.Cell = h.located(bad.Filename, bad.Row)
	r.FirstBad = &bad
}
