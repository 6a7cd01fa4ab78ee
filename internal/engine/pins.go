package engine

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rlvet/rlvet/internal/py/pins"
	"github.com/rlvet/rlvet/internal/py/project"
)

// # Versions
//
// What a framework does by default depends on its version, which the files beside a program
// may tell: lock files, pyproject.toml, requirements, and the environment (installed.go). They are read once a folder, and named in
// what is stored and remembered.

// demands are the files of one folder that pin packages.
type demands struct {
	names, texts []string
	installed    map[string]string // versions by package, see installed.go
	digest       Key
}

// demandsOf reads the files of folders that pin packages, each once.
type demandsOf struct {
	fsys project.FS
	mu   sync.Mutex
	dirs map[string]*demands
	// active is what the active environment holds.
	active func() *demands
}

func newDemands(fsys project.FS) *demandsOf {
	d := &demandsOf{fsys: fsys, dirs: map[string]*demands{}}
	d.active = sync.OnceValue(d.activated)
	return d
}

func (d *demandsOf) in(dir string) *demands {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.dirs[dir]; known != nil {
		return known
	}
	out := &demands{}
	d.dirs[dir] = out
	names := append([]string{}, pins.Files...)
	if entries, err := d.fsys.ReadDir(dir); err == nil {
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "requirements") && path.Ext(e.Name()) == ".txt" {
				names = append(names, e.Name())
			}
		}
	}
	h := sha256.New()
	for _, name := range names {
		if text := d.text(filepath.Join(dir, name)); text != "" {
			out.names, out.texts = append(out.names, name), append(out.texts, text)
			fmt.Fprintf(h, "%q %q", name, text)
		}
	}
	out.installed = d.installedIn(dir)
	fmt.Fprint(h, listed(out.installed))
	h.Sum(out.digest[:0])
	return out
}

// text is the content of a file, "" for none.
func (d *demandsOf) text(path string) string {
	info, err := d.fsys.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > pins.MaxFile {
		return ""
	}
	data, err := d.fsys.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

// between yields the folders from one up to another.
func between(dir, root string, yield func(string) bool) {
	for yield(dir) && dir != root && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
}

// pin returns what the files around a module say of a package: those that are nearest. own is the file
// that says it in the sources of the package itself.
func (m *module) pin(d *demandsOf) func(pkg, own string) pins.Pin {
	dir, root := filepath.Dir(m.abs), m.resolver.Root()
	return func(pkg, own string) (out pins.Pin) {
		between(dir, root, func(at string) bool {
			if text := strings.TrimSpace(d.text(filepath.Join(at, own))); own != "" && text != "" {
				out = pins.Pin{Version: text, Exact: true}
				return false
			}
			known := d.in(at)
			for i, name := range known.names {
				if out = pins.In(name, known.texts[i], pkg); out.Version != "" {
					return false
				}
			}
			return true
		})
		if out.Version == "" {
			out.Version = m.installed(d, pkg)
			out.Exact = out.Version != ""
		}
		return out
	}
}

// installed is the version of a package in the nearest environment, "" where it is not there.
func (m *module) installed(d *demandsOf, pkg string) string {
	near := map[string]string(nil)
	between(filepath.Dir(m.abs), m.resolver.Root(), func(at string) bool {
		near = d.in(at).installed
		return near == nil
	})
	if near == nil {
		near = d.active().installed
	}
	return near[normalised(pkg)]
}

// demanded names all that pin could tell of a module.
func (m *module) demanded(d *demandsOf) Key {
	h := sha256.New()
	between(filepath.Dir(m.abs), m.resolver.Root(), func(at string) bool {
		known := d.in(at)
		h.Write(known.digest[:])
		return true
	})
	h.Write(d.active().digest[:])
	return Key(h.Sum(nil))
}
