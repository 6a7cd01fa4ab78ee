package engine

import (
	"context"
	"errors"
	"go/types"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/source"
)

// Snapshot is a set of files as they were when it was opened, with the modules
// that they import, in the order in which they are checked. It is immutable:
// checking it twice gives the same result.
type Snapshot struct {
	options  Options
	groups   []*group           // those that the check needs
	modules  map[string]*module // by absolute path
	problems []finding.Problem
	read     time.Duration
	skipped  int // requested files that do not concern RL
	demands  *demandsOf
	bounded  bool

	textsOnce     sync.Once
	textsOf       *texts
	digestOnce    sync.Once
	digestOf      Key
	importersOnce sync.Once
	importersOf   map[*module][]*module
	byPath        map[string][]*module // beside importersOf
}

// module is one file of the program.
type module struct {
	project.Module
	abs       string
	requested bool
	imported  bool   // by another, so that it is read whatever it holds
	asked     bool   // requested, and in focus
	known     *yield // of an earlier check
	stored    *yield // of an earlier process
	resolver  *project.Resolver
	pkg       *types.Package
	group     *group
	rank      int                // position in the order of evaluation
	direct    map[string]*module // the modules that it imports, by absolute path
	imports   []importName
	elsewhere []string // the last names of imports that lead to no file of the project
	err       error
	concerns  bool
	scripts   map[string][]byte   // the programs that a configuration goes by, see named.go
	folders   map[string][]string // the folders around a configuration, of those that were asked for
	demands   Key                 // names the files that pin packages for it
}

// group is a strongly connected component of the import graph: one module, or
// several that import each other in a circle. It is checked as a whole.
type group struct {
	members []*module
	needs   []*group // groups that it imports
	users   []*group // groups that import it
	known   *evaluation
	files   Key // names its files and those that it imports
}

// Open reads the requested files and, transitively, the modules of the project
// that they import. Paths are files, as they are to be shown; what cannot be
// read is a problem of that path. The error is the context's.
func Open(ctx context.Context, paths []string, o Options) (*Snapshot, error) {
	start := time.Now()
	l := newLoader(o)
	if err := l.request(ctx, paths); err != nil {
		return nil, err
	}
	if err := l.closure(ctx); err != nil {
		return nil, err
	}
	l.order()
	l.read = time.Since(start)
	return &l.Snapshot, nil
}

// Imported are the modules that nobody requested but that requested ones import, directly or not, as a user would write their paths.
func (s *Snapshot) Imported() []string {
	var out []string
	for _, m := range s.modules {
		if !m.requested && m.File != nil {
			out = append(out, m.Path)
		}
	}
	slices.Sort(out)
	return out
}

// around yields the paths and texts of the modules that have to do with a file: those
// that import it, directly or not, and all that these import.
func (s *Snapshot) around(path string) iter.Seq2[string, []byte] {
	return func(yield func(path string, text []byte) bool) {
		for m := range s.related(path) {
			if !yield(m.Path, m.File.Text) {
				return
			}
		}
	}
}

// related is the set of modules that around is about.
func (s *Snapshot) related(path string) map[*module]bool {
	importers := s.importers()
	users := slices.DeleteFunc(slices.Clone(s.byPath[path]), func(m *module) bool { return m.File == nil })
	users = reach(users, func(m *module) []*module { return importers[m] })
	set := map[*module]bool{}
	for _, m := range reach(users, func(m *module) []*module { return slices.Collect(maps.Values(m.direct)) }) {
		set[m] = true
	}
	return set
}

// reach returns modules and all that leads on from them.
func reach(from []*module, next func(*module) []*module) []*module {
	seen := map[*module]bool{}
	var out []*module
	for work := slices.Clone(from); len(work) > 0; {
		m := work[0]
		work = work[1:]
		if !seen[m] {
			seen[m] = true
			out = append(out, m)
			work = append(work, next(m)...)
		}
	}
	return out
}

// importers returns the modules that import each module directly.
func (s *Snapshot) importers() map[*module][]*module {
	s.importersOnce.Do(func() {
		s.importersOf, s.byPath = map[*module][]*module{}, map[string][]*module{}
		for _, m := range s.modules {
			s.byPath[m.Path] = append(s.byPath[m.Path], m)
			for _, to := range m.direct {
				s.importersOf[to] = append(s.importersOf[to], m)
			}
		}
		s.addLikely()
	})
	return s.importersOf
}

