package parse

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/asttest"
)

// checkModule returns what is wrong with the shape of a module, if anything.
func checkModule(m *ast.Module) error {
	seen := make([]bool, m.NumNodes)
	whole := ast.Span{End: uint32(len(m.Text))}
	count := 0
	var walk func(n ast.Node, within ast.Span) error
	walk = func(n ast.Node, within ast.Span) error {
		count++
		s, id := n.Span(), int(n.NodeID())
		switch {
		case s.Start > s.End:
			return fmt.Errorf("%T %v ends before it starts", n, s)
		case !within.Covers(s):
			return fmt.Errorf("%T %v is outside of its parent %v", n, s, within)
		case id <= 0 || id >= m.NumNodes:
			return fmt.Errorf("%T has the number %d of %d", n, id, m.NumNodes)
		case seen[id]:
			return fmt.Errorf("%T has the number %d of another node", n, id)
		}
		seen[id] = true
		decorators := decoratorsOf(n)
		var failed error
		index := 0
		ast.Children(n, func(c ast.Node) {
			inside := s
			if index < decorators {
				inside = within // they stand before the definition
			}
			index++
			if err := walk(c, inside); err != nil && failed == nil {
				failed = err
			}
		})
		return failed
	}
	for _, s := range m.Body {
		if err := walk(s, whole); err != nil {
			return err
		}
	}
	if count != m.NumNodes-1 {
		return fmt.Errorf("%d nodes, but NumNodes is %d", count, m.NumNodes)
	}
	if err := checkRanges(m); err != nil {
		return err
	}
	return checkLists(m)
}

// checkRanges checks that what is in a definition, but for its decorators, has the
// numbers from the definition's own to its last.
func checkRanges(m *ast.Module) (err error) {
	ast.WalkModule(m, func(n ast.Node) bool {
		last := lastOf(n)
		if last == 0 {
			return true
		}
		decorators, count := decoratorsOf(n), 0
		ast.Children(n, func(c ast.Node) {
			if count++; count <= decorators {
				return
			}
			ast.Walk(c, func(c ast.Node) bool {
				if id := c.NodeID(); id <= n.NodeID() || id > last {
					err = fmt.Errorf("%T %d is outside of %T from %d to %d", c, id, n, n.NodeID(), last)
				}
				return true
			})
		})
		return true
	})
	return err
}

func lastOf(n ast.Node) ast.NodeID {
	switch n := n.(type) {
	case *ast.FunctionDef:
		return n.Last
	case *ast.ClassDef:
		return n.Last
	case *ast.Lambda:
		return n.Last
	}
	return 0
}

func decoratorsOf(n ast.Node) int {
	switch n := n.(type) {
	case *ast.FunctionDef:
		return len(n.Decorators)
	case *ast.ClassDef:
		return len(n.Decorators)
	}
	return 0
}

// checkLists checks comments and errors, and the order of numbers where the
// source is sound.
func checkLists(m *ast.Module) error {
	last := uint32(0)
	for _, c := range m.Comments {
		if c.Start < last || int(c.End) > len(m.Text) || m.Text[c.Start] != '#' {
			return fmt.Errorf("comment %v", c.Span)
		}
		last = c.End
	}
	for _, e := range m.Errors {
		if e.Span.Start > e.Span.End || int(e.Span.End) > len(m.Text) || e.Message == "" {
			return fmt.Errorf("error %v %q", e.Span, e.Message)
		}
	}
	if len(m.Errors) > 0 {
		return nil
	}
	starts := make([]uint32, m.NumNodes)
	ast.WalkModule(m, func(n ast.Node) bool { starts[n.NodeID()] = n.Span().Start; return true })
	for i := 2; i < len(starts); i++ {
		if starts[i] < starts[i-1] {
			return fmt.Errorf("node %d starts at %d, after node %d at %d", i, starts[i], i-1, starts[i-1])
		}
	}
	return nil
}

// FuzzParse feeds any bytes: the parser must return a well-formed tree.
func FuzzParse(f *testing.F) {
	for _, s := range oddSources {
		f.Add([]byte(s))
	}
	for _, g := range goldenFiles(f) {
		for _, file := range g.archive.Files {
			f.Add(file.Data)
		}
	}
	p := New()
	p.maxBytes = 1 << 16
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := p.Parse(context.Background(), "fuzz.py", text)
		if errors.Is(err, ErrLimit) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := checkModule(m); err != nil {
			t.Fatalf("%v\n%s", err, asttest.DumpModule(m))
		}
	})
}

// TestTreesAreWellFormed holds the standard library to the fuzzer's checks.
func TestTreesAreWellFormed(t *testing.T) {
	p := New()
	defer p.Close()
	texts, _ := corpusTexts(t)
	for i, text := range texts {
		m, err := p.Parse(context.Background(), "", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkModule(m); err != nil {
			t.Errorf("file %d: %v", i, err)
		}
	}
}
