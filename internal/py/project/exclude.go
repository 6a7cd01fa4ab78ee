package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// excluder matches paths against exclude patterns.
type excluder struct {
	names map[string]bool // patterns that are a plain name
	globs []string        // patterns of a name
	paths []string        // patterns of an absolute path, slash separated
}

func newExcluder(opts Options) excluder {
	patterns := opts.Exclude
	if patterns == nil {
		patterns = DefaultExclude
	}
	x := excluder{names: map[string]bool{}}
	for _, p := range slices.Concat(patterns, opts.ExtendExclude) {
		p = strings.TrimSuffix(filepath.ToSlash(p), "/")
		switch {
		case strings.Contains(p, "/"):
			if !filepath.IsAbs(filepath.FromSlash(p)) {
				p = escape(filepath.ToSlash(absolute(opts.Base))) + "/" + strings.TrimPrefix(p, "./")
			}
			x.paths = append(x.paths, p)
		case strings.ContainsAny(p, `*?[{\`):
			x.globs = append(x.globs, p)
		default:
			x.names[p] = true
		}
	}
	return x
}

// escape makes a pattern that matches exactly the given path.
func escape(path string) string {
	var b strings.Builder
	for _, c := range path {
		if strings.ContainsRune(`*?[]{}\`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// CheckPattern returns an error message for an exclude pattern that is no valid
// glob, or an empty string.
func CheckPattern(pattern string) string {
	if doublestar.ValidatePattern(pattern) {
		return ""
	}
	return "not a valid glob; close its brackets and braces, or escape them with a backslash"
}

// match reports whether an absolute path is excluded by itself. Directories
// above it count because the walk never enters them.
func (x excluder) match(abs string) bool {
	name := filepath.Base(abs)
	if x.names[name] {
		return true
	}
	for _, g := range x.globs {
		if ok, _ := doublestar.Match(g, name); ok {
			return true
		}
	}
	if len(x.paths) == 0 {
		return false
	}
	slashed := filepath.ToSlash(abs)
	for _, p := range x.paths {
		if ok, _ := doublestar.Match(p, slashed); ok {
			return true
		}
	}
	return false
}

// ignorer holds the .gitignore patterns in force in a directory, those of outer
// directories first.
type ignorer struct{ patterns []gitignore.Pattern }

// outerIgnore collects the patterns in force in the directory above dir: those
// of .git/info/exclude and of all .gitignore files from the root of its
// repository on. A pattern that ignores dir itself is dropped: the user named it.
func (d *discovery) outerIgnore(dir string) ignorer {
	var ignored ignorer
	top := repository(d.fsys, dir)
	if d.opts.NoGitignore || top == "" {
		return ignored
	}
	ignored = ignored.read(d.fsys, filepath.Join(top, ".git", "info", "exclude"), top)
	if top == dir {
		return ignored
	}
	parts := split(dir)
	for at := len(split(top)); at < len(parts); at++ {
		above := dir
		for range len(parts) - at {
			above = filepath.Dir(above)
		}
		ignored = ignored.enter(d.fsys, above)
	}
	ignored.patterns = slices.DeleteFunc(ignored.patterns, func(p gitignore.Pattern) bool {
		return p.Match(parts, true) == gitignore.Exclude
	})
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
	domain := split(dir)
	out := slices.Clip(i.patterns)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		// git negates classes with "!", filepath.Match with "^".
		out = append(out, gitignore.ParsePattern(strings.ReplaceAll(line, "[!", "[^"), domain))
	}
	return ignorer{out}
}

// match reports whether an absolute path is ignored.
func (i ignorer) match(abs string, dir bool) bool {
	return len(i.patterns) > 0 && gitignore.NewMatcher(i.patterns).Match(split(abs), dir)
}

// split returns the names of an absolute path.
func split(abs string) []string {
	return strings.FieldsFunc(filepath.ToSlash(abs), func(c rune) bool { return c == '/' })
}
