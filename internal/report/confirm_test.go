package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/pagetest"
	"github.com/rlvet/rlvet/internal/vet"
)

// confirmations returns the reports of two scripts: one whose four findings came to the
// four verdicts, and one in which there was nothing to confirm.
func confirmations(t testing.TB) *confirm.Result {
	t.Helper()
	r := sample(t)
	r.Problems = nil
	c := &confirm.Script{
		Result: r, Name: "src/train.py", Args: []string{"--steps", "<20>"}, Seconds: 12,
		Python:       &harness.Python{Version: "3.11.2", Torch: "2.8.0"},
		Reproducible: &harness.Reproduction{Same: true, Losses: 64},
		Outcome: &harness.Report{Isolation: harness.NoIsolation, Runs: []harness.SeedRun{
			{Seed: 0, Device: "cpu", Status: "done", Steps: 40, WallSeconds: 1.25, PeakMemory: 3e8},
			{Seed: 7, Device: "cpu", Status: "crash", Exit: 1, Steps: 2, Nonfinite: &harness.Nonfinite{Step: 1, What: "the loss is nan"},
				Crash: &harness.Crash{Type: "RuntimeError", Message: "weights < 0 & </script>", Traceback: "  File \"<train>\"\n"}},
		}},
	}
	c.Outcome.Targets = []harness.Evidence{
		{Verdict: harness.Confirmed, Reason: "the denominator is 0", Seeds: []harness.SeedEvidence{confirmedUnder(0), seedSaw(7, harness.Refuted, 20)}},
		{Verdict: harness.Refuted, Reason: "it was 1 at the first update", Bound: 1 - math.Pow(0.05, 1.0/60), Seeds: []harness.SeedEvidence{seedSaw(0, harness.Refuted, 40), seedSaw(7, harness.Refuted, 20)}},
		{Verdict: harness.NotReached, Reason: "the program never evaluated this expression", Seeds: []harness.SeedEvidence{seedSaw(0, harness.NotReached, 0), seedSaw(7, harness.NotReached, 0)}},
		{Verdict: harness.Inconclusive, Reason: "it raised <b>", Seeds: []harness.SeedEvidence{seedSaw(0, harness.Inconclusive, 3), seedSaw(7, harness.Inconclusive, 0)}},
	}
	c.Fixes = map[int]harness.FixVerdict{0: {Verdict: "fixed", Reason: "0 recurrences in 60 evaluations", After: harness.Evidence{Seeds: []harness.SeedEvidence{seedSaw(0, harness.Refuted, 40)}}}}
	none := &confirm.Script{Result: &vet.Result{Rules: r.Rules, Version: r.Version, Dir: r.Dir}, Name: "clean.py"}
	return &confirm.Result{Scripts: []*confirm.Script{c, none}}
}

func confirmedUnder(seed int) harness.SeedEvidence {
	s := seedSaw(seed, harness.Confirmed, 12)
	s.Confirmation = &harness.Confirmation{
		Reason: "the denominator is 0", Hit: 2, Step: 1, Stack: []string{"src/train.py:9 <module>", "src/train.py:6 advantages"},
		Seen: json.RawMessage(`{"denominator": {"count": 8, "low": 0, "high": 0.25, "mean": 0.125, "zeros": 3}, "evaluations_with_zero": 4}`),
	}
	return s
}

// seedSaw is what a run saw: a falling line with a band, and a rising one.
func seedSaw(seed int, v harness.Verdict, hits int) harness.SeedEvidence {
	s := harness.SeedEvidence{Seed: seed, Verdict: v, Reason: "the reason of " + string(v), Hits: hits}
	for i, name := range []string{"smallest_denominator", "low", "high", "share_clipped"} {
		line := harness.Series{Name: name}
		for h := range hits {
			line.Points = append(line.Points, []float64{float64(h), float64(h / 2), float64(i*(h+seed)) / 10})
		}
		if hits > 0 {
			s.Series = append(s.Series, line)
		}
	}
	return s
}

