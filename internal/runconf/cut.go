package runconf

import (
	"bytes"
	"regexp"

	"mvdan.cc/sh/v3/syntax"
)

// # Commands that end too early
//
// What bash takes for a command of its own, though its first word is an option, was meant for the command before it.

// Cut says where a command ends before its options do.
type Cut struct {
	// At is what ends it, the backslash before an empty line; of By Nothing where the options stand that it does not get.
	At   Span
	By   Ender
	Lost []Word // what bash takes for other commands
}

// Ender is what ends a command.
type Ender uint8

// The ways in which a command ends before its options.
const (
	Nothing Ender = iota // its line has no backslash
	ByComment
	ByEmptyLine
	ByBlank  // behind the backslash
	ByReturn // a carriage return behind the backslash
)

// option is how the word begins that is no command: --key, -k, and Hydra's group.key=, +key= and ++key=.
var option = regexp.MustCompile(`^(?:--?[A-Za-z]|\+{1,2}[A-Za-z][\w.@/-]*=|[A-Za-z][\w/@-]*\.[\w.@/-]*=)`)

// takesOptionsOf notes of the command that a statement ends in that the next statement has options of it. It reports whether it has.
func (s *shell) takesOptionsOf(before, after *syntax.Stmt) bool {
	call, lost := lastCall(before), firstCall(after)
	if call == nil || lost == nil || len(lost.Args) == 0 {
		return false
	}
	words := s.words(lost.Args[0])
	if len(words) == 0 || !option.MatchString(words[0].Text) {
		return false
	}
	c := s.commandAt(s.span(call))
	if c == nil {
		return false
	}
	for _, w := range lost.Args[1:] {
		words = append(words, s.words(w)...)
	}
	if c.Cut == nil {
		c.Cut = s.ended(int(before.End().Offset()), int(lost.Pos().Offset()))
		if c.Cut.By == Nothing {
			c.Cut.At = s.span(lost.Args[0])
		}
	}
	c.Cut.Lost = append(c.Cut.Lost, words...)
	return true
}

// commandAt is the newest command at a place, nil for none.
func (s *shell) commandAt(at Span) *Command {
	for i := len(s.out.Commands) - 1; i >= 0 && i >= len(s.out.Commands)-8; i-- {
		if c := s.out.Commands[i]; c.At == at {
			return c
		}
	}
	return nil
}

// ended finds what ends a command between its last word and the options behind it, both as bytes of the text.
func (s *shell) ended(end, options int) *Cut {
	span := func(start, end int) Span { return Span{Start: s.base + start, End: s.base + end, File: s.file} }
	continued := -1 // the backslash
	tail := s.text[:end]
	quotes := bytes.HasSuffix(tail, []byte(`\ `)) || bytes.HasSuffix(tail, []byte("\\\t"))
	for at := end; at < options; {
		line := s.text[at:options]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		start := at + len(line) - len(bytes.TrimLeft(line, " \t"))
		switch text := bytes.TrimSpace(line); {
		case bytes.HasPrefix(text, []byte("#")):
			return &Cut{By: ByComment, At: span(start, start+len(text))}
		case quotes:
			return &Cut{By: ByBlank, At: span(end-2, end)}
		case string(text) == `\` && bytes.HasSuffix(line, []byte("\r")):
			return &Cut{By: ByReturn, At: span(start, start+1)}
		case string(text) == `\`:
			continued = start
		case len(text) == 0 && continued >= 0:
			return &Cut{By: ByEmptyLine, At: span(continued, continued+1)}
		}
		at += len(line) + 1
	}
	return &Cut{At: span(options, options)}
}

// lastCall is the command that a statement ends in, nil where it ends in none.
func lastCall(st *syntax.Stmt) *syntax.CallExpr {
	for depth := 0; st != nil && depth < maxDepth; depth++ {
		switch c := st.Cmd.(type) {
		case *syntax.CallExpr:
			return c
		case *syntax.BinaryCmd:
			st = c.Y
		case *syntax.TimeClause:
			st = c.Stmt
		default:
			return nil
		}
	}
	return nil
}

// firstCall is the command that a statement begins with, nil where it begins with none.
func firstCall(st *syntax.Stmt) *syntax.CallExpr {
	for depth := 0; st != nil && depth < maxDepth; depth++ {
		switch c := st.Cmd.(type) {
		case *syntax.CallExpr:
			if len(c.Assigns) > 0 {
				return nil
			}
			return c
		case *syntax.BinaryCmd:
			st = c.X
		default:
			return nil
		}
	}
	return nil
}