// addLikely adds the modules that import another by a name that leads nowhere here and ends as its file is called: src/agent.py may be
// installed, or laid out on another machine, as dqn.agent. What they say of it counts as said, where they stand in the folder around its own.
func (s *Snapshot) addLikely() {
	byStem := map[string][]*module{}
	for _, m := range s.modules {
		byStem[stem(m.abs)] = append(byStem[stem(m.abs)], m)
	}
	for _, m := range s.modules {
		for _, name := range m.elsewhere {
			for _, to := range byStem[name] {
				around := filepath.Dir(filepath.Dir(to.abs)) + string(filepath.Separator)
				if m.File != nil && to != m && strings.HasPrefix(m.abs, around) && !slices.Contains(s.importersOf[to], m) {
					s.importersOf[to] = append(s.importersOf[to], m)
				}
			}
		}
	}
}

func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// loader builds a Snapshot.
type loader struct {
	Snapshot
	fsys      project.FS
	overlay   map[string][]byte // by absolute path
	dir       string            // working directory
	mu        sync.Mutex
	resolvers map[string]*project.Resolver // by root
	roots     map[string]string            // by directory
	fresh     []*module                    // loaded, imports not followed yet
	compared  map[*texts]bool              // whether the program has them
	listed    sync.Map                     // names of folders by the one that they are in, see foldersIn
}

func newLoader(o Options) *loader {
	l := &loader{
		Snapshot: Snapshot{options: o, modules: map[string]*module{}},
		overlay:  map[string][]byte{}, resolvers: map[string]*project.Resolver{}, roots: map[string]string{},
		compared: map[*texts]bool{},
	}
	if o.Cache == nil {
		l.dir, _ = os.Getwd()
	}
	for path, file := range o.Buffers {
		l.overlay[path] = file.Raw
	}
	for path, text := range o.Overlay {
		l.overlay[l.absolute(path)] = text
	}
	l.fsys = project.Overlay(project.OS{}, l.overlay)
	l.demands = newDemands(l.fsys)
	return l
}

func (l *loader) absolute(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(l.dir, path)
}

