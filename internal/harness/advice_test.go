package harness

import "testing"

// Advice fits what kept the program from running.
func TestAdvice(t *testing.T) {
	python := &Python{Path: "/venv/bin/python"}
	traceback := "  File \"/run/a.py\", line 9, in <module>\n    ask()\n  File \"/run/b.ipynb\", cell 2, line 3, in ask\n    input()\n" + noKeyboard + "\n"
	asks := func(where string) string {
		return "it asks at the keyboard (input()" + where + "), and a run has no keyboard: take the value from an argument, which goes after --, or write it down in the program"
	}
	for _, c := range []struct {
		how   string
		crash *Crash
		want  string
	}{
		{"it raised " + noKeyboard, &Crash{Traceback: traceback}, asks(" in b.ipynb, cell 2, line 3")},
		{"it raised " + noKeyboard, &Crash{}, asks("")},
		{"it raised " + noKeyboard + " (a.py:9)", nil, asks("")},
		{"it raised EOFError: Ran out of input", nil, "make it run first (its arguments go after --, its Python is --python PATH, and --show-output shows what it printed)"},
		{"it raised ModuleNotFoundError: No module named 'trl.x'", nil, "/venv/bin/python cannot import it: install its package there (`/venv/bin/python -m pip install trl`, where the package is named like the module), or name the Python in which you train with --python PATH"},
	} {
		if got := Advice(c.how, c.crash, python); got != c.want {
			t.Errorf("of %q: %q, want %q", c.how, got, c.want)
		}
	}
}
