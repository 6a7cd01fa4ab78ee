package vet

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// # What a mistake does to the project as it stands
//
// A rule sees a program; what the other files do to it is seen here, when all are checked. Severities only ever sink: an editor, in which
// each line is broken while it is written, shows those of the rules.

// sink lowers the severity of findings that no run of their project comes to.
func (r *Result) sink(inputs []config.Input) {
	r.sinkBroken()
	projects := map[string]*running{} // by root
	of := map[string]*running{}
	for _, in := range inputs {
		p := projects[in.Settings.Root]
		if p == nil {
			p = &running{files: map[string]*source.File{}, known: map[string]bool{}}
			p.starts = sync.OnceValue(p.anyStarts)
			projects[in.Settings.Root] = p
		}
		if file := r.Files[in.Path]; file != nil {
			of[in.Path], p.files[in.Path] = p, file
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if p := of[f.Range.File]; p != nil && f.Severity == finding.Error && p.leavesOut(f.Range.File) {
			f.Severity = finding.Warning
		}
	}
}

// sinkBroken makes notes of the findings in files, and in cells of notebooks, that Python cannot read: no run comes to them. A notebook that is
// run as a whole stops at such a cell, so that what stands behind it is no error.
func (r *Result) sinkBroken() {
	type part struct {
		file string
		cell int
	}
	broken, stops := map[part]bool{}, map[string]int{} // the first broken cell of each file
	for _, p := range r.Problems {
		if p.Fatal && p.Line > 0 && source.LanguageOf(p.File) == source.Python && !r.isCommand(p) {
			broken[part{p.File, p.Cell}] = true
			if first := stops[p.File]; first == 0 || p.Cell < first {
				stops[p.File] = p.Cell
			}
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		switch stop := stops[f.Range.File]; {
		case broken[part{f.Range.File, f.Range.Cell}]:
			f.Severity = finding.Note
		case stop > 0 && f.Range.Cell > stop && f.Severity == finding.Error:
			f.Severity = finding.Warning
		}
	}
}

// command is a line that IPython runs and Python does not: !pip install x, %matplotlib inline.
var command = regexp.MustCompile(`^[ \t]*(?:![ \t]*[A-Za-z./{]|%%?[A-Za-z])`)

// isCommand reports whether what Python cannot read in a module is a command of IPython. Such a file is a notebook that was saved as a module: it
// runs where it is pasted, and all of it does.
func (r *Result) isCommand(p finding.Problem) bool {
	f := r.Files[p.File]
	if f == nil || !isModule(p.File) {
		return false
	}
	line := f.Text
	for range p.Line - 1 {
		_, rest, ok := bytes.Cut(line, []byte("\n"))
		if !ok {
			return false
		}
		line = rest
	}
	return command.Match(line)
}

// running tells the files of a project that run something from those that nobody uses.
type running struct {
	files  map[string]*source.File
	starts func() bool     // whether one of them runs something
	known  map[string]bool // what leavesOut said
}

// starting is a line of a module's body that runs something: a loop, a condition such as that on __name__, the call of a function.
var starting = regexp.MustCompile(`(?m)^(?:for|while|with|if|try)\b|^[A-Za-z_][\w.]*\(`)

func (r *running) anyStarts() bool {
	for path, f := range r.files {
		if isModule(path) && starting.Match(f.Text) {
			return true
		}
	}
	return false
}

func isModule(path string) bool { return strings.HasSuffix(path, ".py") }

// leavesOut reports whether a project runs without a module: it holds definitions alone, no other file has its name anywhere, and others
// run something. Where none does, all of it is for others to use.
func (r *running) leavesOut(path string) bool {
	if out, ok := r.known[path]; ok {
		return out
	}
	f := r.files[path]
	out := f != nil && isModule(path) && !starting.Match(f.Text) && r.starts()
	if out {
		name := strings.TrimSuffix(filepath.Base(path), ".py")
		if name == "__init__" {
			name = filepath.Base(filepath.Dir(path))
		}
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
		for other, g := range r.files {
			out = out && (other == path || !word.Match(g.Text))
		}
	}
	r.known[path] = out
	return out
}
