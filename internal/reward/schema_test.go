package reward

import (
	"bytes"
	"flag"
	"math"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/pagetest"
	"github.com/rlvet/rlvet/internal/schematest"
	"github.com/rlvet/rlvet/internal/vet"
)

var update = flag.Bool("update", false, "write the schema of the result anew")

// everything is a result with something of all.
func everything() *Result {
	half, one := 0.5, 1.0
	return &Result{
		File: "rewards.py", Function: "accuracy", Row: 3, Framework: "trl", Messages: true, Data: "prompts.jsonl", Answer: "answer", Prompts: 4, Python: "/usr/bin/python3",
		Isolation: "userns", Found: true, Form: Form{"<answer>", "<answer>{answer}</answer>", &one, nil, true},
		Contract: []Check{{"exceptions", "broken", "calls that raise: 1 of 10 calls", "return the lowest reward", []Example{{"<b>\u202e", "an apology", "it raised ValueError: x", "rewards.py", 7}}}},
		Groups:   Groups{4, 1},
		Tricks:   []Trick{{"empty", "an empty completion", "return 0", true, false, 4, 4, 4, &one, &one, nil, &Worst{"What is <1> + 1?", "", 1, "<answer>2</answer>", 1, 0}}},
		Effects:  []Effect{{"length", "length", "words of filler", "right", &half, &half, &one, &half, []float64{0, 10}, []*float64{&half, nil}}},
		Time:     Time{10, 1e-3, 2}, Points: []Point{{10, 1, "right"}, {0, 0, "trick"}}, Network: []string{"a.b:80"}, Files: []string{"x"}, Started: []string{"python3"},
		Notes: []string{"a note"}, Findings: []vet.FindingJSON{}, Seconds: 1.5, Version: "1.2.3",
	}
}

// TestSchema: the schema is that of the types, and holds of a result with something of
// everything, and of one with nothing.
func TestSchema(t *testing.T) {
	schema := schematest.Published(t, "../../docs/reward.schema.json", schematest.Of[Result](t, "What `rlvet reward --output-format json` prints", nil), *update)
	for name, r := range map[string]*Result{"everything": everything(), "nothing": newResult()} {
		var b bytes.Buffer
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		schematest.Holds(t, schema, name, b.Bytes())
	}
	if schema.Validate(map[string]any{"file": 7}) == nil {
		t.Error("the schema holds of anything")
	}
}

// TestPage: the page shows what works, and nothing of a completion is markup.
func TestPage(t *testing.T) {
	for name, r := range map[string]*Result{"everything": everything(), "nothing": newResult()} {
		var b bytes.Buffer
		if err := WritePage(&b, r); err != nil {
			t.Fatal(err)
		}
		if _, err := pagetest.Elements(strings.NewReader(b.String())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(b.String(), "<1>") || strings.ContainsRune(b.String(), '\u202e') {
			t.Errorf("%s: a completion is not escaped", name)
		}
	}
}

// TestText: the text of both says what there is, and steers no terminal.
func TestText(t *testing.T) {
	text := shown(t, everything())
	for _, want := range []string{"1 of 1 trick works", "hackable: an empty completion", "it raised ValueError: x (rewards.py:7)", "note: a note"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.ContainsRune(text+shown(t, newResult()), '\u202e') {
		t.Error("a mark that turns the direction of text is written as it is")
	}
}

// TestEnough: one prompt of many is chance, and one of one is not.
func TestEnough(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 6: 2, 12: 3} {
		if enough(n) != want {
			t.Errorf("%d of %d, want %d", enough(n), n, want)
		}
	}
	if !math.IsNaN(mean(nil)) {
		t.Error("nothing has a mean")
	}
}
