package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Staging takes Python files with their folders, and nothing that would set up
// a tool.
func TestStage(t *testing.T) {
	tree, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"a.py": "x = 1\n", "p/b.py": "y = 2\nz = 3\n", "pyproject.toml": "[tool.x]\n"} {
		if err := writeFile(filepath.Join(tree, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := stage(tree, dir)
	if err != nil || c.files != 2 || c.lines != 3 || c.bytes != 18 {
		t.Fatalf("stage = %+v, %v", c, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "p", "b.py")); err != nil || string(text) != "y = 2\nz = 3\n" {
		t.Errorf("p/b.py = %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "pyproject.toml")); !os.IsNotExist(err) {
		t.Error("settings were staged")
	}
	if _, err := stage(dir+"/p/none", t.TempDir()); err == nil {
		t.Error("a missing tree is no error")
	}
	if err := parseTree(dir, 2); err != nil {
		t.Errorf("parsing the staged files: %v", err)
	}
}

// Only a tool that ran to its end has numbers; the others say why not.
func TestMeasureAll(t *testing.T) {
	tools := []tool{
		{name: "works", command: []string{"sh", "-c", "test TREE = $PWD"}},
		{name: "fails", command: []string{"sh", "-c", "echo no luck >&2; exit 3"}},
		{name: "partly", command: []string{"sh", "-c", "exit 2"}, partly: 2},
		{name: "hangs", command: []string{"sleep", "60"}},
		{name: "absent", missing: "missing: apt-get install it"},
	}
	tree, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	results := measureAll(t.Context(), tools, tree, options{rounds: 2, limit: 300 * time.Millisecond})
	for i, want := range []string{"", "failed: exit status 3: no luck", "", "more than 300ms", "missing: apt-get install it"} {
		r := results[i]
		if r.note != want {
			t.Errorf("%s: note %q, want %q", r.tool.name, r.note, want)
		}
		if measured := len(r.costs); (want == "") != (measured == 2) {
			t.Errorf("%s: %d runs with numbers", r.tool.name, measured)
		}
	}
	if c := results[0].costs; len(c) > 0 && (c[0].wall <= 0 || c[0].peak <= 0) {
		t.Errorf("a run cost nothing: %+v", c[0])
	}
}

// The table gives medians and relates them to the bare parse.
func TestRender(t *testing.T) {
	ms := func(cpu int, walls ...int) []cost {
		var costs []cost
		for _, w := range walls {
			costs = append(costs, cost{wall: time.Duration(w) * time.Millisecond, cpu: time.Duration(cpu) * time.Millisecond, peak: int64(w) * 1e4})
		}
		return costs
	}
	got := render(corpus{files: 2, lines: 30, bytes: 4e6}, []result{
		{tool: tool{name: "rlvet", version: "1"}, costs: ms(300, 3000, 1500, 1000)},
		{tool: tool{name: bareParse, version: "2"}, costs: ms(100, 900, 1000, 5000)},
		{tool: tool{name: "absent"}, note: "missing: a|b"},
	}, 3)
	for _, want := range []string{
		"2 files, 30 lines, 4.0 MB of Python", "medians of 3 rounds",
		"| rlvet | 1 | 1.50 s | 1.50 | 0.30 s | 3.00 | 15 MB |",
		"| " + bareParse + " | 2 | 1.00 s | 1.00 | 0.10 s | 1.00 | 10 MB |",
		"| absent |  | missing: a/b | | | | |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
