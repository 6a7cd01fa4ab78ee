package engine

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/frameworks"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

// # Files that configurations name
//
// A launch script sources others and names the configuration that it starts from. To the engine such files are imports: they are
// read with it, named in what is stored and remembered, and a finding may lie in them.

// named finds the files of the disk that a configuration names, as imports of it.
func (l *loader) named(m *module) (out []project.Import) {
	if known, ok := l.options.Cache.named(m, &l.options); ok {
		return known
	}
	m.scripts, m.folders = map[string][]byte{}, map[string][]string{}
	around := &runconf.Around{Path: m.abs, Root: m.resolver.Root(), Read: func(abs string) []byte {
		text := l.configuration(abs)
		if text != nil && source.LanguageOf(abs) == source.Python {
			m.scripts[abs] = text
			return text
		}
		if text != nil && abs != m.abs && !slices.ContainsFunc(out, func(in project.Import) bool { return in.Path == abs }) {
			out = append(out, project.Import{Path: abs})
		}
		return text
	}, Folders: func(dir string) []string {
		names, known := m.folders[dir]
		if !known {
			names = l.foldersIn(dir)
			m.folders[dir] = names
		}
		return names
	}}
	_, _, _ = frameworks.Read(source.LanguageOf(m.abs), m.File.Text, around) // what is wrong with it is said when its turn comes
	l.options.Cache.keepNamed(m, out)
	return out
}

// foldersIn returns the names of the folders in one, without hidden ones. All scripts of a project ask for the same.
func (l *loader) foldersIn(dir string) (names []string) {
	if known, ok := l.listed.Load(dir); ok {
		return known.([]string)
	}
	entries, _ := l.fsys.ReadDir(dir) // one that cannot be read holds nothing that is known
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	l.listed.Store(dir, names)
	return names
}

// configuration is the text of a file, nil for one that neither configures runs nor parses what does, or is too large.
func (l *loader) configuration(abs string) []byte {
	info, err := l.fsys.Stat(abs)
	if source.LanguageOf(abs) == source.Other || source.IsNotebook(abs) || err != nil || !info.Mode().IsRegular() || info.Size() > source.MaxConfigurationSize {
		return nil
	}
	raw, err := l.fsys.ReadFile(abs)
	if err != nil {
		return nil
	}
	file, err := source.FromBytes(abs, raw)
	if err != nil {
		return nil
	}
	return file.Text
}

// around is what a configuration may name among the files that were read with it.
func (s *Snapshot) aroundOf(m *module) *runconf.Around {
	if !m.configures() || m.resolver == nil {
		return nil
	}
	return &runconf.Around{Path: m.abs, Root: m.resolver.Root(), Read: func(abs string) []byte {
		if text := m.scripts[abs]; text != nil {
			return text
		}
		if other := s.modules[abs]; other != nil && other.File != nil && (other == m || m.direct[abs] != nil) {
			return other.File.Text
		}
		return nil
	}, Folders: func(dir string) []string { return m.folders[dir] }}
}

// besideOf returns what the rules on a module ask for the syntax of a file that it names.
func (r *run) besideOf(m *module) func(abs string) *pass.Source {
	return func(abs string) *pass.Source {
		r.mu.Lock()
		defer r.mu.Unlock()
		if other := m.direct[abs]; other != nil {
			return r.live[other]
		}
		return nil
	}
}

// isPart reports whether another file that is checked starts from a configuration. Then it is judged as that run has it: what
// a command overrides, or a file above it adds, is no mistake of the file alone.
func (s *Snapshot) isPart(m *module) bool {
	return m.configures() && slices.ContainsFunc(s.importers()[m], func(user *module) bool { return user.group != m.group })
}

// names is what a configuration named when it was read last.
type names struct {
	file    *source.File
	imports []project.Import
	scripts map[string][]byte
	folders map[string][]string
}

// hashAround names the programs beside a configuration, whose parsers it goes by, and the folders around it in what is stored and
// remembered of it.
func (m *module) hashAround() {
	if len(m.scripts)+len(m.folders) == 0 {
		return
	}
	h := sha256.New()
	h.Write(m.demands[:])
	for _, abs := range slices.Sorted(maps.Keys(m.scripts)) {
		fmt.Fprintf(h, "%q %q", abs, m.scripts[abs])
	}
	for _, dir := range slices.Sorted(maps.Keys(m.folders)) {
		fmt.Fprintf(h, "%q %q", dir, m.folders[dir])
	}
	h.Sum(m.demands[:0])
}

// named returns what a configuration named, if no file has changed since that may name others.
func (c *Cache) named(m *module, o *Options) ([]project.Import, bool) {
	if c == nil || !o.Settled {
		return nil, false
	}
	for path := range o.Buffers {
		if source.LanguageOf(path).Configures() {
			return nil, false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.names[m.abs]
	if ok = ok && known.file == m.File; ok {
		m.scripts, m.folders = known.scripts, known.folders
	}
	return slices.Clone(known.imports), ok
}

func (c *Cache) keepNamed(m *module, imports []project.Import) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names[m.abs] = names{m.File, slices.Clone(imports), m.scripts, m.folders}
}
