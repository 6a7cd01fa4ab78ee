package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
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

// Discover lists the Python files and notebooks that paths lead to. Folders are
// walked without following links to folders; what git ignores and what the
// settings exclude is left out. The error is a mistake in a settings file;
// everything else is a problem of one path, and the others go on.
func Discover(r *Resolver, paths []string) (*Files, error) {
	d := &discovery{resolver: r, seen: map[string]bool{}, out: &Files{}}
	for _, p := range paths {
		if err := d.path(filepath.Clean(p)); err != nil {
			return nil, err
		}
	}
	sort.SliceStable(d.out.Inputs, func(i, j int) bool { return d.out.Inputs[i].Path < d.out.Inputs[j].Path })
	return d.out, nil
}

type discovery struct {
	resolver *Resolver
	seen     map[string]bool // absolute paths
	out      *Files
}

func (d *discovery) problem(path string, fatal bool, message string) {
	d.out.Problems = append(d.out.Problems, finding.Problem{File: filepath.ToSlash(path), Message: message, Fatal: fatal})
}

// path handles one path of the command line.
func (d *discovery) path(p string) error {
	info, err := os.Stat(p)
	if err == nil && info.IsDir() {
		before := len(d.out.Inputs) + len(d.out.Problems)
		if err := d.walk(p); err != nil {
			return err
		}
		if before == len(d.out.Inputs)+len(d.out.Problems) {
			d.problem(p, false, "no Python files or notebooks here; check the path and the exclude setting")
		}
		return nil
	}
	// What is missing or no file is reported where it is read.
	s, err := d.resolver.For(p)
	if err != nil {
		return err
	}
	abs, _ := filepath.Abs(p)
	if s.ForceExclude && s.Excludes(abs) {
		return nil
	}
	d.add(p, abs, s, true)
	return nil
}

func (d *discovery) add(path, abs string, s *Settings, named bool) {
	if d.seen[abs] {
		return
	}
	d.seen[abs] = true
	d.out.Inputs = append(d.out.Inputs, Input{Path: filepath.ToSlash(path), Settings: s, Named: named})
}

// walk adds the files below a folder.
func (d *discovery) walk(root string) error {
	absRoot, err := filepath.Abs(root)
	if err != nil {
		return errorAt(root, "%v", err)
	}
	ignored := newGitignore(absRoot)
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			d.problem(path, true, "cannot be read: "+plain(err).Error()+"; change its mode or leave it out with exclude")
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		abs := filepath.Join(absRoot, rel)
		if entry.IsDir() {
			return d.enter(path, abs, root, ignored)
		}
		if !isPython(path) || !isFile(path, entry) {
			return nil
		}
		s, err := d.resolver.folder(filepath.Dir(abs))
		if err != nil {
			return err
		}
		if !s.Excludes(abs) && !(s.RespectGitignore && ignored.file(abs)) {
			d.add(path, abs, s, false)
		}
		return nil
	})
}

// enter decides whether a folder is walked.
func (d *discovery) enter(path, abs, root string, ignored *gitignore) error {
	s, err := d.resolver.folder(abs)
	if err != nil {
		return err
	}
	if path != root && (s.Excludes(abs) || s.RespectGitignore && ignored.folder(abs)) {
		return fs.SkipDir
	}
	ignored.read(abs)
	return nil
}

// isFile reports whether an entry is a regular file or a link to one. Links
// that lead nowhere are common in trees of environments and mean nothing.
func isFile(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isPython reports whether the name is that of a Python program or a notebook.
func isPython(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".py", ".pyw", ".ipynb":
		return true
	}
	return false
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

// IsMistake reports whether an error is one in settings or options.
func IsMistake(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
