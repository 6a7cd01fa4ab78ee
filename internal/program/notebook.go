package program

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/source"
)

// # Notebooks
//
// The cells of a notebook run in order as one script, which nobody has: what a run says of its
// lines is told as people know them, by cell and line in the cell.

// NotebookScript names the script that a notebook's cells are run as.
func NotebookScript(path string) string { return strings.TrimSuffix(path, ".ipynb") + "_ipynb.py" }

// InCells writes the lines of that script that a text names as people know them: "notes_ipynb.py:12" as
// "notes.ipynb:cell 3:7", and of a traceback the file "notes_ipynb.py", line 12 as the file "notes.ipynb", cell 3, line 7.
func (p *Program) InCells(text string) string { return inCells(p.Notebook, text) }

func inCells(notebook *source.File, text string) string {
	if notebook == nil {
		return text
	}
	name := filepath.Base(notebook.Path)
	line := regexp.MustCompile(`\b` + regexp.QuoteMeta(NotebookScript(name)) + `(:|", line )(\d{1,9})\b`)
	return line.ReplaceAllStringFunc(text, func(place string) string {
		found := line.FindStringSubmatch(place)
		row, _ := strconv.Atoi(found[2]) // digits by the pattern
		if row < 1 || row > notebook.Lines().Count() {
			return place
		}
		start := notebook.Lines().Start(row)
		cell, at, _ := notebook.Span(start, start)
		if found[1] == ":" {
			return fmt.Sprintf("%s:cell %d:%d", name, cell, at.Row)
		}
		return fmt.Sprintf("%s\", cell %d, line %d", name, cell, at.Row)
	})
}

// tellInCells has what the runs of notebooks printed, and the tracebacks of what they raised, name cells.
func tellInCells(plans []harness.Plan, reports []*harness.Report) {
	for i, report := range reports {
		notebook := plans[i].Notebook
		if report == nil || notebook == nil {
			continue
		}
		for j := range report.Runs {
			run := &report.Runs[j]
			run.Output = inCells(notebook, run.Output)
			if run.Crash != nil {
				run.Crash.Traceback = inCells(notebook, run.Crash.Traceback)
			}
		}
	}
}
