package project

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// DefaultExclude names what is never worth checking, as in ruff: environments,
// caches, what builds leave behind.
var DefaultExclude = []string{
	".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache",
	".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".rlvet_cache", ".svn", ".tox", ".venv",
	".vscode", "__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules",
	"site-packages", "venv",
}

// Options say what Discover leaves out.
type Options struct {
	// Exclude are patterns of files and directories: without a slash of a name at
	// any depth, else of a path from Base ("**" over any number of directories).
	// Nil means DefaultExclude.
	Exclude []string
	// ExtendExclude are patterns in addition to Exclude.
	ExtendExclude []string
	// Base is the directory that patterns with a slash start from; empty means
	// the working directory.
	Base string
	// NoGitignore lets .gitignore files count for nothing.
	NoGitignore bool
	// ForceExclude applies the patterns to files that are named explicitly too.
	ForceExclude bool
	// Until is told the absolute path of each file that is found, and ends the walk when it
	// returns true. Nil walks to the end.
	Until func(abs string) bool
}

// Discover returns the Python files and notebooks, and the files that may configure a run, under the given paths, sorted
// and each once, in the form in which the path was given (relative ones stay so).
// A file that is named explicitly is always among them. What is missing or
// cannot be read is a problem; the other paths count all the same.
//
// Links to files are followed, links to directories are not unless named
// explicitly: so no loop is walked and no file is found twice that way.
func Discover(fsys FS, paths []string, opts Options) (files []string, problems []finding.Problem) {
	d := &discovery{fsys: fsys, exclude: newExcluder(opts), opts: opts, seen: map[string]bool{}}
	for _, path := range paths {
		d.named(filepath.Clean(path))
	}
	slices.Sort(d.files)
	slices.SortFunc(d.problems, func(a, b finding.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Message, b.Message))
	})
	return d.files, slices.Compact(d.problems)
}

type discovery struct {
	fsys     FS
	exclude  excluder
	opts     Options
	seen     map[string]bool // absolute paths of the files found
	files    []string
	problems []finding.Problem
	over     bool // Until was satisfied
}

// named takes in a path that the user gave.
func (d *discovery) named(path string) {
	info, err := d.fsys.Stat(path)
	abs := absolute(path)
	switch {
	case err != nil:
		d.fail(path, err)
	case !info.IsDir():
		if !d.opts.ForceExclude || !d.exclude.match(abs) {
			d.add(path, abs)
		}
	default:
		before, failed := len(d.seen), len(d.problems)
		d.walk(path, abs, d.outerIgnore(abs))
		if len(d.seen) == before && len(d.problems) == failed && !d.holdsSeen(abs) {
			d.problems = append(d.problems, finding.Problem{
				File:    path,
				Message: "no Python files here, and no .yaml, .toml, .json or .sh; name a directory that holds some, or check exclude and .gitignore",
			})
		}
	}
}

// holdsSeen reports whether a file below a directory was found before.
func (d *discovery) holdsSeen(dir string) bool {
	for path := range d.seen {
		if strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

func (d *discovery) add(path, abs string) {
	if !d.seen[abs] {
		d.seen[abs] = true
		d.files = append(d.files, path)
		d.over = d.over || d.opts.Until != nil && d.opts.Until(abs)
	}
}

// walk takes in a directory, by its path as given and absolute, and all below it.
func (d *discovery) walk(dir, absDir string, ignored ignorer) {
	entries, err := d.fsys.ReadDir(dir)
	if err != nil {
		d.fail(dir, err)
		return
	}
	if !d.opts.NoGitignore {
		ignored = ignored.enter(d.fsys, absDir)
	}
	for _, e := range entries {
		if d.over {
			return
		}
		if !e.IsDir() && (source.LanguageOf(e.Name()) == source.Other || source.OfTools(e.Name()) || strings.HasPrefix(e.Name(), ".#")) {
			continue // .#train.py is a link to nowhere by which Emacs locks train.py
		}
		abs := filepath.Join(absDir, e.Name())
		if d.exclude.match(abs) || ignored.match(abs, e.IsDir()) {
			continue
		}
		d.entry(filepath.Join(dir, e.Name()), abs, e, ignored)
	}
}

// entry takes in what a directory holds.
func (d *discovery) entry(path, abs string, e fs.DirEntry, ignored ignorer) {
	switch {
	case e.IsDir():
		d.walk(path, abs, ignored)
	case e.Type()&fs.ModeSymlink == 0:
		d.add(path, abs)
	default:
		info, err := d.fsys.Stat(path)
		if err != nil {
			d.fail(path, err)
		} else if !info.IsDir() {
			d.add(path, abs)
		}
	}
}

// Misspelt returns what lies in the folder of a path that does not exist and has almost its
// name, or "".
func Misspelt(fsys FS, path string) string {
	dir, name := filepath.Split(path)
	entries, err := fsys.ReadDir(filepath.Clean(dir))
	if err != nil || name == "" {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near := words.Misspelt(name, names); near != "" && near != name {
		return dir + near
	}
	return ""
}

// fail notes why a path cannot be checked.
func (d *discovery) fail(path string, err error) {
	message := source.Cause(err).Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		message = "no such file or directory; check the spelling (or is it a broken link?)"
		if near := Misspelt(d.fsys, path); near != "" {
			message = "no such file or directory; did you mean " + near + "?"
		}
	case errors.Is(err, fs.ErrPermission):
		message = "permission denied; make it readable, or exclude it"
	default:
		message += "; fix the path, or exclude it"
	}
	d.problems = append(d.problems, finding.Problem{File: path, Message: message, Fatal: true})
}
