package hunt

import (
	"context"
	"fmt"
)

// # Is it the same run again?
//
// The losses of two runs of a seed are compared bit by bit. Where they part, two plain runs
// are made that keep digests of what decides each step. If the random numbers differ first,
// somebody draws without a seed; if the inputs differ, the data do; if neither differs and
// the loss does, it is the arithmetic: threads or atomic additions whose order varies.

// parted returns the first backward whose losses differ in two runs, and whether one does.
// Of the longer run only what the shorter one came to is looked at.
func parted(a, b []Loss) (Loss, bool) {
	seen := map[int]Loss{}
	for _, l := range b {
		seen[l.Backward] = l
	}
	for _, l := range a {
		if other, ok := seen[l.Backward]; ok && l.Value != other.Value && !(l.Value.isNaN() && other.Value.isNaN()) {
			return l, true
		}
	}
	return Loss{}, false
}

// compare says whether the second run of a seed was the first one again.
func (h *hunter) compare(ctx context.Context, first, second observed) error {
	same := true
	h.result.Deterministic = &same
	at, differ := parted(first.Losses, second.Losses)
	if !differ {
		return nil
	}
	seeds := []int{first.Seed.Seed}
	digests := instrument(guards, map[string]any{"digests": true})
	runs, err := h.run(ctx, "running twice more, to see where two runs differ", h.plan(seeds, digests), h.plan(seeds, digests))
	if err != nil {
		return err
	}
	a, b := runs[0][0], runs[1][0]
	if again, plainly := parted(a.Losses, b.Losses); plainly {
		same, h.result.Difference = false, differenceOf(again, a.guards.Digests, b.guards.Digests)
		return nil
	}
	if at, differ = parted(first.Losses, a.Losses); !differ {
		h.note("the run watched operation by operation differs from the plain run from backward %d on: watching changed the order of some additions", at.Backward)
		return nil
	}
	same = false
	h.result.Difference = &Difference{Backward: at.Backward, Cause: "unknown", What: "one run of three differed, and the two that kept digests did not"}
	return nil
}

// differenceOf says what made two runs part at a loss.
func differenceOf(at Loss, a, b [][]int64) *Difference {
	d := &Difference{Backward: at.Backward, Cause: "arithmetic",
		What: "the random numbers and the inputs were the same but the results were not: the order of additions varies, as with threads or atomic operations on a GPU"}
	for i := range min(len(a), len(b)) {
		if len(a[i]) < 3 || len(b[i]) < 3 || a[i][0] > int64(at.Step)+1 {
			break
		}
		switch {
		case a[i][1] != b[i][1]:
			d.Cause, d.What = "random", fmt.Sprintf("the random numbers drawn before step %d differ: their number depends on time, on threads or on the machine", a[i][0])
		case a[i][2] != b[i][2]:
			d.Cause, d.What = "data", fmt.Sprintf("the random numbers were the same but the inputs of the modules before step %d were not: the data depend on time, on an environment without a seed, or on the order of files or processes", a[i][0])
		default:
			continue
		}
		return d
	}
	return d
}
