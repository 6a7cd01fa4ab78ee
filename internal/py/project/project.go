// Package project finds the Python files of a project and how they import each
// other.
//
// Purpose: turns the paths that a user names into files to check (Discover),
// knows which file an import means (Resolver), and orders modules so that each
// comes after those that it imports (Order).
//
// Input: a file system, through the interface FS so that an editor's unsaved
// buffers count, and Modules with their Imports. Output: paths, and modules in order.
//
// Limits: the search path is reconstructed from the layout of the folders (the
// script's own, the project's root, src, enclosing packages); sys.path changes
// at run time, installed packages and compiled modules are not seen. What does
// not resolve is external and no error.
package project

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/rlvet/rlvet/internal/source"
)

// Module is one Python file of the project.
type Module struct {
	// Name is the dotted name by which the project knows the file: its path from
	// the source root. Files share one only where Python could not tell them apart
	// either: a.py beside a.ipynb, or in the root and in src.
	Name string
	// Path is the file's path as given.
	Path string
	// IsPackage is set for __init__.py, whose name is that of its folder.
	IsPackage bool
	File      *source.File
	// Imports are the files of the project that the module imports, in source order.
	Imports []Import
}

// Import is an edge of the import graph: an import of another file of the project.
type Import struct {
	// Path is the imported file, absolute.
	Path string
	Tie  Tie
}

// Tie is how much an importer needs what it imports: where imports form a circle, looser
// ones give way. A larger one is looser.
type Tie uint8

// The ties.
const (
	// Needed is an import whose names the module uses as it runs.
	Needed Tie = iota
	// ForTypes is an import under "if TYPE_CHECKING": of names for annotations, or, in a
	// package that loads its modules when they are asked for, of all that it exports. So
	// is an import of a package by a module in it.
	ForTypes
	// Loose is an import inside a function, and that of a package on the way to a module.
	Loose
)

// markers are what the root of a project holds.
var markers = []string{"pyproject.toml", "setup.py", "setup.cfg", ".git"}

// Root returns the root of the project that a file or directory belongs to: the
// nearest directory upward with pyproject.toml, setup.py, setup.cfg or .git;
// where there is none, the directory that holds the topmost package around the
// path. The result is absolute.
func Root(fsys FS, path string) string {
	dir := absolute(path)
	if !isDir(fsys, dir) {
		dir = filepath.Dir(dir)
	}
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range markers {
			if _, err := fsys.Stat(filepath.Join(at, name)); err == nil {
				return at
			}
		}
		if filepath.Dir(at) == at {
			return abovePackage(fsys, dir)
		}
	}
}

// abovePackage climbs out of all packages that enclose a directory.
func abovePackage(fsys FS, dir string) string {
	for isFile(fsys, filepath.Join(dir, initFile)) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	return dir
}

// Program returns the folder of the program to which the files of a root belong: the root
// where something marks it, else the folder above in which a script starts the program.
func Program(fsys FS, root string) string {
	if slices.ContainsFunc(markers, func(m string) bool { _, err := fsys.Stat(filepath.Join(root, m)); return err == nil }) {
		return root
	}
	for at, n := filepath.Dir(root), 0; n < mostAbove && holdsPython(fsys, at); at, n = filepath.Dir(at), n+1 {
		root = at
	}
	return root
}

func holdsPython(fsys FS, dir string) bool {
	entries, _ := fsys.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && filepath.Ext(e.Name()) == ".py" })
}

const initFile = "__init__.py"

// absolute returns a clean absolute path; a path that cannot be made absolute
// (the working directory is gone) stays as it is.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// Relative returns a path as seen from the root of its project, with slashes:
// the same from whatever directory rlvet runs. Both are absolute.
func Relative(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}
