package postmortem

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/words"
)

// missed says, from facts alone, why it went unnoticed.
func (w *writer) missed() {
	if !w.r.Found() {
		return
	}
	var list []string
	for _, why := range []func() string{w.rare, w.late, w.silent, w.anomaly, w.untested, w.unchecked} {
		if said := why(); said != "" {
			list = append(list, said)
		}
	}
	w.add(block{List: list})
	w.person("what review, monitoring and alerts saw or could have seen.")
}

// rare: most seeds show nothing.
func (w *writer) rare() string {
	failed, n := count(w.r.Seeds, "failed"), len(w.r.Seeds)
	if failed == 0 || failed == n {
		return ""
	}
	return fmt.Sprintf("Only %d of %s fail: a trial under one seed would have seen it in %s of cases.", failed, words.Count(n, "seed"), words.Percent(float64(failed)/float64(n)))
}

// late: the loss was finite for long.
func (w *writer) late() string {
	f := w.r.Failure
	if f == nil || f.Step < 2 {
		return ""
	}
	i := slices.IndexFunc(w.r.Seeds, func(s hunt.Seed) bool { return s.Seed == f.Seed })
	if i < 0 || slices.ContainsFunc(w.r.Seeds[i].Losses, func(l hunt.Loss) bool { return !l.Value.Finite() && l.Step < f.Step }) {
		return ""
	}
	return fmt.Sprintf("Every loss before step %d is finite: a shorter trial, or a look at the loss, shows nothing.", f.Step)
}

// silent: a wrong gradient raises nothing.
func (w *writer) silent() string {
	wrong := wrongOf(w.r.Gradients)
	if len(wrong) == 0 {
		return ""
	}
	out := fmt.Sprintf("A wrong gradient raises no error: autograd uses whatever the backward of %s returns.", words.And(functions(wrong)))
	if w.r.Failure == nil {
		out += " All its numbers are finite, so nothing that looks for NaN can see it."
	}
	return out
}

// anomaly: what torch's own detector would have said.
func (w *writer) anomaly() string {
	bad := w.r.FirstBad
	switch {
	case bad == nil:
		return ""
	case bad.Phase != "backward":
		return fmt.Sprintf("`torch.autograd.detect_anomaly` looks for NaN in the backward pass only; the first bad value is made in the %s pass.", phaseOf(bad.Phase))
	case bad.Statistics.GradientOut != nil && bad.Statistics.GradientOut.NaN == 0 && bad.Statistics.GradientOut.Inf > 0:
		return "`torch.autograd.detect_anomaly` looks for NaN; the first bad gradient is infinite, and turns into NaN elsewhere."
	}
	return ""
}

// unchecked: what reading the code would have said.
func (w *writer) unchecked() string {
	if len(w.r.Findings) > 0 {
		f := w.r.Findings[0]
		return fmt.Sprintf("`rlvet check` finds it without running anything (`%s %s`); it was not run before this code was merged.", f.Code, f.Name)
	}
	return "No rule of `rlvet check` covers this line; only a run shows it."
}

// untested: whether a test of the project compares gradients.
func (w *writer) untested() string {
	if len(wrongOf(w.r.Gradients)) == 0 || w.r.Root == "" {
		return ""
	}
	tests, checks := testFiles(w.r.Root)
	switch {
	case tests == 0:
		return "The project has no test files (test_*.py, *_test.py)."
	case checks == 0:
		return fmt.Sprintf("None of the project's %s calls gradcheck.", words.Count(tests, "test file"))
	}
	return fmt.Sprintf("%d of the project's %s call gradcheck, but not for these inputs of %s.", checks, words.Count(tests, "test file"), words.And(functions(wrongOf(w.r.Gradients))))
}

// mostFiles bounds the search for tests.
const mostFiles = 20000

// testFiles counts the files of tests below a folder, and those that call gradcheck.
func testFiles(root string) (tests, checks int) {
	seen := 0
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > mostFiles {
			return fs.SkipAll
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"venv", "node_modules", "site-packages", "__pycache__"}, name)) {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py")) {
			tests++
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("gradcheck")) {
				checks++
			}
		}
		return nil
	})
	return tests, checks
}
