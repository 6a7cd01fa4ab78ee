package harness

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// counted is a program whose lines run as often as the number behind them says; "-" is a
// line of no statement of its own.
const counted = `"""Doc."""  # 1
from __future__ import annotations  # 1

def f(a,  # 2
      b):  # 2
    """Doc."""  # 2
    x = (a +  # 2
         b)  # 2
    # a comment -
    for i in range(3):  # 2
        x += i  # 6
    try:  # 2
        raise ValueError  # 2
    except ValueError:  # 2
        x = 7  # 2
    if a:  # 2
        y = 1  # 1
    elif b:  # 1
        y = 2  # 1
    else:  # -
        y = 3  # 0
    return x  # 2

def never():  # 0
    return 1  # 0

class C:  # 1
    @staticmethod  # 1
    def g():  # 1
        return 1  # 1

f(1, 2); f(0, 1)  # 1
C.g()  # 1
`

// TestReached: a counter stands before the statement of a line and nowhere else.
func TestReached(t *testing.T) {
	p := planOf(t, counted)
	p.Kept = t.TempDir()
	var lines []map[string]any
	var want []int
	for i, line := range strings.Split(counted, "\n") {
		if at := strings.LastIndex(line, " "); strings.Contains(line, "#") {
			hits, err := strconv.Atoi(line[at+1:])
			if err != nil {
				hits = -1
			}
			lines, want = append(lines, map[string]any{"file": p.Script, "row": i + 1, "end_row": i + 1}), append(want, hits)
		}
	}
	p.Instruments = []Instrument{{Name: "hunt.reached", Settings: map[string]any{"lines": lines}}}
	r, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if run := r.Runs[0]; run.Status != "done" {
		t.Fatalf("%s\n%s", run.Status, run.Output)
	}
	text, err := os.ReadFile(filepath.Join(p.Kept, "0", "reached.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Lines []struct {
			Row  int
			Hits *int
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Lines) != len(want) {
		t.Fatalf("%d lines are told of, want %d", len(got.Lines), len(want))
	}
	for i, l := range got.Lines {
		hits := -1
		if l.Hits != nil {
			hits = *l.Hits
		}
		if hits != want[i] {
			t.Errorf("line %d ran %d times, want %d", l.Row, hits, want[i])
		}
	}
}
