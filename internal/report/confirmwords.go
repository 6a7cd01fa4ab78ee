package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/words"
)

// says is what the runs say of a finding, in sentences; the first holds the verdict.
func (c confirmation) says(i int) []string {
	e := c.Outcome.Targets[i]
	out := []string{lead(e), sentence(e.Reason)}
	switch e.Verdict {
	case harness.Confirmed:
		out = append(out, firstSeen(e))
		if s := firstStack(e.Seeds); s != "" {
			out = append(out, "Called from "+s+".")
		}
	case harness.Refuted:
		out = append(out, "It can still occur at up to "+words.Percent(e.Bound)+" of evaluations (95 % confidence).")
	}
	if by := c.claimed(i); by != "" {
		out = append(out, by)
	}
	return out
}

// claimed says that a finding was claimed, and by whom; "" of what the checker found.
func (c confirmation) claimed(i int) string {
	claim, ok := c.Claims[i]
	switch {
	case !ok:
		return ""
	case claim.By == "":
		return fmt.Sprintf("Claimed as %s.", claim)
	}
	return fmt.Sprintf("Claimed by %s as %s.", oneLine(claim.By), claim)
}

// noun is what a verdict is about: a finding, or what somebody claimed.
func (c confirmation) noun() string {
	if len(c.Claims)+len(c.Failed) > 0 {
		return "claim"
	}
	return "finding"
}

// lead is the verdict as a sentence.
func lead(e harness.Evidence) string {
	switch e.Verdict {
	case harness.Confirmed:
		return fmt.Sprintf("Confirmed: seen in %s.", seenIn(e))
	case harness.Refuted:
		return fmt.Sprintf("Refuted: 0 occurrences in %s of %s.", words.Count(hitsOf(e), "evaluation"), words.Count(len(e.Seeds), "run"))
	case harness.NotReached:
		return fmt.Sprintf("Not reached in %s.", words.Count(len(e.Seeds), "run"))
	}
	return fmt.Sprintf("Inconclusive after %s.", words.Count(len(e.Seeds), "run"))
}

// seenIn is "3 of 5 runs".
func seenIn(e harness.Evidence) string {
	n := 0
	for _, s := range e.Seeds {
		if s.Verdict == harness.Confirmed {
			n++
		}
	}
	return fmt.Sprintf("%d of %s", n, words.Count(len(e.Seeds), "run"))
}

func hitsOf(e harness.Evidence) int {
	n := 0
	for _, s := range e.Seeds {
		n += s.Hits
	}
	return n
}

// firstSeen says where the first run that confirms saw it, and what.
func firstSeen(e harness.Evidence) string {
	for _, s := range e.Seeds {
		if k := s.Confirmation; k != nil {
			return fmt.Sprintf("First seen under seed %d at evaluation %d, %s%s.", s.Seed, k.Hit+1, afterSteps(k.Step), inWords(k.Seen))
		}
	}
	return ""
}

func afterSteps(n int) string {
	if n == 0 {
		return "before the first optimizer step"
	}
	return "after " + words.Count(n, "optimizer step")
}

// losses is "loss" or "3 losses".
func losses(n int) string {
	if n == 1 {
		return "loss"
	}
	return fmt.Sprintf("%d losses", n)
}

// fixOutcome says what became of a fix.
func fixOutcome(fix harness.FixVerdict) string {
	switch fix.Verdict {
	case "fixed":
		return "fix verified"
	case "not-fixed":
		return "fix failed"
	case "not-known":
		return "fix not verified"
	}
	return "fix not tried"
}

// inWords is what a probe saw: ": denominator is 8 numbers from 0 to 0.1, 3 of them 0".
func inWords(raw json.RawMessage) string {
	var v map[string]any
	if json.Unmarshal(raw, &v) != nil || len(v) == 0 {
		return ""
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		out = append(out, strings.ReplaceAll(name, "_", " ")+" "+described(v[name]))
	}
	return ": " + strings.Join(out, "; ")
}

// described is a number, or what was noted of a tensor, in words.
func described(v any) string {
	switch v := v.(type) {
	case float64:
		return fmt.Sprintf("%.4g", v)
	case map[string]any:
		return describedTensor(v)
	case string:
		return firstLine(v)
	}
	return printable(fmt.Sprint(v))
}

func describedTensor(m map[string]any) string {
	number := func(name string) string { return fmt.Sprintf("%.4v", m[name]) }
	var out []string
	switch {
	case m["count"] == 1.0 && m["low"] != nil:
		out = append(out, number("low"))
	case m["count"] != nil && m["low"] != nil:
		out = append(out, fmt.Sprintf("%.0f numbers from %s to %s with mean %s", m["count"], number("low"), number("high"), number("mean")))
	case m["count"] != nil:
		out = append(out, fmt.Sprintf("%.0f numbers", m["count"]))
	}
	for _, kind := range []struct{ name, word string }{{"nan", "NaN"}, {"inf", "infinite"}, {"zeros", "0"}, {"negative", "negative"}} {
		if n, ok := m[kind.name].(float64); ok && n > 0 {
			out = append(out, fmt.Sprintf("%.0f of them %s", n, kind.word))
		}
	}
	if len(out) == 0 {
		return brief(m)
	}
	return strings.Join(out, ", ")
}

// ending says how a run ended.
func ending(r harness.SeedRun) string {
	if r.Status == "crash" && r.Crash != nil {
		return printable("raised " + r.Crash.String())
	}
	words := map[string]string{
		"done": "finished", "exit": fmt.Sprintf("exit code %d", r.Exit), "timeout": "out of time (--timeout)",
		"memory": "out of memory (--max-memory)", "killed": "killed by a signal", "steps": "step budget used up (--max-steps)",
		"environment-steps": "budget of environment steps used up (--max-env-steps)", "hits": "evaluation budget used up (--max-hits)",
		"protocol-error": r.Fault, "lost": "lost with its machine",
	}
	if s, ok := words[r.Status]; ok {
		return s
	}
	return printable(r.Status)
}

// reproducible says whether two runs of the first seed are the same; "" where nobody knows.
func reproducible(r *harness.Reproduction, runs []harness.SeedRun) string {
	switch {
	case r == nil || r.Losses == 0 || len(runs) == 0:
		return ""
	case r.Same:
		return fmt.Sprintf("yes: a second run of seed %d gave the same first %s, bit for bit", runs[0].Seed, losses(r.Losses))
	}
	return fmt.Sprintf("no: a second run of seed %d differs from loss %d on%s", runs[0].Seed, r.Difference+1, unseeded(runs[0]))
}

// unseeded says what often makes two runs with an environment differ; "" of runs without one.
func unseeded(run harness.SeedRun) string {
	if run.EnvironmentSteps == 0 {
		return ""
	}
	return "; its environment may have no seed, as without `env.reset(seed=...)`"
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	s = oneLine(s)
	if s == "" {
		return ""
	}
	s = capital(s)
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// inShort is the verdict with its numbers and what became of the fix, in one line.
func (c confirmation) inShort(i int) string {
	e := c.Outcome.Targets[i]
	out := lead(e) + " " + sentence(e.Reason)
	switch e.Verdict {
	case harness.Confirmed:
		out += " " + firstSeen(e)
	case harness.Refuted:
		out += " It can still occur at up to " + words.Percent(e.Bound) + " of evaluations (95 % confidence)."
	}
	if fix, ok := c.Fixes[i]; ok {
		out += fmt.Sprintf(" %s: %s.", capital(fixOutcome(fix)), oneLine(fix.Reason))
	}
	if by := c.claimed(i); by != "" {
		out += " " + by
	}
	return out
}