func confirmed(t testing.TB, format string, list *confirm.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteConfirmations(&b, list, format, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestConfirmationFormats: the same report in every format.
func TestConfirmationFormats(t *testing.T) {
	for _, format := range []string{"concise", "full", "json", "github", "sarif"} {
		golden(t, "confirm."+format, confirmed(t, format, confirmations(t)))
	}
}

func confirmedPage(t testing.TB, list *confirm.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteConfirmationPage(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPageTells: what a reader looks for stands on the page, in words.
func TestPageTells(t *testing.T) {
	text := confirmedPage(t, confirmations(t))
	for _, want := range []string{
		"2 scripts: 1 of 4 findings confirmed", "Confirmed: seen in 1 of 2 runs.", "First seen under seed 0 at evaluation 3, after 1 optimizer step: denominator 8 numbers from 0 to 0.25",
		"up to 4.9 % of evaluations (95 % confidence)", "Not reached in 2 runs.", "The program never evaluated this expression.", "and the mistake is gone", "0 recurrences in 60 evaluations.",
		"<mark>rewards.std()</mark>", "src/train.py --steps &lt;20&gt;", "a second run of seed 0 gave the same first 64 losses, bit for bit", "cpu, Python 3.11.2, torch 2.8.0", "Smallest denominator, before the fix", "Smallest denominator, after the fix",
		"Share clipped", "clean.py", "rlvet found no mistakes",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(text, "ratio.exp()") {
		t.Error("the page fixes what was refuted")
	}
}

// TestConfirmationTexts: runs that ended in the same way are told together and in a line each, numbers are
// short, and hints that were not tested are counted.
func TestConfirmationTexts(t *testing.T) {
	list := confirmations(t)
	c := list.Scripts[0]
	crash := c.Outcome.Runs[1]
	again, other := crash, crash
	again.Seed, other.Seed = 8, 9
	other.Crash = &harness.Crash{Type: "ValueError", Message: strings.Repeat("long ", 100)}
	c.Outcome.Runs = append(c.Outcome.Runs, again, other)
	c.Outcome.Targets[0].Seeds[0].Confirmation.Seen = json.RawMessage(`{"off_by": 0.0005062076234025881}`)
	list.Scripts[1].Hidden = 2
	c.Outcome.Runs[0].EnvironmentSteps, c.Reproducible = 200, &harness.Reproduction{Losses: 64, Difference: 1}
	text := confirmed(t, "full", list)
	for _, want := range []string{
		"\nNot reproducible: a second run of seed 0 differs from loss 2 on; its environment may have no seed, as without `env.reset(seed=...)`.\n",
		"\nseeds 7 and 8 raised RuntimeError: weights < 0 & </script>\n", "\nseed 9 raised ValueError: long long", "lo…\n", ": off by 0.0005062\n",
		"  seed 0: inconclusive (3 evaluations): the reason of inconclusive\n",
		"no findings in clean.py.\n2 hints not tested: they rest on names alone (--show-hints tests them).\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestConfirmedSARIF: the log is valid by the schema; nothing but what was confirmed has a
// level that makes an error of it.
func TestConfirmedSARIF(t *testing.T) {
	list := confirmations(t)
	log := sarifLog(t, confirmed(t, "sarif", list))
	var kinds []string
	for _, r := range log.Runs[0].Results {
		kinds = append(kinds, r.Kind+" "+r.Level)
	}
	if want := []string{"fail error", "pass none", "open none", "open none"}; !slices.Equal(kinds, want) {
		t.Errorf("kinds and levels are %v, want %v", kinds, want)
	}
	list.Scripts[1].Failure = errors.New("no Python")
	log = sarifLog(t, confirmed(t, "sarif", list))
	if inv := log.Runs[0].Invocations[0]; inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != 1 {
		t.Error("a script that did not run is a success")
	}
}

// TestConfirmedAnnotations: the runner reads one command a finding, of the right level.
func TestConfirmedAnnotations(t *testing.T) {
	lines := strings.Split(confirmed(t, "github", confirmations(t)), "\n")
	for i, want := range []string{"::error ", "::notice ", "::warning ", "::warning "} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if len(lines) != 5 || !strings.Contains(lines[1], "up to 4.9 %25 of evaluations") {
		t.Errorf("lines are %q", lines)
	}
}

// TestConfirmedPageLoadsNothing: whatever stands in the program and in its messages stays
// text, the elements are nested as they should be, links stay on the page, and each leads
// to something.
func TestConfirmedPageLoadsNothing(t *testing.T) {
	list := confirmations(t)
	list.Scripts[0].Findings[0].Message = "`</script><script>alert(1)</script>` <img src=http://x onerror=y>"
	list.Scripts[0].Name = `"><script src=http://x>`
	text := confirmedPage(t, list)
	elements, err := pagetest.Elements(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids, targets := map[string]bool{}, []string{}
	for _, e := range elements {
		ids["#"+e.Attributes["id"]] = true
		for name, value := range e.Attributes {
			switch {
			case e.Name == "script", e.Name == "img", e.Name == "iframe", strings.HasPrefix(name, "on"), name == "src":
				t.Errorf("element %s with %s=%q", e.Name, name, value)
			case name == "href" && value != "data:,":
				targets = append(targets, value)
			}
		}
		if e.Name == "svg" && e.Attributes["aria-label"] == "" && e.Attributes["aria-hidden"] == "" {
			t.Error("a drawing without words")
		}
	}
	for _, target := range targets {
		if !ids[target] {
			t.Errorf("a link to %q, which is not on the page", target)
		}
	}
	for _, no := range []string{"url(", "@import", "ZgotmplZ"} {
		if strings.Contains(text, no) {
			t.Errorf("%q is on the page", no)
		}
	}
}

// TestPageOfFailure: a script that could not be run says so beside the others.
func TestPageOfFailure(t *testing.T) {
	list := confirmations(t)
	list.Scripts[0].Failure, list.Scripts[0].Outcome = errors.New("no torch"), nil
	if text := confirmedPage(t, list); !strings.Contains(text, "<strong>Could not run:</strong> no torch.") {
		t.Error("the page does not say that it was not run, and why")
	}
}

// TestReportsAreDeterministic: the same evidence gives the same bytes.
func TestReportsAreDeterministic(t *testing.T) {
	first, second := confirmedPage(t, confirmations(t)), confirmedPage(t, confirmations(t))
	if first != second {
		t.Error("two pages of the same evidence differ")
	}
}

// TestSeenInOneLine: of an error that shows tensors the first line is said, in text and on the page.
func TestSeenInOneLine(t *testing.T) {
	raw := json.RawMessage(`{"error": "ValueError: found invalid values:\ntensor([[ 6.7, -5.7],\n        [1.2, -0.2]])", "value": 0.123456}`)
	for name, got := range map[string]string{"text": seen(raw), "page": inWords(raw)} {
		if want := ": error ValueError: found invalid values: …; value 0.1235"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
