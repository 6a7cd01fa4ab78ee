package project

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// # Which file an import means
//
// Python searches sys.path, which depends on how the program is started. Without
// starting it, the resolver tries in this order, and takes the first directory
// in which the whole dotted name leads to a file:
//
//  1. for a script (no __init__.py beside it), its own directory, as python does;
//     for a module of a package, the directory that holds the topmost package;
//  2. the source roots: those that the settings name, src, the project's root;
//  3. for names that are neither the standard library nor one of the libraries that
//     RL programs import, the module's own directory and the ones above it up to the
//     root. That is for files of a package which are run as scripts and for programs
//     that extend sys.path by a parent directory. A package that has a folder torch
//     of its own means the library all the same;
//  4. the folders around the module that bear the first name: of a project without a
//     mark of its root (a zip archive, say) the folder of the file is the root, but
//     "from src.model import Net" in src/train.py means the file beside it;
//  5. of such a project, the folders next above: "from nets.policy import Net" in algo/ppo.py means
//     nets/policy.py beside algo. A single name, as "import policy", is sought there only where a script stands
//     beside what is found.
//
// In a directory, a package (a folder with __init__.py) wins over a module of
// the same name, and both over a folder without __init__.py, which has no file
// of its own but may hold submodules.

// Resolver finds the files that imports mean. It reads directories when first
// asked for them, remembers what it saw, and may be used by several goroutines.
type Resolver struct {
	fsys  FS
	root  string
	roots []string // source roots, longest first for names

	mu    sync.Mutex
	dirs  map[string]map[string]bool // directory -> name -> is a directory
	bases map[string]searchPath      // by directory of the importing file

	folders sync.Map // path -> absolute directory
	answers sync.Map // question -> answer: the files of a folder import the same names
}

// question is an import as seen from a folder.
type question struct {
	dir    string
	level  int
	dotted string
}

type answer struct {
	path string
	ok   bool
}

// searchPath lists the directories in which an absolute import is sought.
type searchPath struct{ strong, weak []string }

// NewResolver returns a resolver for the project at root. src are further source
// roots, relative to it; root/src is one where it exists and is no package.
func NewResolver(fsys FS, root string, src ...string) *Resolver {
	r := &Resolver{
		fsys: fsys, root: absolute(root),
		dirs: map[string]map[string]bool{}, bases: map[string]searchPath{},
	}
	for _, s := range src {
		if !filepath.IsAbs(s) {
			s = filepath.Join(r.root, s)
		}
		r.roots = append(r.roots, filepath.Clean(s))
	}
	if s := filepath.Join(r.root, "src"); r.isDir(r.root, "src") && !r.isFile(s, initFile) {
		r.roots = append(r.roots, s)
	}
	r.roots = compact(append(r.roots, r.root))
	return r
}

// Root returns the project's root.
func (r *Resolver) Root() string { return r.root }

// ModuleName returns the dotted name of a file and whether it is a package's
// __init__.py. The name is the path from the innermost source root around it, not
// from where the file's own imports start: two scripts called train.py in folders
// of one project have different names.
func (r *Resolver) ModuleName(path string) (name string, isPackage bool) {
	abs := absolute(path)
	dir, file := filepath.Split(abs)
	dir = filepath.Clean(dir)
	base := ""
	for _, root := range r.roots {
		if within(root, dir) && len(root) > len(base) {
			base = root
		}
	}
	var parts []string
	if base != "" && dir != base {
		rel, _ := filepath.Rel(base, dir)
		parts = split(rel)
	}
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	if stem != "__init__" {
		return strings.Join(append(parts, stem), "."), false
	}
	if len(parts) == 0 {
		parts = []string{filepath.Base(dir)}
	}
	return strings.Join(parts, "."), true
}

// Resolve returns the absolute path of the file that an import in from means:
// "import dotted" and "from dotted import ..." with level 0, else with that many
// dots in front. It is false for what lies outside the project and for folders
// without __init__.py.
func (r *Resolver) Resolve(from *Module, level int, dotted string) (path string, ok bool) {
	q := question{r.folder(from.Path), level, dotted}
	if a, ok := r.answers.Load(q); ok {
		return a.(answer).path, a.(answer).ok
	}
	path, ok = r.resolve(q.dir, level, splitDots(dotted))
	r.answers.Store(q, answer{path, ok})
	return path, ok
}

// folder returns the absolute directory of a file.
func (r *Resolver) folder(path string) string {
	if dir, ok := r.folders.Load(path); ok {
		return dir.(string)
	}
	dir := filepath.Dir(absolute(path))
	r.folders.Store(path, dir)
	return dir
}

