package program

import (
	"testing"

	"github.com/rlvet/rlvet/internal/source"
)

// TestInCells: lines of the script that a notebook runs as are told as lines of its cells.
func TestInCells(t *testing.T) {
	const book = `{"cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# GRPO"]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["a = 1\n", "b = 2"]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["c = 3"]}
 ], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}`
	file, err := source.FromText("sub/book.ipynb", []byte(book))
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{Script: "sub/book.ipynb", Notebook: file}
	for text, want := range map[string]string{
		"sub/book_ipynb.py:2 <module> > lib.py:7 f":          "sub/book.ipynb:cell 2:2 <module> > lib.py:7 f",
		"it raised X (book_ipynb.py:1)":                      "it raised X (book.ipynb:cell 2:1)",
		"book_ipynb.py:99":                                   "book_ipynb.py:99",
		"notebook_ipynb.py:1":                                "notebook_ipynb.py:1",
		"  File \"/run/sub/book_ipynb.py\", line 3, in f\n":  "  File \"/run/sub/book.ipynb\", cell 3, line 1, in f\n",
		"  File \"/run/sub/book_ipynb.py\", line 77, in f\n": "  File \"/run/sub/book_ipynb.py\", line 77, in f\n",
		"/run/book_ipynb.py:2: UserWarning: slow\n":          "/run/book.ipynb:cell 2:2: UserWarning: slow\n",
		"wrote book_ipynb.py, line 2, File \"x.py\", line 1": "wrote book_ipynb.py, line 2, File \"x.py\", line 1",
	} {
		if got := p.InCells(text); got != want {
			t.Errorf("%q is told as %q, want %q", text, got, want)
		}
	}
	if got := (&Program{Script: "a.py"}).InCells("a_ipynb.py:1"); got != "a_ipynb.py:1" {
		t.Errorf("without a notebook: %q", got)
	}
}
