package edit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestApply(t *testing.T) {
	const text = "loss = a / b"
	tests := []struct {
		name  string
		edits []Edit
		want  string
	}{
		{"none", nil, text},
		{"replace", []Edit{{0, 4, "cost"}}, "cost = a / b"},
		{"insert at both ends", []Edit{{12, 12, ")"}, {0, 0, "("}}, "(loss = a / b)"},
		{"delete all", []Edit{{0, 12, ""}}, ""},
		{"touching", []Edit{{7, 8, "x"}, {8, 11, "*"}, {8, 8, " "}}, "loss = x *b"},
		{"the same twice", []Edit{{12, 12, "!"}, {12, 12, "!"}}, text + "!"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Apply([]byte(text), test.edits)
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	tests := []struct {
		edits []Edit
		want  string
	}{
		{[]Edit{{0, 3, "x"}, {2, 4, "y"}}, "edits of bytes 0 to 3 and 2 to 4 overlap"},
		{[]Edit{{1, 1, "x"}, {1, 1, "y"}}, "edits of bytes 1 to 1 and 1 to 1 overlap"},
		{[]Edit{{0, 3, "x"}, {1, 1, "y"}}, "edits of bytes 0 to 3 and 1 to 1 overlap"},
		{[]Edit{{0, 3, "x"}, {0, 3, "y"}}, "edits of bytes 0 to 3 and 0 to 3 overlap"},
		{[]Edit{{3, 2, ""}}, "edit of bytes 3 to 2 is outside of a text of 4 bytes"},
		{[]Edit{{3, 5, ""}}, "edit of bytes 3 to 5 is outside of a text of 4 bytes"},
		{[]Edit{{-1, 0, ""}}, "edit of bytes -1 to 0 is outside of a text of 4 bytes"},
	}
	for _, test := range tests {
		got, err := Apply([]byte("text"), test.edits)
		if err == nil || err.Error() != test.want || got != nil {
			t.Errorf("%v gave %q, %v; want the error %q", test.edits, got, err, test.want)
		}
	}
}

// disjoint draws edits of a text that do not overlap, in any order.
func disjoint(t *rapid.T, text string) []Edit {
	cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(text)), 0, min(8, len(text)+1), rapid.ID[int]).Draw(t, "cuts")
	slices.Sort(cuts)
	var edits []Edit
	for i := 0; i+1 < len(cuts); i += 2 {
		edits = append(edits, Edit{cuts[i], cuts[i+1], rapid.StringMatching(`[xyz\n]{0,5}`).Draw(t, "new")})
	}
	return rapid.Permutation(edits).Draw(t, "edits")
}

