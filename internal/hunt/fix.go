package hunt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/words"
)

// # Trying a fix
//
// The changed program runs in copies, under the same seeds. It is fixed if every seed comes
// to its end clean, each run came to a changed line, and no gradient is wrong that was
// tried. Each of the three can be missing alone: a fix in a branch that is not run changes
// nothing, a clamp can hide a wrong derivative, and a right derivative can still overflow.

// tryFix tries the given fix, or that of a finding which explains the failure.
func (h *hunter) tryFix(ctx context.Context) error {
	change := h.Fix
	if change == nil && h.NoFix {
		return nil
	}
	if change == nil {
		list, err := h.explanations(ctx)
		if err == nil {
			change, err = h.ownFix(list)
		}
		if err != nil || change == nil {
			return err
		}
	}
	fix := &h.result.Fix
	fix.Source, fix.Diff, fix.Texts = change.Source, change.Diff, change.Texts
	if !h.result.Found() {
		fix.Reason = "nothing failed before the fix, so a run with it shows nothing"
		return nil
	}
	after, tried, err := h.changedRuns(ctx, change)
	if err != nil {
		fix.Reason = "the fixed program could not run: " + err.Error()
		return ctx.Err()
	}
	fix.Before = &Trial{Seeds: h.result.Seeds, Gradients: h.result.Gradients, Changed: h.result.Changed, Failed: failedOf(h.result.Seeds)}
	fix.After = &Trial{Seeds: seedsOf(after), Failed: failedOf(seedsOf(after))}
	if fix.After.Gradients, err = h.gradientsOf(tried); err != nil {
		return err
	}
	if fix.After.Changed, err = h.changedIn(tried); err != nil {
		return err
	}
	if fix.Reached, err = h.reachedLines(after, change); err != nil {
		return err
	}
	h.judge(after)
	return nil
}

// changedRuns runs the changed program under the same seeds; second is the run in which
// gradients are tried, under the seed of before.
func (h *hunter) changedRuns(ctx context.Context, change *Change) ([]observed, observed, error) {
	watching := []harness.Instrument{instrument(guards, nil), instrument(reached, map[string]any{"lines": change.Lines})}
	seeds := []int{}
	for _, s := range h.result.Seeds {
		seeds = append(seeds, s.Seed)
	}
	tried := seeds[0]
	if f := h.result.Failure; f != nil {
		tried = f.Seed
	} else if h.tried != nil {
		tried = h.tried.Seed
	}
	more := h.gradients([]int{tried}, false, false)
	if len(h.result.Changed) > 0 {
		more = append(more, watchInPlace())
	}
	plans := []harness.Plan{h.plan([]int{tried}, slices.Concat(watching, more)...)}
	if rest := slices.DeleteFunc(slices.Clone(seeds), func(s int) bool { return s == tried }); len(rest) > 0 {
		plans = append(plans, h.plan(rest, watching...))
	}
	for i := range plans {
		plans[i].Overlay, plans[i].InPlace = maps.Clone(h.Plan.Overlay), false
		if plans[i].Overlay == nil {
			plans[i].Overlay = map[string][]byte{}
		}
		maps.Copy(plans[i].Overlay, change.Texts)
		if change.Notebook != nil {
			plans[i].Notebook = change.Notebook
		}
	}
	runs, err := h.run(ctx, "running the script with its fix", plans...)
	if err != nil {
		return nil, observed{}, err
	}
	all := slices.Concat(runs...)
	slices.SortFunc(all, func(a, b observed) int { return slices.Index(seeds, a.Seed.Seed) - slices.Index(seeds, b.Seed.Seed) })
	return all, runs[0][0], nil
}

func seedsOf(list []observed) (out []Seed) {
	for _, o := range list {
		out = append(out, o.Seed)
	}
	return out
}

func failedOf(seeds []Seed) (n int) {
	for _, s := range seeds {
		if s.Failure != nil {
			n++
		}
	}
	return n
}

