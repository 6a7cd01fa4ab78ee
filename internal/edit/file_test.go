package edit

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/source"
)

func fromBytes(t interface{ Fatal(...any) }, path, raw string) *source.File {
	f, err := source.FromBytes(path, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// at returns the edit that replaces the only occurrence of old.
func at(t *testing.T, f *source.File, old, new string) Edit {
	t.Helper()
	if strings.Count(string(f.Text), old) != 1 {
		t.Fatalf("%q is not once in %q", old, f.Text)
	}
	start := strings.Index(string(f.Text), old)
	return Edit{start, start + len(old), new}
}

// A file keeps its line ends, mark and encoding, and lines that are inserted
// get the line ends of the others.
func TestApplyFileKeepsTheForm(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"LF", "a\nb\nc\n", "a\nx\ny\nc\n"},
		{"CRLF", "a\r\nb\r\nc\r\n", "a\r\nx\r\ny\r\nc\r\n"},
		{"CR", "a\rb\rc\r", "a\rx\ry\rc\r"},
		{"mixed", "a\r\nb\nc\r", "a\r\nx\ny\nc\r"},
		{"mark", "\xEF\xBB\xBFa\nb\nc\n", "\xEF\xBB\xBFa\nx\ny\nc\n"},
		{"latin-1", "# coding: latin-1\n'\xe9'\nb\n", "# coding: latin-1\n'\xe9'\nx\ny\n"},
		{"UTF-16", "\xff\xfea\x00\r\x00\n\x00b\x00\r\x00\n\x00", "\xff\xfea\x00\r\x00\n\x00x\x00\r\x00\n\x00y\x00\r\x00\n\x00"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := fromBytes(t, "a.py", test.raw)
			after, err := ApplyFile(f, []Edit{at(t, f, "b", "x\ny")})
			if err != nil {
				t.Fatal(err)
			}
			got, err := after.Bytes()
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// book makes a notebook of code cells.
func book(cells ...string) string {
	list := []any{}
	for _, c := range cells {
		list = append(list, map[string]any{"cell_type": "code", "source": c})
	}
	raw, _ := json.Marshal(map[string]any{"nbformat": 4, "cells": list})
	return string(raw)
}

func TestApplyFileInNotebooks(t *testing.T) {
	magic := "%%time\nimport a\nx = !ls\nif x:\n  !rm x\n  y"
	tests := []struct {
		name   string
		before []string
		edit   func(*testing.T, *source.File) Edit
		after  []string
	}{
		{"a line between commands", []string{magic, "z"},
			func(t *testing.T, f *source.File) Edit { return at(t, f, "y", "y = 1\n  é") },
			[]string{strings.Replace(magic, "  y", "  y = 1\n  é", 1), "z"}},
		{"before commands", []string{magic, "!ls\nz"},
			func(t *testing.T, f *source.File) Edit { return at(t, f, "import a", "import abc") },
			[]string{strings.Replace(magic, "import a", "import abc", 1), "!ls\nz"}},
		{"a whole last line", []string{"a\nb", "c"},
			func(t *testing.T, f *source.File) Edit { return at(t, f, "b\n", "") }, []string{"a", "c"}},
		{"all of a cell", []string{"a", "c"},
			func(t *testing.T, f *source.File) Edit { return at(t, f, "a\n", "") }, []string{"", "c"}},
		{"a cell that ends its last line keeps doing so", []string{"a\n", "c"},
			func(t *testing.T, f *source.File) Edit { return at(t, f, "a\n", "b") }, []string{"b\n", "c"}},
		{"an import goes to the end of the imports' cell", []string{"import a", "%%time\nx"},
			func(t *testing.T, f *source.File) Edit { return ImportInsertion(f.Text, "import b") },
			[]string{"import a\nimport b", "%%time\nx"}},
		{"an import goes after the magic", []string{"%%bash\nls", "%%time\nx"},
			func(t *testing.T, f *source.File) Edit { return ImportInsertion(f.Text, "import b") },
			[]string{"%%bash\nls", "%%time\nimport b\nx"}},
		{"an import goes to a cell of Python", []string{"%%bash\nls", "x"},
			func(t *testing.T, f *source.File) Edit { return ImportInsertion(f.Text, "import b") },
			[]string{"%%bash\nls", "import b\nx"}},
		{"an import goes below the first line of an indented cell", []string{"  import a\n  x"},
			func(t *testing.T, f *source.File) Edit { return ImportInsertion(f.Text, "import b") },
			[]string{"  import a\nimport b\n  x"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := fromBytes(t, "a.ipynb", book(test.before...))
			after, err := ApplyFile(f, []Edit{test.edit(t, f)})
			if err != nil {
				t.Fatal(err)
			}
			got, err := after.Bytes()
			if want := book(test.after...); err != nil || string(got) != want {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
}

func TestApplyFileRefusesWithoutCells(t *testing.T) {
	f := fromBytes(t, "a.ipynb", book())
	after, err := ApplyFile(f, []Edit{ImportInsertion(f.Text, "import torch")})
	if want := "a.ipynb: an edit of bytes 0 to 0 does not lie within one cell of Python"; err == nil || err.Error() != want {
		t.Errorf("got %v, %v; want %s", after, err, want)
	}
}

func TestApplyFileRefuses(t *testing.T) {
	f := fromBytes(t, "a.ipynb", book("%%time\nx = !ls", "%%bash\nls", "z", "%%bash\nls", "  w"))
	tests := []struct {
		name string
		edit Edit
		want string
	}{
		{"a command", Edit{7, 12, "y = 1"}, `a.ipynb: an edit would change the IPython command "!ls"`},
		{"within a command", Edit{12, 12, "y"}, `a.ipynb: an edit would change the IPython command "!ls"`},
		{"before a cell magic", Edit{0, 0, "y"}, "a.ipynb: an edit of bytes 0 to 0 does not lie within one cell of Python"},
		{"before the first indentation", Edit{37, 37, "y"}, "a.ipynb: an edit of bytes 37 to 37 does not lie within one cell of Python"},
		{"a foreign cell", Edit{21, 21, "y"}, "a.ipynb: an edit of bytes 21 to 21 does not lie within one cell of Python"},
		{"two cells", Edit{13, 16, "y"}, ""},
		{"outside", Edit{99, 99, "y"}, "a.ipynb: edit of bytes 99 to 99 is outside of a text of 41 bytes"},
	}
	for _, test := range tests {
		after, err := ApplyFile(f, []Edit{test.edit})
		if err == nil || after != nil || test.want != "" && err.Error() != test.want {
			t.Errorf("%s: got %v, %v; want %s", test.name, after, err, test.want)
		}
	}
}

// Editing a file is editing its text: whatever the line ends, the edited file
// reads as the edited text, and the bytes read back give that file again.
func TestApplyFileAgreesWithApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", "\r"}), 0, 30).Draw(t, "raw")
		f := fromBytes(t, "a.py", strings.Join(pieces, ""))
		edits := disjoint(t, string(f.Text))
		after, err := ApplyFile(f, edits)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Apply(f.Text, edits)
		if err != nil {
			t.Fatal(err)
		}
		plain := func(s string) string { return strings.ReplaceAll(s, "\r", "") }
		if plain(string(after.Text)) != plain(string(text)) {
			t.Fatalf("%q with %v is %q, want %q", f.Text, edits, after.Text, text)
		}
		raw, err := after.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range after.Returns {
			if raw[at] != '\r' || after.Text[at] != '\n' {
				t.Fatalf("%q: the carriage return at %d is out of place in %q", f.Raw, at, raw)
			}
		}
	})
}

func TestDiffFile(t *testing.T) {
	f := fromBytes(t, "a.ipynb", book("%matplotlib inline\nx = 1", "y", "z = 1"))
	after, err := ApplyFile(f, []Edit{at(t, f, "x = 1", "x = 2"), at(t, f, "z = 1", "z = 3")})
	if err != nil {
		t.Fatal(err)
	}
	want := `--- a.ipynb:cell 1
+++ a.ipynb:cell 1
@@ -1,2 +1,2 @@
 %matplotlib inline
-x = 1
+x = 2
--- a.ipynb:cell 3
+++ a.ipynb:cell 3
@@ -1 +1 @@
-z = 1
+z = 3
`
	if got := DiffFile(f, after); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	f = fromBytes(t, "a.py", "a\rb\r")
	after, err = ApplyFile(f, []Edit{at(t, f, "b", "c")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := DiffFile(f, after), "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
