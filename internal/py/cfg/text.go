package cfg

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Text renders the graph for people and tests, one block a paragraph:
//
//	b1 loop 1: for x in xs
//	  iterate -> b2
//	  exhausted -> b3
func (g *Graph) Text(m *ast.Module) string {
	var out strings.Builder
	for _, b := range g.Blocks {
		fmt.Fprintf(&out, "b%d", b.ID)
		switch {
		case b.ID == 0:
			out.WriteString(" entry")
		case b.ID == g.Exit:
			out.WriteString(" exit")
		case b.ID == g.Raised:
			out.WriteString(" raised")
		}
		if !g.Reachable(b.ID) {
			out.WriteString(" unreachable")
		}
		if b.Loop != nil {
			fmt.Fprintf(&out, " loop %d", b.Loop.Depth)
		}
		out.WriteString(":")
		for i, n := range b.Nodes {
			if i > 0 {
				out.WriteString(";")
			}
			out.WriteString(" " + head(m, n))
		}
		out.WriteString("\n")
		for _, e := range b.Succs {
			fmt.Fprintf(&out, "  %s -> b%d\n", e.text(m), e.To)
		}
	}
	return out.String()
}

// text describes an edge: its kind, or its condition.
func (e Edge) text(m *ast.Module) string {
	switch {
	case e.Cond == nil:
		return e.Kind.String()
	case e.Sense:
		return "if " + m.Source(e.Cond)
	}
	return "unless " + m.Source(e.Cond)
}

// head returns the source of what a node itself does, bodies left out, on one line.
func head(m *ast.Module, n ast.Node) string {
	span := n.Span()
	text := string(m.Text[span.Start:span.End])
	switch n := n.(type) {
	case *ast.For:
		text = "for " + m.Source(n.Target) + " in " + m.Source(n.Iter)
	case *ast.With:
		text = "with " + string(m.Text[n.Items[0].Span().Start:n.Items[len(n.Items)-1].Span().End])
	case *ast.FunctionDef:
		text = "def " + n.Name
	case *ast.ClassDef:
		text = "class " + n.Name
	case *ast.Handler:
		text = "except"
		if n.Type != nil {
			text += " " + m.Source(n.Type)
		}
		if n.Name != "" {
			text += " as " + n.Name
		}
	case *ast.Case:
		text = "case " + m.Source(n.Pattern)
	}
	return strings.Join(strings.Fields(text), " ")
}