// reachedLines adds up how often the changed lines were run.
func (h *hunter) reachedLines(runs []observed, change *Change) ([]Reached, error) {
	out := []Reached{}
	for _, l := range change.Lines {
		name, _, _ := h.located(l.File, l.Row)
		out = append(out, Reached{Filename: name, Row: l.Row, EndRow: l.EndRow, Hits: nil})
	}
	for i := range runs {
		hits, err := runs[i].hits()
		if err != nil {
			return nil, err
		}
		for j, n := range hits {
			if n == nil || j >= len(out) {
				continue
			}
			if out[j].Hits == nil {
				out[j].Hits = new(int)
			}
			*out[j].Hits += *n
		}
	}
	return out, nil
}

// hits are how often a run came to each changed stretch: nil where that holds no statement.
// A program of several processes is in each of them.
func (o *observed) hits() ([]*int, error) {
	var sum []*int
	for _, process := range append([]string{""}, childrenOf(o.run)...) {
		var file struct {
			Lines []struct {
				Hits *int `json:"hits"`
			} `json:"lines"`
		}
		in := observed{kept: o.kept, process: process}
		if _, err := in.read(reached, &file); err != nil {
			return nil, err
		}
		for i, l := range file.Lines {
			if i == len(sum) {
				sum = append(sum, nil)
			}
			if l.Hits != nil {
				if sum[i] == nil {
					sum[i] = new(int)
				}
				*sum[i] += *l.Hits
			}
		}
	}
	return sum, nil
}

func childrenOf(run harness.SeedRun) (out []string) {
	for _, c := range run.Children {
		out = append(out, c.Name)
	}
	return out
}

// judge says what the runs of the changed program say of the fix.
func (h *hunter) judge(runs []observed) {
	fix := &h.result.Fix
	if why := h.notFixed(runs); why != "" {
		fix.Verdict, fix.Reason = "not-fixed", why
		return
	}
	n := len(runs)
	bound := harness.Bound(n)
	fix.Verdict, fix.Bound = "fixed", &bound
	fix.Reason = fmt.Sprintf("%d of %s clean, %d before", n, words.Count(n, "seed"), n-fix.Before.Failed)
	if now, before := len(fix.After.Gradients), len(wrong(fix.Before.Gradients)); now > 0 && before > 0 {
		fix.Reason += fmt.Sprintf("; 0 of %d gradients wrong, %d before", now, before)
	}
	if missed := h.missed(); missed != "" {
		fix.Reason += "; never run: " + missed
	}
}

// notFixed says why the program is not fixed, "" where it is.
func (h *hunter) notFixed(runs []observed) string {
	for i := range runs {
		o := &runs[i]
		if o.Failure != nil {
			return fmt.Sprintf("seed %d still fails, at step %d: %s", o.Seed.Seed, o.Failure.Step, o.Failure.Detail)
		}
		if o.Status != "clean" {
			return fmt.Sprintf("seed %d of the fixed program did not finish: %s", o.Seed.Seed, o.Trouble)
		}
		hits, _ := o.hits()
		if !slices.ContainsFunc(hits, func(n *int) bool { return n != nil && *n > 0 }) {
			return fmt.Sprintf("seed %d never ran a changed line, so it proves nothing about the fix", o.Seed.Seed)
		}
	}
	for _, g := range h.result.Fix.After.Gradients {
		if g.Verdict == "wrong" {
			return fmt.Sprintf("the gradient of %s is still wrong: %s", g.Function, g.Why())
		}
	}
	for _, c := range h.result.Fix.After.Changed {
		return fmt.Sprintf("a value that backward needs is still changed in place at %s", h.result.Place(c.Filename, c.Cell, c.Row))
	}
	return h.untested()
}

// untested names a function whose gradient was wrong and could not be tried again, though
// the program still applies it.
func (h *hunter) untested() string {
	for _, before := range wrong(h.result.Gradients) {
		for _, g := range h.result.Fix.After.Gradients {
			if g.Function == before.Function && g.Order == before.Order && g.Verdict == "untested" {
				return fmt.Sprintf("the gradient of %s was wrong, and could not be checked again: %s", g.Function, g.Reason)
			}
		}
	}
	return ""
}

// missed are the changed lines that no run came to.
func (h *hunter) missed() string {
	var out []string
	for _, l := range h.result.Fix.Reached {
		if l.Hits != nil && *l.Hits == 0 {
			out = append(out, h.result.Place(l.Filename, 0, l.Row))
		}
	}
	return strings.Join(out, ", ")
}
