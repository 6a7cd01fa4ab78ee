package harness

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	missingModule = regexp.MustCompile(`ModuleNotFoundError: No module named '([\w.]+)'`)
	tracedLine    = regexp.MustCompile(`(?m)^\s*File "(.+)", ((?:cell \d+, )?line \d+)`)
)

// noKeyboard is the exception of input() where nobody is there to answer.
const noKeyboard = "EOFError: EOF when reading a line"

// Advice says what makes a program run that failed before anything was seen of it. How is how
// it failed, in words, and crash its exception, where that is known.
func Advice(how string, crash *Crash, python *Python) string {
	if strings.Contains(how, noKeyboard) {
		return "it asks at the keyboard (input()" + crash.where() + "), and a run has no keyboard: take the value from an argument, which goes after --, or write it down in the program"
	}
	if m := missingModule.FindStringSubmatch(how); m != nil && python != nil {
		return python.Missing(m[1])
	}
	return "make it run first (its arguments go after --, its Python is --python PATH, and --show-output shows what it printed)"
}

// Missing says what to do where a Python does not have a module.
func (p *Python) Missing(module string) string {
	name, _, _ := strings.Cut(module, ".")
	return fmt.Sprintf("%s cannot import it: install its package there (`%s -m pip install %s`, where the package is named like the module), or name the Python in which you train with --python PATH", p.Path, p.Path, name)
}

// where is the last place of the traceback, " in train.py, line 3", or "".
func (c *Crash) where() string {
	if c == nil {
		return ""
	}
	all := tracedLine.FindAllStringSubmatch(c.Traceback, -1)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	return " in " + filepath.Base(last[1]) + ", " + last[2]
}
