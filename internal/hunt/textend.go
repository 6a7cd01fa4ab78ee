package hunt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/words"
)

// gradients shows each function whose gradient is not right, and counts those that are.
func (t *text) gradients() {
	var right []string
	for _, g := range t.r.Gradients {
		switch {
		case g.Verdict == "right":
			right = append(right, g.label())
		case t.follows(&g):
			t.Printf("  also wrong, since it calls that: %s%s\n", g.name(), t.at(&g))
		default:
			t.notRight(&g)
		}
	}
	if len(right) > 0 {
		slices.Sort(right)
		t.Printf("%s %s: %s\n", t.Label("gradients"), t.Good("checked and correct"), words.And(slices.Compact(right)))
	}
}

func (t *text) notRight(g *Gradient) {
	verdict := g.Verdict
	if verdict == "wrong" {
		verdict = t.Bad(verdict)
	}
	t.Printf("%s %s is %s: %s\n", t.Label("gradient:"), g.name()+t.at(g), verdict, g.Why())
	if w := g.Worst; w != nil && g.Verdict == "wrong" {
		t.Printf("  %s %s %s: backward gives %v, finite differences give %v\n", t.Label("worst:"), w.Input, strings.ReplaceAll(fmt.Sprint(w.Index), " ", ", "), w.Analytic, w.Numeric)
	}
}

// follows reports whether a module's gradient is wrong because that of something in it is.
func (t *text) follows(g *Gradient) bool {
	return g.ofModule() && g.Verdict == "wrong" && slices.ContainsFunc(t.r.Gradients, func(o Gradient) bool {
		return o.Verdict == "wrong" && (o.Row != o.ForwardRow && o.Module == g.Module || strings.HasPrefix(o.Module, g.Module+"."))
	})
}

// Why says how a gradient is wrong, or why it has its verdict.
func (g *Gradient) Why() string {
	var said []string
	if g.Pattern != nil {
		said = append(said, *g.Pattern)
	}
	if g.Reason != "" {
		said = append(said, words.Plain(g.Reason))
	}
	if len(said) == 0 && g.MaxRelativeError != nil {
		said = append(said, fmt.Sprintf("relative error up to %v", *g.MaxRelativeError))
	}
	return strings.Join(said, ": ")
}

// ofModule reports whether a network module was checked: a Function has a backward of its own.
func (g *Gradient) ofModule() bool { return g.Row == g.ForwardRow && g.Module != "" }

// label tells apart networks of one class, such as torch's Sequential, by what the program calls
// them: "net (Sequential)".
func (g *Gradient) label() string {
	if !g.ofModule() {
		return g.name()
	}
	return fmt.Sprintf("%s (%s)", g.Module, g.Function[strings.LastIndex(g.Function, ".")+1:])
}

// name tells the first derivative from the second.
func (g *Gradient) name() string {
	if g.Order == 2 {
		return "backward of " + g.Function
	}
	return g.Function
}

// at is " (src/layers.py:12, in policy.gate)", or " (in policy.gate)" for a class of a library.
func (t *text) at(g *Gradient) string {
	switch {
	case g.Filename == "" && g.Module != "" && g.Module != g.Function:
		return " (in " + g.Module + ")"
	case g.Filename == "":
		return ""
	}
	out := " (" + t.r.Place(g.Filename, g.Cell, g.Row)
	if g.Module != "" {
		out += ", in " + g.Module
	}
	return out + ")"
}

// fix shows what became of the fix, where there was something to fix.
func (t *text) fix() {
	f := &t.r.Fix
	if !t.r.Found() && f.Source == "" {
		return
	}
	outcome := t.Label("not tried")
	switch f.Verdict {
	case "fixed":
		outcome = t.Good("verified")
	case "not-fixed":
		outcome = t.Bad("failed")
	}
	source := ""
	if f.Source != "" {
		source = " (" + f.Source + ")"
	}
	t.Printf("%s %s%s %s\n", t.Label("fix"), outcome, t.Label(source+":"), words.Plain(f.Reason))
	if f.Bound != nil {
		t.Printf("  %s with 95 %% confidence, at most %s of other seeds fail\n", t.Label("bound:"), words.Percent(*f.Bound))
	}
}

