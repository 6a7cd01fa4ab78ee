package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignorer holds the .gitignore patterns in force in a directory, those of outer
// directories first: the last that matches decides.
type ignorer struct{ patterns []ignorePattern }

// ignorePattern is one line of a .gitignore.
type ignorePattern struct {
	dir     string // absolute and slash separated, with a slash at the end: the pattern holds below
	glob    string // of the path below dir where anchored, else of the name
	anchor  bool
	negated bool
	dirOnly bool
}

// parseIgnore reads one line; ok is false for comments and blank lines.
func parseIgnore(line, dir string) (p ignorePattern, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anchor = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	// What comes inside a directory is all below it, but not itself.
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	p.glob = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(line)
	p.dir = strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/"
	return p, true
}

// match reports whether the pattern fits an absolute, slash separated path itself,
// not one of the directories above it.
func (p *ignorePattern) match(path string, dir bool) bool {
	below, ok := strings.CutPrefix(path, p.dir)
	if !ok || p.dirOnly && !dir {
		return false
	}
	if !p.anchor {
		below = below[strings.LastIndexByte(below, '/')+1:]
	}
	matched, _ := doublestar.Match(p.glob, below)
	return matched
}

// outerIgnore collects the patterns in force in the directory above dir: those
// of .git/info/exclude and of all .gitignore files from the root of its
// repository on.
func (d *discovery) outerIgnore(dir string) ignorer {
	var ignored ignorer
	top := repository(d.fsys, dir)
	if d.opts.NoGitignore || top == "" {
		return ignored
	}
	ignored = ignored.read(d.fsys, filepath.Join(top, ".git", "info", "exclude"), top)
	var above []string
	for at := dir; at != top; at = filepath.Dir(at) {
		above = append(above, filepath.Dir(at))
	}
	for _, at := range slices.Backward(above) {
		ignored = ignored.enter(d.fsys, at)
	}
	return ignored
}

// repository returns the nearest directory upward that holds .git, or "".
func repository(fsys FS, dir string) string {
	for {
		if _, err := fsys.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// enter adds the patterns of a directory's .gitignore.
func (i ignorer) enter(fsys FS, dir string) ignorer {
	return i.read(fsys, filepath.Join(dir, ".gitignore"), dir)
}

// read adds the patterns of a file, which hold below dir.
func (i ignorer) read(fsys FS, file, dir string) ignorer {
	data, err := fsys.ReadFile(file)
	if err != nil {
		return i
	}
	out := slices.Clip(i.patterns)
	for line := range strings.Lines(string(data)) {
		if p, ok := parseIgnore(line, dir); ok {
			out = append(out, p)
		}
	}
	return ignorer{out}
}

// match reports whether an absolute path is ignored by itself. Directories above
// it count because the walk does not enter ignored ones.
func (i ignorer) match(abs string, dir bool) bool {
	if len(i.patterns) == 0 {
		return false
	}
	path := filepath.ToSlash(abs)
	for k := range slices.Backward(i.patterns) {
		if p := &i.patterns[k]; p.match(path, dir) {
			return !p.negated
		}
	}
	return false
}

// split returns the names of a relative path.
func split(path string) []string {
	return strings.FieldsFunc(filepath.ToSlash(path), func(c rune) bool { return c == '/' })
}