// Edits can be taken back: the edits that put the old bytes where the new ones
// are give the text of before.
func TestApplyHasAnInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-e\n]{0,40}`).Draw(t, "text")
		edits := disjoint(t, text)
		after, err := Apply([]byte(text), edits)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(edits, compare)
		var inverse []Edit
		shift := 0
		for _, e := range edits {
			inverse = append(inverse, Edit{e.Start + shift, e.Start + shift + len(e.New), text[e.Start:e.End]})
			shift += len(e.New) - (e.End - e.Start)
		}
		back, err := Apply(after, inverse)
		if err != nil || string(back) != text {
			t.Fatalf("%q became %q and came back as %q, %v", text, after, back, err)
		}
	})
}

func TestNonOverlapping(t *testing.T) {
	replace := func(start, end int) Edit { return Edit{start, end, "x"} }
	insert := func(at int, text string) Edit { return Edit{at, at, text} }
	tests := []struct {
		name   string
		groups [][]Edit
		want   []int
	}{
		{"nothing", nil, nil},
		{"apart", [][]Edit{{replace(5, 6)}, {replace(0, 3)}}, []int{0, 1}},
		{"overlapping: the earlier wins", [][]Edit{{replace(2, 6)}, {replace(0, 3)}}, []int{1}},
		{"touching replacements", [][]Edit{{replace(0, 3)}, {replace(3, 6)}}, []int{0, 1}},
		{"all edits or none", [][]Edit{{replace(0, 1), replace(8, 9)}, {replace(4, 5), replace(8, 9), replace(20, 21)}, {replace(8, 10)}}, []int{0, 1}},
		{"a fix in conflict leaves room for later ones", [][]Edit{{replace(0, 5)}, {replace(4, 9)}, {replace(6, 7)}}, []int{0, 2}},
		{"the same import for two", [][]Edit{{insert(0, "import torch\n"), replace(5, 6)}, {insert(0, "import torch\n"), replace(8, 9)}}, []int{0, 1}},
		{"different imports at one place", [][]Edit{{insert(0, "b"), replace(5, 6)}, {insert(0, "a"), replace(8, 9)}}, []int{1}},
		{"insertion at the edge of a replacement", [][]Edit{{insert(3, "(")}, {replace(3, 6)}, {replace(1, 3)}}, []int{1, 2}},
		{"within one fix that is meant", [][]Edit{{insert(3, "("), replace(3, 6)}}, []int{0}},
		{"overlapping itself", [][]Edit{{replace(3, 6), replace(4, 5)}}, nil},
		{"brackets that cross: x - m / s as (x - m) / s and as x - (m / s)[:, None]", [][]Edit{
			{insert(0, "("), insert(5, ")")}, {insert(4, "("), insert(9, ")[:, None]")}, {insert(4, "f("), insert(5, ")[0]")}}, []int{0}},
		{"brackets in brackets", [][]Edit{{insert(0, "f("), insert(9, ")")}, {insert(2, "("), insert(5, ")")}}, []int{0, 1}},
		{"no edits", [][]Edit{{}, {replace(4, 5)}}, []int{1}},
		{"equal fixes are one", [][]Edit{{replace(4, 5)}, {replace(4, 5)}}, []int{0, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := NonOverlapping(test.groups); !slices.Equal(got, test.want) {
				t.Errorf("chose %v, want %v", got, test.want)
			}
		})
	}
}

// What is chosen can be applied together, depends on the fixes and not on their
// order, and leaves out only what conflicts.
func TestChosenFixesApply(t *testing.T) {
	text := []byte(strings.Repeat("x", 30))
	edit := rapid.Custom(func(t *rapid.T) Edit {
		start := rapid.IntRange(0, 28).Draw(t, "start")
		return Edit{start, start + rapid.IntRange(0, 2).Draw(t, "length"), rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "new")}
	})
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.SliceOfN(edit, 0, 3), 0, 8).Draw(t, "groups")
		chosen := pick(groups, NonOverlapping(groups))
		if _, err := Apply(text, slices.Concat(chosen...)); err != nil {
			t.Fatalf("chose %v of %v: %v", chosen, groups, err)
		}
		shuffled := slices.Clone(groups)
		random := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again := pick(shuffled, NonOverlapping(shuffled))
		if a, b := described(chosen), described(again); a != b {
			t.Fatalf("%v gave %s, in another order %s", groups, a, b)
		}
	})
}

func pick(groups [][]Edit, chosen []int) [][]Edit {
	var out [][]Edit
	for _, i := range chosen {
		out = append(out, groups[i])
	}
	return out
}

// described writes groups in an order that does not depend on theirs.
func described(groups [][]Edit) string {
	var out []string
	for _, g := range groups {
		out = append(out, fmt.Sprint(slices.SortedFunc(slices.Values(g), compare)))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func TestImportInsertion(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "import torch\n"},
		{"code only", "x = 1\n", "import torch\nx = 1\n"},
		{"comments at the head", "#!/usr/bin/python\n# coding: utf-8\n\nx = 1\n", "#!/usr/bin/python\n# coding: utf-8\n\nimport torch\nx = 1\n"},
		{"comments only", "# nothing", "# nothing\nimport torch\n"},
		{"after imports", "import os\nfrom a import (\n    b,\n)\n\nx = 1\n", "import os\nfrom a import (\n    b,\n)\nimport torch\n\nx = 1\n"},
		{"after a continued import", "import os, \\\n    sys\nx\n", "import os, \\\n    sys\nimport torch\nx\n"},
		{"imports further down do not count", "import os\nx = 1\nimport sys\n", "import os\nimport torch\nx = 1\nimport sys\n"},
		{"after the docstring", "\"\"\"PPO.\n\nimport nothing\n\"\"\"\n\nx = 1\n", "\"\"\"PPO.\n\nimport nothing\n\"\"\"\n\nimport torch\n\nx = 1\n"},
		{"after the future", "'''Doc'''\nfrom __future__ import annotations\nx\n", "'''Doc'''\nfrom __future__ import annotations\nimport torch\nx\n"},
		{"before a guard", "try:\n    import a\nexcept ImportError:\n    a = None\n", "import torch\ntry:\n    import a\nexcept ImportError:\n    a = None\n"},
		{"before a decorator", "@f\ndef g(): pass\n", "import torch\n@f\ndef g(): pass\n"},
		{"a name that starts like an import", "imports = 1\n", "import torch\nimports = 1\n"},
		{"no line end", "import os", "import os\nimport torch\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Apply([]byte(test.text), []Edit{ImportInsertion([]byte(test.text), "import torch")})
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestDiff(t *testing.T) {
	if d := Diff("a", "b", []byte("x\n"), []byte("x\n")); d != "" {
		t.Errorf("equal texts differ: %q", d)
	}
	want := "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
	if d := Diff("a.py", "a.py", []byte("a\nb\nc\n"), []byte("a\nB\nc\n")); d != want {
		t.Errorf("got %q, want %q", d, want)
	}
}
