package view

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
)

var update = flag.Bool("update", false, "rewrite what the text is compared with")

func textOf(t *testing.T, r *audit.Result, look Look) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, r, look); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestText: what a person reads of a run that cheats, of one that does not, and of one that
// logged nothing.
func TestText(t *testing.T) {
	for name, text := range map[string]string{
		"hacked": textOf(t, hacked(), Look{}), "clean": textOf(t, clean(), Look{}), "empty": textOf(t, empty(), Look{}), "blind": textOf(t, blind(), Look{}),
		"narrow": textOf(t, hacked(), Look{Width: 60, Letters: true}), "coloured": textOf(t, hacked(), Look{Width: 100, Coloured: true}),
	} {
		path := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), text); diff != "" {
			t.Errorf("%s: -update writes it anew (-want +got):\n%s", name, diff)
		}
	}
}

// TestSeveralRuns: of a folder with several runs the second line says which one this is about, and
// how to audit each.
func TestSeveralRuns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a", "b c", "old"} {
		if err := os.MkdirAll(filepath.Join(dir, "runs", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := clean()
	r.Run = filepath.Join(dir, "runs")
	r.OtherRuns = []record.Other{{Path: "b c", Folder: true, Used: "a"}, {Path: "old", Folder: true, Used: "a"}}
	_, text, _ := strings.Cut(textOf(t, r, Look{}), "\n")
	want := `several runs: this folder holds 3 runs; only a, the newest, is judged here, and nothing of b c and old is mixed in; to audit each run by itself:
  rlvet audit runs/a
  rlvet audit 'runs/b c'
  rlvet audit runs/old
`
	if !strings.HasPrefix(filepath.ToSlash(text), want) {
		t.Errorf("%s", text)
	}
	r.OtherRuns = []record.Other{{Path: "b.jsonl", Used: "a.jsonl"}}
	if text := textOf(t, r, Look{}); !strings.Contains(text, "\nseveral runs: this folder holds 2 runs; only a.jsonl, the newest, is judged here, and nothing of b.jsonl is mixed in, but what else lies beside them may be of any of them; give each run a folder of its own\n") {
		t.Errorf("%s", text)
	}
	var page bytes.Buffer
	if err := Page(&page, r, "1"); err != nil || !strings.Contains(page.String(), "This folder holds 2 runs; only a.jsonl") {
		t.Errorf("%v", err)
	}
}

// TestTextFits: whatever the width of the terminal, no line is longer, and sparklines of
// letters are ASCII.
func TestTextFits(t *testing.T) {
	for _, width := range []int{40, 60, 80, 120} {
		for line := range strings.Lines(textOf(t, hacked(), Look{Width: width, Letters: true})) {
			line = strings.TrimSuffix(line, "\n")
			if cells(line) > width && strings.Contains(strings.TrimSpace(line), " ") { // one word may be too long
				t.Errorf("width %d: %d cells: %s", width, cells(line), line)
			}
			if strings.ContainsAny(line, string(blocks)) {
				t.Errorf("a block: %s", line)
			}
		}
	}
}

// TestTextSteersNothing: nothing that a run wrote reaches the terminal as a command.
func TestTextSteersNothing(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u202eevil\u2066\u0085\r"
	r := hacked()
	r.Trainer, r.Sources[0].Path, r.Sources[0].Notes, r.Unused[0].Metric = evil, evil, []string{evil}, evil
	r.Signals[0].Name, r.Signals[0].Note, r.Signals[0].Why, r.Signals[0].Help, r.Signals[0].Threshold, r.Signals[0].Unit = evil, evil, evil, evil, evil, record.Unit(evil)
	r.Signals[0].Findings[0].Filename, r.Signals[0].Findings[0].Message = evil, evil
	r.Checkpoints[0].Path, r.Checkpoints[3].Disqualified = evil, []string{evil}
	r.Checkpoints[0].Metrics[evil] = audit.Metric{Value: 1}
	r.Recommended.Path, r.Recommended.Why, r.ByRewardAlone.Path = evil, evil, evil
	r.Agreement.Disagree, r.Missing, r.Notes = []string{evil}, []string{evil}, []string{evil}
	r.Signals[0].Findings[0].Code = evil
	text := textOf(t, r, Look{})
	if at := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) }); at >= 0 {
		t.Errorf("%q reaches the terminal", text[max(0, at-40):min(len(text), at+20)])
	}
	if !strings.Contains(text, "<U+202E>evil") {
		t.Error("what the run wrote is not shown")
	}
}

// TestSpark: steps, not points, are the axis; gaps stay gaps; and no number is too large.
func TestSpark(t *testing.T) {
	at := func(pairs ...float64) (out []record.Point) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, record.Point{Step: int64(pairs[i]), Value: pairs[i+1], Count: 1})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		points []record.Point
		want   string
	}{
		{"none", nil, ""}, {"one", at(1, 1), ""}, {"two", at(0, 0, 9, 1), "▁█"}, {"constant", at(0, 5, 9, 5), "▄▄"},
		{"often at first", at(0, 0, 1, 0, 2, 0, 100, 7), "▁  █"},
		{"huge", at(0, -math.MaxFloat64, 1, 0, 2, math.MaxFloat64), "▁▅█"},
		{"one step", at(3, 1, 3, 2), "▄ "},
	} {
		if got := spark(c.points, 8, blocks); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestThinCheckpoints: of hundreds, those that matter stay.
func TestThinCheckpoints(t *testing.T) {
	r := &audit.Result{Recommended: &audit.Recommendation{Step: 123}, ByRewardAlone: &audit.ByReward{Step: 377}}
	for i := range int64(500) {
		r.Checkpoints = append(r.Checkpoints, audit.Checkpoint{Step: i})
	}
	shown := map[int64]bool{}
	for _, c := range thinCheckpoints(r, shownCheckpoints) {
		shown[c.Step] = true
	}
	if len(shown) > shownCheckpoints || !shown[0] || !shown[123] || !shown[377] || !shown[499] || len(shown) < shownCheckpoints-3 {
		t.Errorf("shown are %v", shown)
	}
}

// TestThreshold: a border is written in the unit that the value beside it is shown in.
func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		unit        record.Unit
		words, want string
	}{
		{record.Share, "> 0.1", "> 10 %"},
		{record.Share, "< 0.05 or > 0.625", "< 5 % or > 62.5 %"},
		{record.NatsPerSequence, "> 10 or < -1", "> 10 or < -1"},
		{record.Share, "reward up and held-out score down, in 1 window (warn) or 2", "reward up and held-out score down, in 1 window (warn) or 2"},
	} {
		if got := threshold(&audit.Signal{Unit: c.unit, Threshold: c.words}); got != c.want {
			t.Errorf("%s: %q, want %q", c.words, got, c.want)
		}
	}
}
