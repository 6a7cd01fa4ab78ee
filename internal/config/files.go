package config

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/paths"
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
	Inputs   []Input // sorted by path, each file once, whatever links lead to it
	Problems []finding.Problem
}

// Discover lists the files to check that paths lead to. A folder is
// walked by the settings that hold for it; settings of folders within exclude
// more, but cannot bring back what is excluded above. The error is a mistake in
// a settings file; everything else is a problem of one path, and the others go
// on.
func Discover(r *Resolver, paths []string) (*Files, error) {
	out, seen := &Files{}, map[string]int{}
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
	out.Inputs = withoutLinks(out.Inputs)
	return out, nil
}

// withoutLinks leaves out links to files that are among the inputs themselves,
// or by another link: a finding would be said twice, and fixed twice.
func withoutLinks(inputs []Input) []Input {
	dirs := map[string]string{}
	owner := map[string]int{} // index of the input by the path without links
	targets := make([]string, len(inputs))
	for i, in := range inputs {
		if targets[i] = paths.Linked(in.Path); targets[i] == "" {
			owner[unlinked(in.Path, dirs)] = i
		}
	}
	var out []Input
	for i, in := range inputs {
		if targets[i] == "" {
			continue
		}
		if k, ok := owner[targets[i]]; ok {
			inputs[k].Named = inputs[k].Named || in.Named
			inputs[i].Path = ""
		} else {
			owner[targets[i]] = i
		}
	}
	for _, in := range inputs {
		if in.Path != "" {
			out = append(out, in)
		}
	}
	return out
}

// unlinked returns the path of a file, itself no link, without links above it.
func unlinked(path string, dirs map[string]string) string {
	dir, name := filepath.Split(path)
	real, ok := dirs[dir]
	if !ok {
		var err error
		if real, err = paths.Real(dir); err != nil {
			real = dir
		}
		dirs[dir] = real
	}
	return filepath.Join(real, name)
}

// add adds a file with its own settings, unless those exclude it.
func (f *Files) add(r *Resolver, file string, named bool, seen map[string]int) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return errorAt(file, "%v", err)
	}
	s, err := r.For(file)
	if err != nil {
		return err
	}
	path := filepath.ToSlash(file)
	if at, ok := seen[abs]; ok { // the order of the paths must not matter
		f.Inputs[at].Named = f.Inputs[at].Named || named
		f.Inputs[at].Path = min(f.Inputs[at].Path, path)
		return nil
	}
	if (!named || s.ForceExclude) && s.Excludes(abs) || !named && !s.includes(abs) {
		return nil
	}
	seen[abs] = len(f.Inputs)
	f.Inputs = append(f.Inputs, Input{Path: path, Settings: s, Named: named})
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

// includes reports whether a file, given by its absolute path, is one of those that are checked where they are found.
func (s *Settings) includes(abs string) bool {
	return s.include == nil || slices.ContainsFunc(s.include, func(g glob) bool { return g.matches(abs) })
}
