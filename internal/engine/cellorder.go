package engine

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/source"
)

// # The order of cells
//
// A notebook is read from the top, as "Restart and Run All" runs it. People run cells in any order, and leave one that calls a
// function above the cell that defines it. Of what such a cell computes next to nothing is known, so silence there means nothing.

// orderProblems says which cells of a notebook call what only a later cell defines; one problem for each cell.
func orderProblems(f *source.File, m *ast.Module) (out []finding.Problem) {
	if len(f.Cells) < 2 || strings.Contains(f.Original(0, len(f.Text)), "%run") { // which may define anything
		return nil
	}
	o := cellOrder{file: f, defined: map[string]int{}, early: map[string]bool{}}
	for _, st := range m.Body {
		o.define(st)
	}
	for _, st := range m.Body {
		o.read(st)
	}
	said := map[int]bool{}
	for _, e := range o.found {
		if said[e.in] {
			continue
		}
		said[e.in] = true
		_, from, _ := f.Span(int(e.at.Start), int(e.at.End))
		out = append(out, finding.Problem{File: f.Path, Cell: e.in, Line: from.Row, Message: fmt.Sprintf(
			"this cell uses %s, which cell %d defines; cells are read from the top, so little of this one was checked: move it below that cell (Restart and Run All fails as well)", e.name, e.by)})
	}
	return out
}

type cellOrder struct {
	file    *source.File
	defined map[string]int  // by name of a function or class: the first cell that defines it
	early   map[string]bool // names that something else binds too, so that they may be there before; "*" for all
	found   []earlyUse
}

// earlyUse is a use of a name in a cell above the one that defines it.
type earlyUse struct {
	name   string
	at     ast.Span
	in, by int // cells
}

func (o *cellOrder) cell(n ast.Node) int { return o.file.CellAt(int(n.Span().Start)).Number }

// define notes what a statement of the notebook defines or binds.
func (o *cellOrder) define(st ast.Stmt) {
	name := ""
	switch d := st.(type) {
	case *ast.FunctionDef:
		name = d.Name
	case *ast.ClassDef:
		name = d.Name
	}
	if _, known := o.defined[name]; name != "" && !known {
		o.defined[name] = o.cell(st)
		return
	}
	ast.Walk(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Import:
			o.bound(n.Names)
		case *ast.ImportFrom:
			o.bound(n.Names)
		case *ast.FunctionDef:
			o.early[n.Name] = true
		case *ast.Assign:
			for _, t := range n.Targets {
				ast.Walk(t, o.target)
			}
		case *ast.For:
			ast.Walk(n.Target, o.target)
		}
		return true
	})
}

func (o *cellOrder) target(n ast.Node) bool {
	if x, ok := n.(*ast.Name); ok {
		o.early[x.Ident] = true
	}
	return true
}

func (o *cellOrder) bound(names []*ast.Alias) {
	for _, a := range names {
		o.early[a.Name], o.early[a.AsName] = true, true
	}
}

// read notes what a statement uses when it is run: not what it defines to be run later.
func (o *cellOrder) read(st ast.Stmt) {
	ast.Walk(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FunctionDef, *ast.ClassDef, *ast.Lambda, *ast.Try:
			return false
		case *ast.Name:
			in, by := o.cell(n), o.defined[n.Ident]
			if by > in && !o.early[n.Ident] && !o.early["*"] {
				o.found = append(o.found, earlyUse{n.Ident, n.Span(), in, by})
			}
		}
		return true
	})
}