// shown returns the path of a module that nobody requested as a user would
// write it.
func (l *loader) shown(abs string) string {
	rel, err := filepath.Rel(l.dir, abs)
	if err != nil || l.dir == "" || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// request loads the requested files.
func (l *loader) request(ctx context.Context, paths []string) error {
	var mods []*module
	for _, path := range slices.Sorted(slices.Values(paths)) {
		abs := l.absolute(path)
		if l.modules[abs] == nil {
			m := &module{Module: project.Module{Path: filepath.ToSlash(path)}, abs: abs, requested: true}
			m.asked = l.options.Focus == nil || l.options.Focus[m.Path]
			l.modules[abs] = m
			mods = append(mods, m)
		}
	}
	if err := l.each(ctx, mods, l.load); err != nil {
		return err
	}
	for _, m := range mods {
		switch {
		case m.err != nil && m.configures() && l.passedOver(m):
			delete(l.modules, m.abs) // data, not a configuration
		case m.err != nil:
			p := problemOf(m.Path, m.err)
			if e := (*source.Error)(nil); m.configures() && errors.As(m.err, &e) {
				p.Fatal = e.Reason < source.TooLarge // what is there, but data, was no configuration
			}
			l.problems = append(l.problems, p)
			delete(l.modules, m.abs)
		case !m.concerns && l.passedOver(m):
			l.skipped++
			m.File = nil // read again if some module imports it
		default:
			l.fresh = append(l.fresh, m)
		}
	}
	return nil
}

// configures reports whether a module is no Python, but configures runs.
func (m *module) configures() bool { return source.LanguageOf(m.abs).Configures() }

// passedOver reports whether a requested module is left out where it does not
// concern RL.
func (s *Snapshot) passedOver(m *module) bool {
	return s.options.Named != nil && !s.options.Named[m.Path]
}

// each calls f for every module, on as many goroutines as there are jobs.
func (l *loader) each(ctx context.Context, mods []*module, f func(*module)) error {
	work := make(chan *module)
	var wg sync.WaitGroup
	for range min(l.options.jobs(), len(mods)) {
		wg.Go(func() {
			for m := range work {
				f(m)
			}
		})
	}
	for _, m := range mods {
		if ctx.Err() != nil {
			break
		}
		work <- m
	}
	close(work)
	wg.Wait()
	return ctx.Err()
}

// load reads a module and finds what it imports.
func (l *loader) load(m *module) {
	s, err := l.scan(m)
	if m.err = err; err != nil || s.file == nil {
		return
	}
	m.File, m.concerns, m.imports = s.file, s.concerns, s.imports
	if m.configures() && !m.concerns && !m.imported && l.passedOver(m) {
		return
	}
	m.resolver = l.resolverFor(filepath.Dir(m.abs))
	m.demands = m.demanded(l.demands)
	if m.configures() {
		m.Name = filepath.Base(m.abs)
		if m.concerns {
			m.Imports = l.named(m)
			m.hashAround()
		}
		return
	}
	m.Name, m.IsPackage = m.resolver.ModuleName(m.abs)
}

// scan reads the file of a module, unless the cache has it.
func (l *loader) scan(m *module) (scanned, error) {
	cache := l.options.Cache
	if buffer := l.options.Buffers[m.abs]; buffer != nil {
		return cache.scan(m.abs, buffer, nil), nil
	}
	if text, ok := l.overlay[m.abs]; ok {
		file, err := source.FromBytes(m.Path, text)
		if err != nil {
			return scanned{}, err
		}
		return scan(file), nil
	}
	known, info := cache.read(m.abs, l.options.Settled && !m.imported)
	if known.file != nil || !known.time.IsZero() && !m.imported && l.passedOver(m) {
		return known, nil
	}
	file, err := source.Read(m.Path)
	if err != nil {
		return scanned{}, err
	}
	return cache.scan(m.abs, file, info), nil
}

// resolverFor returns the resolver of the project around a directory.
func (l *loader) resolverFor(dir string) *project.Resolver {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, ok := l.roots[dir]
	if !ok {
		root = project.Root(l.fsys, dir)
		l.roots[dir] = root
	}
	r := l.resolvers[root]
	if r == nil {
		r = project.NewResolver(l.fsys, root)
		l.resolvers[root] = r
	}
	return r
}

// closure loads what the loaded modules import, level by level. Which modules a
// bound leaves out depends on the set of requested ones only.
func (l *loader) closure(ctx context.Context) error {
	limit := l.options.MaxModules
	if limit == 0 {
		limit = DefaultMaxModules
	}
	limit += len(l.fresh)
	loaded := len(l.fresh)
	for len(l.fresh) > 0 {
		if err := l.each(ctx, l.fresh, l.resolveImports); err != nil {
			return err
		}
		next := l.unread(limit - loaded)
		if err := l.each(ctx, next, l.load); err != nil {
			return err
		}
		next = slices.DeleteFunc(next, func(m *module) bool { return m.err != nil })
		loaded += len(next)
		l.fresh = next
	}
	return nil
}

// unread returns the imported modules that are not loaded, at most limit.
func (l *loader) unread(limit int) []*module {
	paths := map[string]bool{}
	for _, m := range l.fresh {
		for _, in := range m.Imports {
			if known := l.modules[in.Path]; known == nil || known.File == nil && known.err == nil {
				paths[in.Path] = true
			}
		}
	}
	var out []*module
	for path := range paths {
		m := l.modules[path]
		if m == nil {
			m = &module{Module: project.Module{Path: l.shown(path)}, abs: path}
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b *module) int { return strings.Compare(a.abs, b.abs) })
	if len(out) > limit {
		out, l.bounded = out[:limit], true
	}
	for _, m := range out {
		l.modules[m.abs] = m
		m.imported = true
		if m.requested {
			l.skipped-- // it matters after all
		}
	}
	return out
}

// problemOf turns an error about a file into a problem.
func problemOf(path string, err error) finding.Problem {
	var e *source.Error
	if errors.As(err, &e) {
		return finding.Problem{File: path, Line: e.Line, Message: e.Message, Fatal: !e.Skipped()}
	}
	message := strings.TrimPrefix(err.Error(), path+": ")
	return finding.Problem{File: path, Message: message, Fatal: true}
}
