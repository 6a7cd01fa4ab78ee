package hunt

import (
	"testing"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/source"
)

// TestWhereRaised: the last line of the program in a traceback, in a notebook by its cell.
func TestWhereRaised(t *testing.T) {
	const book = `{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["a = 1\n", "b = 1 / 0"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	notebook, err := source.FromText("book.ipynb", []byte(book))
	if err != nil {
		t.Fatal(err)
	}
	plan := harness.Plan{Root: "/p", Script: "sub/book_ipynb.py"}
	for _, c := range []struct {
		job             *Job
		traceback, want string
	}{
		{&Job{Plan: harness.Plan{Root: "/p", Script: "sub/t.py"}}, "  File \"/run/sub/t.py\", line 9, in <module>\n    f()\n  File \"/run/lib.py\", line 3, in f\n", " (lib.py:3)"},
		{&Job{Plan: plan, Script: "/p/sub/book.ipynb", Notebook: notebook}, "  File \"/run/sub/book_ipynb.py\", line 2, in <module>\n", " (book.ipynb:cell 1:2)"},
		{&Job{Plan: plan, Script: "/p/sub/book.ipynb", Notebook: notebook}, "  File \"/run/sub/book.ipynb\", cell 3, line 2, in <module>\n", " (book.ipynb:cell 3:2)"},
		{&Job{Plan: plan, Script: "/p/sub/book.ipynb", Notebook: notebook}, "  File \"<string>\", line 2, in <module>\n", ""},
	} {
		if got := (&hunter{Job: c.job}).whereRaised(c.traceback); got != c.want {
			t.Errorf("%q is raised at %q, want %q", c.traceback, got, c.want)
		}
	}
}
