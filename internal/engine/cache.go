package engine

import (
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/frameworks"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
)

// # What is kept between checks
//
// An editor asks again after every keystroke, and little has changed. What a
// module gives depends on its text, on which files its imports mean, and on what
// those gave in turn; so a group of modules is remembered with the memories of
// the groups that it imports, and holds as long as its texts are the same
// objects and its imports are the same memories. There is nothing to invalidate:
// a memory that does not hold is not found, and replaced.
//
// A memory has two parts. The facts are what importers need. The findings hold
// only for the rules that ran and, where a rule looked into the texts of the
// whole program, for those texts. Where the facts hold and the findings do not,
// the module is evaluated again for its findings alone, and its importers
// notice nothing.
//
// Only the last memory of a group is kept, so the cache is as large as the
// program, however long the editor runs.

// Cache keeps what checks learnt for those that follow. Several checks may use it
// at a time; all must show paths alike, absolute.
type Cache struct {
	mu       sync.Mutex
	files    map[string]scanned     // by absolute path
	memories map[string]memory      // by the absolute path of the first member
	kept     map[string]*parse.Kept // of what is open in an editor, by absolute path
	names    map[string]names       // by the absolute path of a configuration
	bases    bases
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{files: map[string]scanned{}, memories: map[string]memory{}, kept: map[string]*parse.Kept{}, names: map[string]names{}}
}

// scanned is a file with what reading it told. The text of one that does not concern
// RL is not kept: a folder may hold thousands.
type scanned struct {
	file     *source.File // nil where it is not kept
	imports  []importName
	concerns bool
	time     time.Time // of the file on the disk, zero for an editor's buffer
	size     int64
}

// memory is what a group of modules gave: facts, and findings of each member.
type memory struct {
	*evaluation
	yields []*yield // nil for a member on which no rules ran
}

// evaluation is what importers of a group rest on. It never changes: importers are
// known to rest on it by its address.
type evaluation struct {
	members []evaluated
	needs   []*evaluation
	torch   string
}

// evaluated is one module.
type evaluated struct {
	abs     string
	demands Key
	source  *pass.Source
	pkg     *types.Package
	direct  []string // files that it imports, sorted
	facts   map[reflect.Type]analysis.Fact
}

// yield is what the rules said of a module.
type yield struct {
	plan     []*analysis.Analyzer
	findings []raw
	problems []finding.Problem
	texts    *texts // of the program, where a rule looked at them
}

// texts is the set of files of a program.
type texts map[string]*source.File

// bases hands out positions: those of all files that a cache knows are apart.
type bases struct {
	mu   sync.Mutex
	next int
}

// basesOf returns what hands out positions for a check.
func basesOf(c *Cache) *bases {
	if c == nil {
		return &bases{}
	}
	return &c.bases
}

// file returns a token file for a text, which belongs to no set yet.
func (b *bases) file(f *source.File) *token.File {
	b.mu.Lock()
	base := max(b.next, 1)
	b.next = base + len(f.Text) + 1
	b.mu.Unlock()
	tf := token.NewFileSet().AddFile(f.Path, base, len(f.Text))
	tf.SetLinesForContent(f.Text)
	return tf
}

// scan looks at a file once and for all.
func scan(f *source.File) scanned {
	if l := source.LanguageOf(f.Path); l.Configures() {
		return scanned{file: f, concerns: frameworks.Concerns(l, f.Text)}
	}
	return scanned{file: f, imports: scanImports(f.Text), concerns: source.ConcernsRL(f.Text)}
}

