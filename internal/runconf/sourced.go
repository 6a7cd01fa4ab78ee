package runconf

import (
	"path"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// # Scripts that source others
//
// A launch script names what it sources by its own folder: "$(cd "$(dirname "$0")" && pwd)/args.sh". So the
// few commands that only compute paths are understood; none is run.

// maxSources bounds the scripts that one script sources, through others too.
const maxSources = 64

// follow goes on in the script of that name, which sets variables of this one. It is false where it is not known.
func (s *shell) follow(name string) bool {
	file, text := s.around.Find(name)
	if text == nil || s.depth >= 8 || *s.sources >= maxSources {
		return false
	}
	*s.sources++
	inner := *s
	inner.text, inner.base, inner.file, inner.depth = text, 0, file, s.depth+1
	err := inner.read()
	s.vars, s.foreign, s.steps, s.spent = inner.vars, inner.foreign, inner.steps, inner.spent
	return err == nil
}

// ownPath is $0 and ${BASH_SOURCE[0]}, with a default that is not needed or without the name of the file.
func (s *shell) ownPath(p *syntax.ParamExp) (string, bool) {
	own := ""
	switch name := p.Param.Value; {
	case s.around == nil:
	case name == "0":
		own = s.around.Path
	case name == "BASH_SOURCE":
		own = s.around.Path
		if s.file != "" {
			own = s.file
		}
	}
	own = filepath.ToSlash(own)
	switch {
	case own == "":
		return "", false
	case p.Exp == nil || p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull:
		return own, true
	case p.Exp.Op == syntax.RemSmallSuffix && p.Exp.Word.Lit() == "/*":
		return path.Dir(own), true
	}
	return "", false
}

// folder is what a command substitution gives that only computes a path: dirname, realpath, "cd X && pwd". The folder in
// which the script was started is ".", since Find looks for relative paths where people start scripts.
func (s *shell) folder(c *syntax.CmdSubst) (string, bool) {
	if s.around == nil {
		return "", false
	}
	var calls []*syntax.CallExpr
	for _, st := range c.Stmts {
		if calls = appendCalls(calls, st, 0); calls == nil {
			return "", false
		}
	}
	dir, out, known := ".", "", false
	for _, call := range calls {
		words, ok := s.plain(call)
		if !ok {
			return "", false
		}
		name, last := words[0], words[len(words)-1]
		switch {
		case name == "pwd":
			out, known = dir, true
		case name == "git" && strings.Join(words, " ") == "git rev-parse --show-toplevel":
			out, known = filepath.ToSlash(s.around.Root), true
		case len(words) < 2 || strings.HasPrefix(words[1], "--relative"):
			return "", false
		case name == "cd" && path.IsAbs(last):
			dir = path.Clean(last)
		case name == "cd":
			dir = path.Join(dir, last)
		case name == "dirname":
			out, known = path.Dir(last), true
		case name == "realpath" || name == "readlink":
			out, known = path.Clean(last), true
		case name == "basename" && len(words) == 2:
			out, known = path.Base(last), true
		case name == "basename" && len(words) == 3:
			out, known = strings.TrimSuffix(path.Base(words[1]), last), true
		default:
			return "", false
		}
	}
	return out, known
}

// appendCalls adds the commands of a statement that are run one after the other; nil for any other statement.
func appendCalls(calls []*syntax.CallExpr, st *syntax.Stmt, depth int) []*syntax.CallExpr {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 && len(calls) < 8 {
			return append(calls, c)
		}
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt && depth < 8 {
			if calls = appendCalls(calls, c.X, depth+1); calls != nil {
				return appendCalls(calls, c.Y, depth+1)
			}
		}
	}
	return nil
}

// plain are the words of a command, where all are known.
func (s *shell) plain(c *syntax.CallExpr) ([]string, bool) {
	var out []string
	for _, w := range c.Args {
		for _, word := range s.words(w) {
			if !word.Known || word.Rest {
				return nil, false
			}
			out = append(out, word.Text)
		}
	}
	return out, len(out) > 0
}
