package cli

import (
	"encoding/json"
	"math/rand"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/report/sarif"
	"github.com/rlvet/rlvet/internal/schematest"
)

// checkedAsSARIF writes train.py, checks it, and returns what a code host reads.
func checkedAsSARIF(t *testing.T, text string) *sarif.Run {
	t.Helper()
	write(t, "train.py", text)
	var out strings.Builder
	env := Process()
	env.Stdout = &out
	if code := Main([]string{"check", "--isolated", "--output-format", "sarif", "train.py"}, env); code != exitFindings {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	schematest.Holds(t, schematest.SARIF(t), "the log", []byte(out.String()))
	var log sarif.Log
	if err := json.Unmarshal([]byte(out.String()), &log); err != nil {
		t.Fatal(err)
	}
	return log.Runs[0]
}

// A real report is valid by the schema, and has what a code host shows: pages of rules,
// fixes, the steps of the explanation, and who suppressed what and why.
func TestSARIFOfAProgram(t *testing.T) {
	run := checkedAsSARIF(t, trainer(t, "  # bug: ADV009", "  # rlvet: ignore[ADV009] rewards are never equal"))
	for _, r := range run.Tool.Driver.Rules {
		if r.Help == nil || !strings.Contains(r.Help.Markdown, "## Why it matters") || r.HelpURI == "" {
			t.Errorf("%s has no page", r.ID)
		}
	}
	fixes, flows, reasons := 0, 0, []string{}
	for _, r := range run.Results {
		fixes += len(r.Fixes)
		for _, f := range r.CodeFlows {
			flows++
			steps := f.ThreadFlows[0].Locations
			if last := steps[len(steps)-1]; last.Location.PhysicalLocation.Region.StartLine != r.Locations[0].PhysicalLocation.Region.StartLine {
				t.Errorf("%s: the flow does not end at the finding", r.RuleID)
			}
		}
		for _, s := range r.Suppressions {
			reasons = append(reasons, r.RuleID+" "+s.Kind+" "+s.Justification)
		}
	}
	if fixes < 2 || flows < 2 || !slices.Equal(reasons, []string{"ADV009 inSource rewards are never equal"}) {
		t.Errorf("%d fixes, %d flows, suppressions %q", fixes, flows, reasons)
	}
}

// Edits elsewhere in the file leave the fingerprints of a code host as they are.
func TestFingerprintsSurviveEdits(t *testing.T) {
	text := trainer(t, "", "")
	want := prints(checkedAsSARIF(t, text))
	top := regexp.MustCompile(`(?m)^(def |class |import )`)
	fresh := []string{"\n\n", "# a remark\n", "def unused_helper(x):\n    return x\n\n\n", "import os\n"}
	for seed := range int64(12) {
		r := rand.New(rand.NewSource(seed))
		edited := text
		for range 1 + r.Intn(5) {
			places := top.FindAllStringIndex(edited, -1)
			at := places[r.Intn(len(places))][0]
			if strings.HasSuffix(edited[:at], ")\n") { // below a decorator
				continue
			}
			edited = edited[:at] + fresh[r.Intn(len(fresh))] + edited[at:]
		}
		if got := prints(checkedAsSARIF(t, edited)); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, were %q", seed, got, want)
		}
	}
}

// prints are the fingerprints of all results, sorted.
func prints(run *sarif.Run) []string {
	var out []string
	for _, r := range run.Results {
		out = append(out, r.RuleID+" "+r.PartialFingerprints["rlvet/v1"])
	}
	slices.Sort(out)
	return out
}

// trainer returns a trainer with mistakes, with one text put for another, and goes to
// an empty folder.
func trainer(t *testing.T, old, fresh string) string {
	t.Helper()
	text, err := os.ReadFile("../../testdata/trainers/grpo_hf.py")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("the trainer has no %q", old)
	}
	t.Chdir(t.TempDir())
	return strings.ReplaceAll(string(text), old, fresh)
}
