// Package finding holds the result of a check as plain data: resolved
// positions, texts and edits, and neither syntax nor inference. Everything that
// shows, filters, stores or applies findings (report, fix, baseline, server)
// needs this package only.
package finding

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/source"
)

// Severity says how sure a static finding is, and how much it matters.
type Severity string

// The severities. Notes never change the exit code.
const (
	Error   Severity = "error"   // few legitimate exceptions
	Warning Severity = "warning" // rests on roles or order
	Note    Severity = "note"    // a hint
)

// Compare orders severities, the highest first; an unknown one, "", is the highest.
func (s Severity) Compare(t Severity) int {
	order := []Severity{"", Error, Warning, Note}
	return cmp.Compare(slices.Index(order, s), slices.Index(order, t))
}

// Evidence says what a finding rests on, weakest part of its reasoning first.
type Evidence string

// The levels of evidence, strongest first.
const (
	Table     Evidence = "table"     // what the library documents
	Derived   Evidence = "derived"   // what inference followed through the program
	Used      Evidence = "used"      // what a function does with a parameter that nothing is known of
	Annotated Evidence = "annotated" // what the user declared
	Named     Evidence = "named"     // what a variable is called, where hardly anything else could be meant
	NameOnly  Evidence = "name"      // what a variable is called; hidden on the command line
	Observed  Evidence = "observed"  // what a run showed, where nothing else tells
	Claimed   Evidence = "claimed"   // what somebody says; only a run tells
)

// Applicability says whether a fix may be applied without a person looking.
type Applicability string

// The applicabilities, as in ruff.
const (
	Safe        Applicability = "safe"
	Unsafe      Applicability = "unsafe"
	DisplayOnly Applicability = "display"
)

// Finding is one reported mistake.
type Finding struct {
	Code     string   // ADV009
	Name     string   // std-without-eps
	Severity Severity //
	Evidence Evidence //
	Range    Range    //
	Message  string   // the headline: what is wrong, in at most MaxHeadline characters, without a full stop
	Why      string   // one sentence: what it does to training
	Help     string   // what to write instead
	Source   string   // the document that the finding rests on, where that is the evidence; else ""
	URL      string   //
	Related  []Related
	Fix      *Fix
	// Fingerprint identifies the finding across edits elsewhere in the file: a
	// hash of code, path and the normalised text of the flagged statement, with
	// a counter where equal ones occur.
	Fingerprint string
	// NoqaRow is the physical line (1-based, in the cell for a notebook) on
	// which a suppression comment takes effect.
	NoqaRow int
}

// MaxHeadline is the longest headline, in characters: what an editor shows at the end of
// a line and a list of annotations in one row.
const MaxHeadline = 72

// Line is the finding on one line, for editors, annotations and lists: the headline and
// the help.
func (f *Finding) Line() string {
	if f.Help == "" {
		return f.Message
	}
	return f.Message + "; " + f.Help
}

// Range is a span of one file in every form that a reader may need.
type Range struct {
	File string // path as the user would write it, slash separated where relative
	// Cell is the cell of a notebook, counted from 1 over all cells as they stand
	// in it, Markdown too; 0 elsewhere. Jupyter's own [n] is no place: it says when
	// a cell was last run.
	Cell       int
	Start, End source.Position
	// StartByte and EndByte are offsets in the decoded text.
	StartByte, EndByte int
}

// Related is a step of the explanation at another place: the origin chain.
type Related struct {
	Range   Range
	Message string
}

// Fix is a set of edits that fixes a finding.
type Fix struct {
	Applicability Applicability
	Message       string // a verb phrase: "Add an epsilon to the denominator"
	Edits         []Edit
	Risk          string // what is unsafe about it, "" for the usual: see [Fix.Caution]
}

// Caution says what is unsafe about an unsafe fix.
func (f *Fix) Caution() string { return cmp.Or(f.Risk, "it may change more than the mistake") }

// Edit replaces the text of a range.
type Edit struct {
	Range   Range
	Content string
}

// Plain returns the edits, which are in one file, as bytes of its text.
func Plain(edits []Edit) []edit.Edit {
	var out []edit.Edit
	for _, e := range edits {
		out = append(out, edit.Edit{Start: e.Range.StartByte, End: e.Range.EndByte, New: e.Content})
	}
	return out
}

// Problem is something that could not be checked: a file that is missing,
// unreadable, too large, not understood in part; or an internal error of a rule.
type Problem struct {
	File    string
	Cell    int    // of a notebook, as in Range; 0 elsewhere
	Line    int    // in the cell for a notebook; 0 where no line applies
	Message string // what is wrong; how to fix it
	// Fatal problems mean that something was not checked: exit code 2.
	Fatal bool
}

// Place is "train.py:31", "loop.ipynb:cell 2:4", a path alone where no line
// applies, or "" where no file does.
func (p Problem) Place() string {
	switch {
	case p.File == "" || p.Line == 0:
		return p.File
	case p.Cell > 0:
		return fmt.Sprintf("%s:cell %d:%d", p.File, p.Cell, p.Line)
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// String is the place and the message, in one line.
func (p Problem) String() string {
	if where := p.Place(); where != "" {
		return where + ": " + p.Message
	}
	return p.Message
}

// Compare orders problems as the files and their text are read.
func (p Problem) Compare(q Problem) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Cell, q.Cell), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Message, q.Message))
}
