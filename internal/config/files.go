package config

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/project"
)

// Input is a file to check, with the settings that hold for it.
type Input struct {
	Path     string // as it is shown
	Settings *Settings
	Named    bool // on the command line, so it is checked whatever it holds
}

// Files is what some paths lead to.
type Files struct {
	Inputs   []Input // sorted by path, each file once
	Problems []finding.Problem
}

// Discover lists the Python files and notebooks that paths lead to. A folder is
// walked by the settings that hold for it; settings of folders within exclude
// more, but cannot bring back what is excluded above. The error is a mistake in
// a settings file; everything else is a problem of one path, and the others go
// on.
func Discover(r *Resolver, paths []string) (*Files, error) {
	out, seen := &Files{}, map[string]bool{}
	for _, p := range paths {
		s, err := r.For(p)
		if err != nil {
			return nil, err
		}
		files, problems := project.Discover(project.OS{}, []string{p}, s.walk())
		out.Problems = append(out.Problems, problems...)
		for _, file := range files {
			if err := out.add(r, file, !isDir(p), seen); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(out.Inputs, func(a, b Input) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// add adds a file with its own settings, unless those exclude it.
func (f *Files) add(r *Resolver, file string, named bool, seen map[string]bool) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return errorAt(file, "%v", err)
	}
	s, err := r.For(file)
	if err != nil {
		return err
	}
	if seen[abs] || (!named || s.ForceExclude) && s.Excludes(abs) {
		return nil
	}
	seen[abs] = true
	f.Inputs = append(f.Inputs, Input{Path: filepath.ToSlash(file), Settings: s, Named: named})
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// walk returns how the folders of these settings are walked.
func (s *Settings) walk() project.Options {
	o := project.Options{Exclude: []string{}, NoGitignore: !s.RespectGitignore, ForceExclude: s.ForceExclude}
	for _, g := range s.exclude {
		pattern := g.pattern
		if strings.Contains(pattern, "/") && !path.IsAbs(pattern) {
			pattern = literal(filepath.ToSlash(g.dir)) + "/" + pattern
		}
		o.Exclude = append(o.Exclude, pattern)
	}
	return o
}

// literal returns a glob that matches exactly this path.
func literal(path string) string {
	var b strings.Builder
	for _, c := range path {
		if strings.ContainsRune(`*?[]{}\`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Excludes reports whether the settings leave out a file or folder, given by its
// absolute path.
func (s *Settings) Excludes(abs string) bool {
	for _, g := range s.exclude {
		if g.matches(abs) {
			return true
		}
	}
	return false
}
