package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
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
