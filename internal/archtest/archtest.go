// Package archtest holds the code to what ARCHITECTURE.md says.
//
// Purpose: a layered design survives only where a machine refuses the first
// import that breaks it. This package reads the tables of ARCHITECTURE.md
// (layers, fences, dependencies, exemptions) and the Go files of the module,
// and lists every place where the two disagree.
//
// Input: a file system with ARCHITECTURE.md and go.mod at its root.
//
// Output: one Violation a disagreement, in order of file and line. Disagreement
// is taken both ways: a row of a table that no longer describes anything is a
// violation too, which is what keeps the document true.
//
// Limits: Check reads import declarations and function lengths, not types (the
// test of recursion does); build constraints are ignored, so every file counts on
// every platform.
package archtest

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
)

// The limits of size, in lines. Generated files are exempt, and so are the
// rows of the table of exemptions in ARCHITECTURE.md. Functions of test files
// are exempt, since a test's table of cases is data.
const (
	maxFileLines     = 1000
	maxFunctionLines = 200
)

// Violation is one disagreement between the code and ARCHITECTURE.md.
type Violation struct {
	File    string // slash separated, relative to the root
	Line    int    // 1-based
	Message string // what disagrees, and how to fix it
}

// String renders v as compilers do: file, line, message.
func (v Violation) String() string {
	return fmt.Sprintf("%s:%d: %s", v.File, v.Line, v.Message)
}

// Check compares the Go files in fsys with the ARCHITECTURE.md in it. The error
// says that one of the two could not be read; violations are no error.
func Check(fsys fs.FS) ([]Violation, error) {
	doc, err := readDocument(fsys)
	if err != nil {
		return nil, err
	}
	tree, err := readTree(fsys)
	if err != nil {
		return nil, err
	}
	var found []Violation
	for _, law := range []func(*document, *codeTree) []Violation{
		checkLayers, checkUse, checkFences, checkModules, checkSizes, checkPackageComments,
	} {
		found = append(found, law(doc, tree)...)
	}
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
	})
	return found, nil
}
