package postmortem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/words"
)

// kinds says in words how training failed.
var kinds = map[string]string{
	"loss": "the loss is no longer a finite number", "gradient": "a gradient is no longer a finite number", "parameter": "a parameter is no longer a finite number",
	"optimizer-state": "the optimizer's state is no longer finite", "exception": "training ends with an exception", "reward": "a reward is not a finite number",
	"observation": "an observation is not a finite number", "exploding": "the gradient explodes",
}

func kindOf(f *hunt.Failure) string {
	if said, ok := kinds[f.Kind]; ok {
		return said
	}
	return words.Plain(f.Kind)
}

func (w *writer) title() string {
	name, r := w.r.Shown(w.r.Script), w.r
	switch wrong := wrongOf(r.Gradients); {
	case len(wrong) > 0:
		return fmt.Sprintf("%s: the gradient of %s is wrong", name, wrong[0].Function)
	case r.Failure != nil:
		return fmt.Sprintf("%s: %s", name, kindOf(r.Failure))
	}
	return fmt.Sprintf("%s: nothing went wrong under %s", name, words.Count(len(r.Seeds), "seed"))
}

// summary is one paragraph for those who read no further.
func (w *writer) summary() {
	var said []string
	for _, part := range []string{w.whatHappened(), w.why(), w.whatHelped()} {
		if part != "" {
			said = append(said, part)
		}
	}
	w.say("%s", strings.Join(said, " "))
	w.person("the date, the authors, and who decides on the follow-up.")
}

func (w *writer) whatHappened() string {
	r, name := w.r, quoted(w.r.Shown(w.r.Script))
	if f := r.Failure; f != nil {
		return fmt.Sprintf("Training with %s fails under %d of %s that were tried: under seed %d, %s of the optimizer, %s (%s).",
			name, count(r.Seeds, "failed"), words.Count(len(r.Seeds), "random seed"), f.Seed, after(f.Step), kindOf(f), words.Plain(f.Detail))
	}
	clean := count(r.Seeds, "clean")
	if len(wrongOf(r.Gradients)) > 0 {
		return fmt.Sprintf("Training with %s finished under %d of %s, and learned from a wrong gradient.", name, clean, words.Count(len(r.Seeds), "random seed"))
	}
	return fmt.Sprintf("Training with %s finished under %d of %s: every loss, gradient, parameter, reward and observation that was checked is finite.", name, clean, words.Count(len(r.Seeds), "random seed"))
}

// why is the cause in one or two sentences.
func (w *writer) why() string {
	var said []string
	for _, g := range wrongOf(w.r.Gradients)[:min(1, len(wrongOf(w.r.Gradients)))] {
		said = append(said, fmt.Sprintf("The cause: the gradient of %s%s is not the derivative of what the function computes%s.", quoted(g.Function), w.at(g.Filename, g.Cell, g.Row), patternIn(&g)))
	}
	if bad := w.r.FirstBad; bad != nil {
		lead := "The first bad value"
		if len(said) == 0 {
			lead = "The cause: the first bad value"
		}
		said = append(said, fmt.Sprintf("%s appears%s: %s", lead, w.at(bad.Filename, bad.Cell, bad.Row)+inModule(bad.Module), strings.TrimSuffix(words.Plain(bad.Why), ".")+"."))
	}
	if w.r.Failure != nil && len(said) == 0 {
		return "The operation that produced the first bad value was not found."
	}
	return strings.Join(said, " ")
}

func (w *writer) whatHelped() string {
	fix := w.r.Fix
	switch {
	case fix.Verdict == "fixed" && fix.Bound != nil:
		outcome := "no seed fails any more"
		if fix.Before == nil || fix.Before.Failed == 0 {
			outcome = "no gradient is wrong any more"
		}
		return fmt.Sprintf("A fix was tried under the same seeds, and %s; with 95 %% confidence, at most %s of other seeds fail.", outcome, words.Percent(*fix.Bound))
	case fix.Verdict == "not-fixed":
		return "A fix was tried under the same seeds, and the program still fails."
	case w.r.Bound != nil:
		return fmt.Sprintf("With 95 %% confidence, at most %s of seeds fail.", words.Percent(*w.r.Bound))
	}
	return "No fix is known yet."
}

// after says how many steps were done before something happened.
func after(steps int) string {
	if steps == 0 {
		return "before the first step"
	}
	return "after " + words.Count(steps, "step")
}

// impact says what the failing runs cost, as far as runs tell.
func (w *writer) impact() {
	if !w.r.Found() {
		return
	}
	failed, steps, seconds := 0, 0, 0.0
	for _, s := range w.r.Seeds {
		if s.Failure != nil {
			failed, steps, seconds = failed+1, steps+s.Steps, seconds+s.WallSeconds
		}
	}
	lost := fmt.Sprintf("Before that they did %s of the optimizer in %.1f s of wall time; that training is lost.", words.Count(steps, "step"), seconds)
	if steps == 0 {
		lost = words.Choose(failed, "It", "They") + " failed before the first step of the optimizer, so no training is lost."
	}
	if failed > 0 {
		w.say("%d of %s failed (%s). %s", failed, words.Count(len(w.r.Seeds), "run"), words.Percent(float64(failed)/float64(len(w.r.Seeds))), lost)
	}
	if wrong := wrongOf(w.r.Gradients); len(wrong) > 0 {
		w.say("Every run that applied %s learned from a wrong gradient, including runs that did not fail.", words.And(functions(wrong)))
	}
	w.person("which experiments, models and results this touched, since when, and what it cost.")
}

// at is " in `layers.py:42`".
func (w *writer) at(filename string, cell, row int) string {
	if filename == "" {
		return ""
	}
	return " in " + quoted(w.r.Place(filename, cell, row))
}

func inModule(module string) string {
	if module == "" {
		return ""
	}
	return ", in the module " + quoted(module)
}

func functions(list []hunt.Gradient) (out []string) {
	for _, g := range list {
		out = append(out, quoted(g.Function))
	}
	return out
}

// wrongOf are the wrong gradients that are causes: those of functions of the program's own.
// The modules around them are wrong with them, and stand for themselves only where no such
// function is.
func wrongOf(list []hunt.Gradient) []hunt.Gradient {
	wrong := withVerdict(list, "wrong")
	if own := slices.DeleteFunc(slices.Clone(wrong), func(g hunt.Gradient) bool { return isModule(&g) }); len(own) > 0 {
		return own
	}
	return wrong
}

// isModule tells a module, which has no backward of its own, from a function.
func isModule(g *hunt.Gradient) bool { return g.Row == g.ForwardRow }

func withVerdict(list []hunt.Gradient, verdict string) (out []hunt.Gradient) {
	for _, g := range list {
		if g.Verdict == verdict {
			out = append(out, g)
		}
	}
	return out
}

func count(seeds []hunt.Seed, status string) (n int) {
	for _, s := range seeds {
		if s.Status == status {
			n++
		}
	}
	return n
}
