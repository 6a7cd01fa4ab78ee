package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/py/project"
)

// Coverage tells whether a check has all files of a project. What is found in a file may
// depend on others that call its functions or start from it, so of a part of the project
// nobody can say that something is found there no more.
type Coverage struct {
	resolver *Resolver
	folders  []string        // absolute, whose files are all checked
	checked  map[string]bool // absolute paths, those that links lead to among them
	known    map[string]bool // whether a project is covered, by its folder
}

// NewCoverage is that of a check of inputs, which are all that the named paths lead to.
func NewCoverage(r *Resolver, named []string, inputs []Input) *Coverage {
	c := &Coverage{resolver: r.withoutGlobs(), checked: map[string]bool{}, known: map[string]bool{}}
	for _, path := range named {
		if abs, err := filepath.Abs(path); err == nil && c.resolver == r && isDir(abs) {
			c.folders = append(c.folders, abs)
		}
	}
	for _, in := range inputs {
		if abs, err := filepath.Abs(in.Path); err == nil {
			c.checked[abs] = true
		}
		if target := paths.Linked(in.Path); target != "" {
			c.checked[target] = true
		}
	}
	return c
}

// withoutGlobs is the resolver as it is without the globs of the command line, by which a
// check of a folder may leave files out that belong to the program.
func (r *Resolver) withoutGlobs() *Resolver {
	o := &r.Override
	if o.Include == nil && o.Exclude == nil && o.ExtendExclude == nil {
		return r
	}
	out := r.Fresh()
	out.Override.Include, out.Override.ExtendInclude, out.Override.Exclude, out.Override.ExtendExclude = nil, nil, nil, nil
	return out
}

// Whole reports whether all files of an input's project are checked.
func (c *Coverage) Whole(in Input) bool {
	area := in.Settings.area()
	whole, known := c.known[area]
	if !known {
		whole = c.walked(area) || !c.lacks(area)
		c.known[area] = whole
	}
	return whole
}

// area is the folder of a project: of its settings, or of what else marks it, whichever is
// farther up.
func (s *Settings) area() string {
	area := project.Program(project.OS{}, s.project)
	if strings.HasPrefix(area, strings.TrimSuffix(s.Root, string(filepath.Separator))+string(filepath.Separator)) {
		return s.Root
	}
	return area
}

func (c *Coverage) walked(area string) bool {
	return slices.ContainsFunc(c.folders, func(folder string) bool { return filepath.IsLocal(paths.From(folder, area)) })
}

// lacks reports whether the project in a folder has a file that is not checked. The first
// one ends the walk. Where settings cannot be read, nobody knows.
func (c *Coverage) lacks(area string) bool {
	s, err := c.resolver.For(area)
	if err != nil {
		return true
	}
	o := s.walk()
	lacks := false
	o.Until = func(abs string) bool {
		s, err := c.resolver.For(abs)
		lacks = err != nil || !c.checked[abs] && !c.checked[paths.Linked(abs)] && !s.Excludes(abs) && s.includes(abs)
		return lacks
	}
	project.Discover(project.OS{}, []string{area}, o)
	return lacks
}