// writtenAs says to people what a file is, where its name in the JSON does not.
var writtenAs = map[string]string{"test-note": "what the test needs, and proves", "record": "inputs that the test replays"}

// summary says how it was run, and what a clean end means.
func (t *text) summary() {
	r := t.r
	t.unused()
	for _, n := range r.Notes {
		t.Printf("%s %s\n", t.Label("note:"), n)
	}
	for _, s := range r.Seeds {
		if s.Trouble != "" && !strings.Contains(r.Error, s.Trouble) {
			t.Printf("seed %d ended early: %s\n", s.Seed, s.Trouble)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(r.Files)) {
		t.Printf("%s %s (%s)\n", t.Label("written:"), r.Shown(r.Files[what]), cmp.Or(writtenAs[what], what))
	}
	t.Printf("%s: %s%s.\n", r.Shown(r.Script), r.outcome(), r.ranOn())
	t.repeated()
	if r.Bound != nil {
		t.Printf("Watched in each step: losses, gradients, parameters and the optimizer's state; in the environment: rewards and observations.\n")
		t.Printf("Bound: with 95 %% confidence, at most %s of other seeds fail.\n", words.Percent(*r.Bound))
	}
}

// unused names parameters that nothing reaches, some of very many.
func (t *text) unused() {
	const most = 8
	for i, u := range t.r.Unused {
		if i == most && len(t.r.Unused) > most+1 {
			t.Printf("%s %d more parameters\n", t.Label("unused:"), len(t.r.Unused)-most)
			return
		}
		why := "never received a gradient"
		if u.Why == "zero" {
			why = "only ever received a gradient of zero"
		}
		t.Printf("%s %s is in an optimizer and %s\n", t.Label("unused:"), u.Parameter, why)
	}
}

// outcome is "2 of 5 seeds failed, 3 are clean".
func (r *Result) outcome() string {
	failed, clean := r.count("failed"), r.count("clean")
	switch {
	case failed == 0 && clean == len(r.Seeds):
		return fmt.Sprintf("0 of %s failed", words.Count(clean, "seed"))
	case failed == 0 && clean == 0:
		return fmt.Sprintf("none of %s finished", words.Count(len(r.Seeds), "seed"))
	case failed == 0:
		return fmt.Sprintf("0 of %s failed; %d ended early", words.Count(clean, "seed"), len(r.Seeds)-clean)
	}
	var names []string
	for _, s := range r.Seeds {
		if s.Failure != nil {
			names = append(names, fmt.Sprint(s.Seed))
		}
	}
	return fmt.Sprintf("%d of %s failed (%s), %d clean", failed, words.Count(len(r.Seeds), "seed"), words.And(names), clean)
}

func (r *Result) ranOn() string {
	e := r.Environment
	if e.Python == nil {
		return ""
	}
	device := e.Device
	if device == "" {
		device = "cpu"
	}
	return fmt.Sprintf("; Python %s, torch %s on %s; %s", e.Python.Version, e.Python.Torch, device, e.Isolation.Means())
}

// repeated says whether the failing seed is the same run again.
func (t *text) repeated() {
	r := t.r
	if r.Deterministic == nil || r.Failure == nil {
		return
	}
	again := "failed again"
	if !r.Reproduced {
		again = "did not fail again"
	}
	if *r.Deterministic {
		t.Printf("Deterministic: seed %d %s, with the same losses bit for bit.\n", r.Failure.Seed, again)
		return
	}
	t.Printf("Not deterministic: seed %d %s, and its losses differ from backward %d on: %s.\n", r.Failure.Seed, again, r.Difference.Backward, r.Difference.What)
}
