package runconf

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Comment is a comment of a shell script. Rows count from 1.
type Comment struct {
	Start, End int // bytes, '#' included, line end not
	Row        int
	// OwnLine says that nothing stands before it on its line. First and Last are then the rows of the
	// command below it, where that is one without commands in it; else both are 0.
	OwnLine     bool
	First, Last int
}

// rows are the first and the last row of a command.
type rows struct{ first, last int }

// Comments returns the comments of a script in their order; ok is false of one that bash does not
// read.
func Comments(text []byte) (out []Comment, ok bool) {
	file, ok := readBash(text)
	if !ok {
		return nil, false
	}
	commands := map[int]rows{} // the outermost, by their first rows
	for _, c := range plainCommands(file) {
		if _, outer := commands[c.first]; !outer {
			commands[c.first] = c
		}
	}
	below := below(text)
	syntax.Walk(file, func(n syntax.Node) bool {
		if comment, is := n.(*syntax.Comment); is {
			start, row := int(comment.Pos().Offset()), int(comment.Pos().Line())
			c := Comment{Start: start, End: start + len(bytes.TrimRight(text[start:int(comment.End().Offset())], " \t\r")), Row: row}
			before := text[bytes.LastIndexByte(text[:start], '\n')+1 : start]
			if c.OwnLine = len(bytes.TrimSpace(before)) == 0; c.OwnLine {
				command := commands[below[row]]
				c.First, c.Last = command.first, command.last
			}
			out = append(out, c)
		}
		return true
	})
	slices.SortFunc(out, func(a, b Comment) int { return cmp.Compare(a.Start, b.Start) })
	return out, true
}

// below is, for each row, the next one that holds more than a comment; 0 for none.
func below(text []byte) []int {
	lines := bytes.Split(text, []byte{'\n'})
	out := make([]int, len(lines)+2)
	for row := len(lines) - 1; row > 0; row-- {
		next := bytes.TrimSpace(lines[row]) // the line of row+1
		if out[row] = row + 1; len(next) == 0 || next[0] == '#' {
			out[row] = out[row+1]
		}
	}
	return out
}

// CommandsAt returns the rows of the commands that a row lies in, the outermost first, of those that hold
// no blocks: what a comment above their first row is about.
func CommandsAt(text []byte, row int) (out [][2]int) {
	file, ok := readBash(text)
	if !ok {
		return nil
	}
	for _, c := range plainCommands(file) {
		if c.first <= row && row <= c.last {
			out = append(out, [2]int{c.first, c.last})
		}
	}
	return out
}

// Readable reports whether bash reads a script.
func Readable(text []byte) bool {
	_, ok := readBash(text)
	return ok
}

// SameCommands reports whether two scripts differ in comments and blanks alone; false where bash does not
// read one of them.
func SameCommands(a, b []byte) bool {
	x, ok := printed(a)
	y, okToo := printed(b)
	return ok && okToo && x == y
}

func printed(text []byte) (string, bool) {
	file, ok := readBash(text)
	if !ok {
		return "", false
	}
	var b strings.Builder
	err := syntax.NewPrinter(syntax.Minify(true)).Print(&b, file)
	return b.String(), err == nil
}

// plainCommands are the statements without blocks in them, outer ones first: those of a command whose
// output a statement takes do not count.
func plainCommands(file *syntax.File) (out []rows) {
	type open struct {
		node  syntax.Node
		block bool
	}
	var stack []open
	syntax.Walk(file, func(n syntax.Node) bool {
		if n != nil {
			stack = append(stack, open{node: n})
			return true
		}
		last := len(stack) - 1
		done := stack[last]
		stack = stack[:last]
		switch node := done.node.(type) {
		case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.FuncDecl, *syntax.Block, *syntax.Subshell, *syntax.CoprocClause:
			done.block = true
		case *syntax.CmdSubst, *syntax.ProcSubst:
			done.block = false
		case *syntax.Stmt:
			if !done.block {
				out = append(out, rows{int(node.Pos().Line()), int(node.End().Line())})
			}
		}
		if last > 0 {
			stack[last-1].block = stack[last-1].block || done.block
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b rows) int { return cmp.Or(cmp.Compare(a.first, b.first), -cmp.Compare(a.last, b.last)) })
	return out
}

// readBash parses a script.
func readBash(text []byte) (*syntax.File, bool) {
	if nestsTooDeep(text) {
		return nil, false
	}
	file, err := parseBash(text)
	return file, err == nil
}
