package emit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
)

// outcome is what prove.py tells.
type outcome struct {
	Result, Why string
	Pytest      *int
}

// prove runs a candidate on the unchanged program, and on the fixed one where there is one.
func (e *Emitter) prove(ctx context.Context, c *candidate) (*hunt.Test, error) {
	before, err := e.outcome(ctx, "running the new test on the unfixed script", c, nil)
	if err != nil {
		return nil, err
	}
	t := &hunt.Test{Verdict: hunt.TestNone, Before: before.Result, Runs: c.runs}
	if before.Pytest != nil {
		t.Pytest = true
	}
	if before.Result != "failed" {
		t.Reason = fmt.Sprintf("it does not fail on the unchanged program, but %s", describe(before))
		return t, nil
	}
	if fix := e.Result.Fix; fix.Verdict != "fixed" || fix.Texts == nil {
		t.Verdict, t.Reason = hunt.TestFails, "it fails on the unchanged program; no fix is known, so it was not seen to pass"
		return t, nil
	}
	after, err := e.outcome(ctx, "running the new test on the script with its fix", c, e.Result.Fix.Texts)
	if err != nil {
		return nil, err
	}
	t.After = after.Result
	if after.Result != "passed" {
		t.Verdict, t.Reason = hunt.TestFails, fmt.Sprintf("it fails on the unchanged program, but does not pass with the fix: %s", describe(after))
		return t, nil
	}
	t.Verdict, t.Reason = hunt.TestProved, "it fails on the unchanged program and passes with the fix"
	return t, nil
}

func describe(o outcome) string {
	if o.Result == "passed" {
		return "passes"
	}
	return o.Result + ": " + docstring(o.Why)
}

// outcome runs a candidate in a copy of the project with some files changed.
func (e *Emitter) outcome(ctx context.Context, step string, c *candidate, texts map[string][]byte) (outcome, error) {
	if e.Say != nil {
		e.Say(step)
	}
	p := e.Plan
	p.Overlay = maps.Clone(p.Overlay)
	if p.Overlay == nil {
		p.Overlay = map[string][]byte{}
	}
	maps.Copy(p.Overlay, texts)
	dir, err := filepath.Rel(p.Root, e.Dir)
	if err != nil {
		return outcome{}, err
	}
	p.Overlay[filepath.Join(dir, c.file())], p.Overlay["rlvet_prove.py"] = c.text, prover
	if c.record != nil {
		p.Overlay[filepath.Join(dir, c.recordFile())] = c.record
	}
	printed, exit, err := harness.RunPlainly(ctx, p, "rlvet_prove.py", filepath.Join(dir, c.file()))
	if err != nil {
		return outcome{}, err
	}
	return readOutcome(printed, exit), nil
}

// readOutcome reads the last line of prove.py. Where pytest and a plain run of the test differ, it
// is an error.
func readOutcome(printed string, exit int) (o outcome) {
	_, line, found := strings.Cut(printed, "\nRLVET-PROOF ")
	if !found || json.Unmarshal([]byte(line), &o) != nil {
		lines := strings.Split(strings.TrimSpace(printed), "\n")
		return outcome{Result: "error", Why: fmt.Sprintf("it ended with exit code %d: %s", exit, lines[len(lines)-1])}
	}
	if o.Pytest != nil && (*o.Pytest == 0) != (o.Result == "passed") {
		return outcome{Result: "error", Why: fmt.Sprintf("pytest ended with %d, and without it the test %s", *o.Pytest, o.Result), Pytest: o.Pytest}
	}
	return o
}
