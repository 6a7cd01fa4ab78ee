package config

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is a pattern of a settings file. Without a slash it matches names at any
// depth, else paths below the file's folder; a folder that matches covers what
// is in it. A leading ! turns it round.
type glob struct {
	dir, pattern string
	negated      bool
}

func newGlob(dir, pattern string) glob {
	rest, negated := strings.CutPrefix(pattern, "!")
	rest = strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(rest), "./"), "/")
	return glob{dir, rest, negated}
}

func globs(dir string, patterns []string) []glob {
	var out []glob
	for _, p := range patterns {
		out = append(out, newGlob(dir, p))
	}
	return out
}

// matches reports whether the glob covers a file or folder given by its absolute
// path.
func (g glob) matches(abs string) bool {
	return g.covers(filepath.ToSlash(abs)) != g.negated
}

func (g glob) covers(abs string) bool {
	dir := strings.TrimSuffix(filepath.ToSlash(g.dir), "/") + "/"
	rel, inside := strings.CutPrefix(abs, dir)
	if !inside {
		rel = strings.TrimPrefix(abs, "/")
	}
	for p := rel; p != "." && p != "/" && p != ""; p = path.Dir(p) {
		if doublestar.MatchUnvalidated(g.pattern, path.Base(p)) && !strings.Contains(g.pattern, "/") {
			return true
		}
		if inside && doublestar.MatchUnvalidated(g.pattern, p) {
			return true
		}
		if path.IsAbs(g.pattern) && doublestar.MatchUnvalidated(g.pattern, dir+p) {
			return true
		}
	}
	return false
}

// checkGlobs reports the first pattern of a layer that is not a glob.
func checkGlobs(l *Layer) error {
	check := func(key, pattern string) error {
		negated := !strings.HasSuffix(key, "per-file-ignores") && strings.HasPrefix(pattern, "!")
		if pattern == "" || negated || !doublestar.ValidatePattern(strings.TrimPrefix(pattern, "!")) {
			return errorAt(l.at(key), "%q is not a glob: it is empty, starts with !, or has a bracket or brace that is not closed", pattern)
		}
		return nil
	}
	for key, patterns := range globLists(&l.Values) {
		for _, p := range patterns {
			if err := check(key, p); err != nil {
				return err
			}
		}
	}
	for key, table := range ignoreTables(&l.Values) {
		for p := range table {
			if err := check(key, p); err != nil {
				return err
			}
		}
	}
	return nil
}