// scan is the function scan, remembered; info describes a file of the disk.
func (c *Cache) scan(abs string, f *source.File, info fs.FileInfo) scanned {
	if c == nil {
		return scan(f)
	}
	c.mu.Lock()
	known := c.files[abs]
	c.mu.Unlock()
	if known.file == f {
		return known
	}
	s := scan(f)
	if info != nil {
		s.time, s.size = info.ModTime(), info.Size()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files[abs] = s
	return s
}

// read returns a file of the disk, if it is what was scanned before, and what the
// disk says of it now. A file that was scanned is settled: it need not be looked at.
func (c *Cache) read(abs string, settled bool) (scanned, fs.FileInfo) {
	if c == nil {
		return scanned{}, nil
	}
	c.mu.Lock()
	known := c.files[abs]
	c.mu.Unlock()
	if settled && !known.time.IsZero() {
		return known, nil
	}
	info, err := os.Stat(abs)
	if err != nil {
		return scanned{}, nil
	}
	if !known.time.IsZero() && known.size == info.Size() && known.time.Equal(info.ModTime()) {
		return known, info
	}
	return scanned{}, info
}

// keptOf returns what parses of a file leave for each other: of one that is open in an
// editor, since the others are parsed once.
func (o *Options) keptOf(abs string) *parse.Kept {
	if o.Cache == nil || o.Buffers[abs] == nil {
		return nil
	}
	o.Cache.mu.Lock()
	defer o.Cache.mu.Unlock()
	k := o.Cache.kept[abs]
	if k == nil {
		k = &parse.Kept{}
		o.Cache.kept[abs] = k
	}
	return k
}

// Prune forgets what the snapshot does not hold, and the texts that it passed over.
func (c *Cache) Prune(s *Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	gone := func(abs string) bool { return s.modules[abs] == nil }
	maps.DeleteFunc(c.files, func(abs string, _ scanned) bool { return gone(abs) })
	for abs, f := range c.files {
		if s.modules[abs].File == nil && !f.concerns {
			f.file, f.imports = nil, nil
			c.files[abs] = f
		}
	}
	maps.DeleteFunc(c.names, func(abs string, _ names) bool { return gone(abs) })
	maps.DeleteFunc(c.kept, func(abs string, _ *parse.Kept) bool { return s.options.Buffers[abs] == nil })
	maps.DeleteFunc(c.memories, func(abs string, _ memory) bool { return gone(abs) })
}

// recall finds the memory of a group whose imports are linked.
func (l *loader) recall(g *group) {
	if l.options.Cache == nil {
		return
	}
	l.options.Cache.mu.Lock()
	m := l.options.Cache.memories[g.members[0].abs]
	l.options.Cache.mu.Unlock()
	if m.evaluation == nil || m.torch != l.options.Torch || !m.holds(g) {
		return
	}
	g.known = m.evaluation
	for i, member := range g.members {
		member.pkg = m.members[i].pkg
		member.known = l.valid(m.yields[i])
	}
}

// holds reports whether the facts are those of a group.
func (e *evaluation) holds(g *group) bool {
	if len(e.members) != len(g.members) || len(e.needs) != len(g.needs) {
		return false
	}
	for i, need := range g.needs {
		if need.known != e.needs[i] {
			return false
		}
	}
	for i, m := range g.members {
		old := &e.members[i]
		if old.abs != m.abs || old.demands != m.demands || old.source.File != m.File || old.source.Name != m.Name || !slices.Equal(old.direct, m.importedFiles()) {
			return false
		}
	}
	return true
}

// valid returns a yield if the same rules would run on the same texts now.
func (l *loader) valid(y *yield) *yield {
	if y == nil || !slices.Equal(y.plan, l.options.Analyzers) || y.texts != nil && !l.sameTexts(y.texts) {
		return nil
	}
	return y
}

// sameTexts reports whether the program has these files and no others.
func (l *loader) sameTexts(t *texts) bool {
	same, asked := l.compared[t]
	if !asked {
		same = maps.Equal(*t, *l.all())
		l.compared[t] = same
	}
	return same
}

// all returns the files of the program.
func (s *Snapshot) all() *texts {
	s.textsOnce.Do(func() {
		all := texts{}
		for abs, m := range s.modules {
			if m.File != nil {
				all[abs] = m.File
			}
		}
		s.textsOf = &all // apart from the snapshot, which a yield must not keep
	})
	return s.textsOf
}

// remember keeps what a group gave, whose members are all done.
func (r *run) remember(g *group) {
	state := r.states[g]
	if r.options.Cache == nil || r.options.Peek || state.spoilt || r.ctx.Err() != nil {
		return
	}
	m := memory{evaluation: state.known}
	if m.evaluation == nil {
		if m.evaluation = r.evaluationOf(g); m.evaluation == nil {
			return
		}
		state.known = m.evaluation
	}
	for _, member := range g.members {
		m.yields = append(m.yields, r.yieldOf(member))
	}
	r.options.Cache.mu.Lock()
	defer r.options.Cache.mu.Unlock()
	r.options.Cache.memories[g.members[0].abs] = m
}

// evaluationOf returns what importers of a group rest on, nil where a part is
// missing.
func (r *run) evaluationOf(g *group) *evaluation {
	e := &evaluation{torch: r.options.Torch}
	for _, need := range g.needs {
		if r.states[need].known == nil {
			return nil
		}
		e.needs = append(e.needs, r.states[need].known)
	}
	for _, m := range g.members {
		src := r.live[m]
		if src == nil {
			return nil
		}
		src.Texts, src.Pin, src.Beside = nil, nil, nil // they are those of a program that is over
		known := evaluated{abs: m.abs, demands: m.demands, source: src, pkg: m.pkg, direct: m.importedFiles(), facts: map[reflect.Type]analysis.Fact{}}
		for a := range r.facty {
			for _, f := range a.FactTypes {
				typ := reflect.TypeOf(f)
				if fact := r.facts[factKey{m, typ}]; fact != nil {
					known.facts[typ] = fact
				}
			}
		}
		e.members = append(e.members, known)
	}
	return e
}

// yieldOf returns what the rules said of a module, to be kept.
func (r *run) yieldOf(m *module) *yield {
	y := r.yields[m]
	if y == nil || !m.asked {
		return m.known
	}
	kept := *y
	kept.plan = r.options.Analyzers
	kept.findings = slices.Clone(y.findings)
	for i := range kept.findings {
		kept.findings[i].module = nil // it would keep its whole program
	}
	return &kept
}
