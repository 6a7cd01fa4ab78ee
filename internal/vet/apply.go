package vet

import (
	"context"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

// Apply applies those fixes of a file that do not touch each other, each given as
// its edits, and returns their indices. Where the result parses worse than before, it
// applies the first good one alone, since the others' places have moved, and
// returns the indices of the bad ones: they are to be refused.
func Apply(file *source.File, fixes [][]edit.Edit) (after *source.File, applied, refused []int) {
	chosen := edit.NonOverlapping(fixes)
	r := newReader()
	defer r.Close()
	if after, ok := r.apply(file, fixes, chosen); ok {
		return after, chosen, nil
	}
	after = file
	for _, i := range chosen {
		if next, ok := r.apply(file, fixes, []int{i}); ok && applied == nil {
			applied, after = []int{i}, next
		} else if !ok {
			refused = append(refused, i)
		}
	}
	return after, applied, refused
}

// apply returns the file with the chosen fixes, and whether it still parses as
// well as before.
func (r *reader) apply(file *source.File, fixes [][]edit.Edit, chosen []int) (*source.File, bool) {
	var edits []edit.Edit
	for _, i := range chosen {
		edits = append(edits, fixes[i]...)
	}
	after, err := edit.ApplyFile(file, edits)
	if err != nil || len(chosen) == 0 || string(after.Text) == string(file.Text) {
		return nil, false
	}
	return after, r.parsesAsWell(after, file)
}

// soundness is how well a file parses. Errors alone do not tell: in a file that
// is broken already, an open bracket can swallow statements without one more.
type soundness struct{ errors, statements int }

// reader parses one file and texts that differ from it in few places.
type reader struct{ *parse.Parser }

func newReader() *reader {
	r := &reader{parse.New()}
	r.Keep(&parse.Kept{})
	return r
}

// sound parses a file; ok is false where the parser gives up, and of a shell script that bash does
// not read.
func (r *reader) sound(f *source.File) (s soundness, ok bool) {
	if source.LanguageOf(f.Path) == source.Shell {
		return s, runconf.Readable(f.Text)
	}
	mod, err := r.Parse(context.Background(), f.Path, f.Text)
	if err != nil {
		return s, false
	}
	s.errors = len(mod.Errors)
	ast.InspectStmts(mod.Body, func(st ast.Stmt) bool {
		if _, bad := st.(*ast.BadStmt); !bad {
			s.statements++
		}
		return true
	})
	return s, true
}

// Broken reports whether a file has places that the parser does not understand:
// around them nobody can tell what a change does.
func Broken(f *source.File) bool {
	r := newReader()
	defer r.Close()
	s, ok := r.sound(f)
	return !ok || s.errors > 0
}

// ParsesAsWell reports whether after is understood at least as well as before.
//
//unused:keep the command line holds every fix to it
func ParsesAsWell(after, before *source.File) bool {
	r := newReader()
	defer r.Close()
	return r.parsesAsWell(after, before)
}

func (r *reader) parsesAsWell(after, before *source.File) bool {
	b, okBefore := r.sound(before)
	a, ok := r.sound(after)
	return ok && okBefore && a.errors <= b.errors && a.statements >= b.statements
}