// resolve looks for the file.
func (r *Resolver) resolve(dir string, level int, parts []string) (path string, ok bool) {
	if level > 0 {
		for range level - 1 {
			dir = filepath.Dir(dir)
		}
		return r.find(dir, parts)
	}
	if len(parts) == 0 {
		return "", false
	}
	search := r.search(dir)
	for _, base := range search.strong {
		if path, ok := r.find(base, parts); ok {
			return path, true
		}
	}
	if isStdlib(parts[0]) || isLibrary(parts[0]) {
		return "", false
	}
	for _, base := range search.weak {
		if path, ok := r.find(base, parts); ok {
			return path, true
		}
	}
	if path, ok := r.around(dir, parts); ok {
		return path, true
	}
	return r.above(parts)
}

// mostAbove bounds how far above a root without a mark the start of its program is sought: farther up lies what others have.
const mostAbove = 2

// above looks for the file in the folders next above a root that no mark shows to be one. A script beside what is
// found starts the program, and Python searches its folder; a name of several parts is found by no chance.
func (r *Resolver) above(parts []string) (path string, ok bool) {
	names := r.list(r.root)
	if slices.ContainsFunc(markers, func(m string) bool { _, has := names[m]; return has }) {
		return "", false
	}
	at := r.root
	for range mostAbove {
		at = filepath.Dir(at)
		if path, ok = r.find(at, parts); ok {
			return path, len(parts) > 1 || r.holdsScript(at, path)
		}
	}
	return "", false
}

// holdsScript reports whether a Python file stands in a folder besides one.
func (r *Resolver) holdsScript(dir, besides string) bool {
	for name, isDir := range r.list(dir) {
		if !isDir && filepath.Ext(name) == ".py" && filepath.Join(dir, name) != besides {
			return true
		}
	}
	return false
}

// around looks for the file in the folders that enclose dir and bear the first name.
func (r *Resolver) around(dir string, parts []string) (path string, ok bool) {
	for at := dir; len(parts) > 1; at = filepath.Dir(at) {
		if filepath.Base(at) == parts[0] {
			if path, ok = r.find(at, parts[1:]); ok {
				return path, true
			}
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return "", false
}

// search returns the search path of the files in a directory.
func (r *Resolver) search(dir string) searchPath {
	r.mu.Lock()
	s, ok := r.bases[dir]
	r.mu.Unlock()
	if ok {
		return s
	}
	top := dir
	for r.isFile(top, initFile) && filepath.Dir(top) != top {
		top = filepath.Dir(top)
	}
	s.strong = compact(append([]string{top}, r.roots...))
	for at := dir; within(r.root, at); at = filepath.Dir(at) {
		if !slices.Contains(s.strong, at) {
			s.weak = append(s.weak, at)
		}
		if at == r.root {
			break
		}
	}
	r.mu.Lock()
	r.bases[dir] = s
	r.mu.Unlock()
	return s
}

// find follows a dotted name from a directory to a file.
func (r *Resolver) find(dir string, parts []string) (string, bool) {
	for i, part := range parts {
		isDir, isModule := r.isDir(dir, part), r.isFile(dir, part+".py")
		if !isDir && !isModule {
			return "", false
		}
		next := filepath.Join(dir, part)
		isPackage := isDir && r.isFile(next, initFile)
		switch last := i == len(parts)-1; {
		case last && !isPackage && isModule:
			return next + ".py", true
		case !isPackage && (last || isModule):
			return "", false
		}
		dir = next
	}
	if r.isFile(dir, initFile) {
		return filepath.Join(dir, initFile), true
	}
	return "", false
}

// list returns the names in a directory, and which are directories; one that is
// missing or cannot be read has none. Below the root the listing of the parent tells
// what is missing, so that each directory is read once.
func (r *Resolver) list(dir string) map[string]bool {
	r.mu.Lock()
	names, ok := r.dirs[dir]
	r.mu.Unlock()
	if ok {
		return names
	}
	if dir == r.root || !within(r.root, dir) || r.isDir(filepath.Split(dir)) {
		names = r.read(dir)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirs[dir] = names
	return names
}

// read reads a directory.
func (r *Resolver) read(dir string) map[string]bool {
	entries, _ := r.fsys.ReadDir(dir)
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		directory := e.IsDir()
		if !directory && !e.Type().IsRegular() {
			directory = isDir(r.fsys, filepath.Join(dir, e.Name()))
		}
		names[e.Name()] = directory
	}
	return names
}

func (r *Resolver) isFile(dir, name string) bool {
	directory, ok := r.list(dir)[name]
	return ok && !directory
}

func (r *Resolver) isDir(dir, name string) bool { return r.list(filepath.Clean(dir))[name] }

// within reports whether an absolute path is dir or lies below it.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

func splitDots(dotted string) []string {
	if dotted == "" {
		return nil
	}
	return strings.Split(dotted, ".")
}

// compact removes repetitions, keeping first occurrences.
func compact(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
