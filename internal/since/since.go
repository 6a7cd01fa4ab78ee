// Package since tells which lines of files are new since a commit of git.
//
// Input is a folder, the name of a commit, and files as they are now: on the
// disk, staged or not, tracked or not, or in memory. Output is a set of rows of
// each file's text. The base is the last commit that both HEAD and the named one
// have, so that what others did there meanwhile counts for nothing. A file that
// was renamed keeps its old lines; one that the base does not have, or that lies
// outside the repository, is new as a whole. Notebooks are compared as programs:
// their outputs are no lines.
//
// Limits: the program git is run, for reading only. A submodule is compared with the commit
// of it that the base names; where a shallow clone lacks that commit, its files are new.
package since

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/source"
)

// Base is the state of a repository with which files are compared.
type Base struct {
	git    git
	root   string            // of the working tree, without links
	blobs  map[string]string // the files of the commit: object by path
	links  map[string]string // its submodules: commit by path
	within map[string]*Base  // of submodules that were asked for; nil where it is not known
}

// Open finds the repository that a folder lies in, and the base for a commit, named
// as git names them. The error is one line.
func Open(ctx context.Context, dir, name string) (*Base, error) {
	g := git{ctx, dir, false}
	root, err := g.line("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, noRepository(dir, err)
	}
	commit, err := g.mergeBase(name)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	return git{ctx, root, false}.base(root, commit)
}

// submodule returns the path of the submodule in which a file lies, "" for none.
func (b *Base) submodule(name string) string {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if b.links[at] != "" {
			return at
		}
	}
	return ""
}

// inside is the base of a submodule: the commit of it that this one names. It is nil where
// that is not at hand, as in a shallow clone.
func (b *Base) inside(ctx context.Context, link string) *Base {
	if in, known := b.within[link]; known {
		return in
	}
	root := filepath.Join(b.root, filepath.FromSlash(link))
	g := git{ctx, root, true}
	b.within[link] = nil
	if top, err := g.line("rev-parse", "--show-toplevel"); err != nil || filepath.Clean(filepath.FromSlash(top)) != root {
		return nil // a folder without a repository of its own
	}
	if in, err := g.base(root, b.links[link]); err == nil {
		b.within[link] = in
	}
	return b.within[link]
}

func noRepository(dir string, err error) error {
	if text := err.Error(); !strings.Contains(text, "not a git repository") {
		return err // no git at all, or a folder of somebody else, which git explains
	}
	return fmt.Errorf("%s is in no git repository; run rlvet inside one, or drop --new-from", dir)
}

// mergeBase returns the last commit that HEAD has in common with the named one.
func (g git) mergeBase(name string) (string, error) {
	commit, err := g.line("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", g.shallow(fmt.Sprintf("git knows no commit %q", name), "`git branch --all` lists the branches")
	}
	base, err := g.line("merge-base", "HEAD", commit)
	if err != nil || base == "" {
		return "", g.shallow(fmt.Sprintf("HEAD and %q have no commit in common", name), "name a commit from which HEAD was made")
	}
	return base, nil
}

// shallow explains what is missing: in a shallow clone it is the history.
func (g git) shallow(what, otherwise string) error {
	if is, err := g.line("rev-parse", "--is-shallow-repository"); err == nil && is == "true" {
		otherwise = "this clone is shallow: run `git fetch --unshallow`, or set fetch-depth: 0 of actions/checkout"
	}
	return fmt.Errorf("%s; %s", what, otherwise)
}

// name returns the path of a file in the repository, with slashes; false where it
// lies outside.
func (b *Base) name(shown string) (string, bool) {
	abs, err := filepath.Abs(shown)
	if err != nil {
		return "", false
	}
	dir, file := filepath.Split(abs)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(b.root, filepath.Join(dir, file))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// gone lists the files of the base that could be checked and that are no longer there: what may have
// been renamed.
func (b *Base) gone() []string {
	var out []string
	for name := range b.blobs {
		if source.LanguageOf(name) == source.Other {
			continue
		}
		if _, err := os.Lstat(filepath.Join(b.root, filepath.FromSlash(name))); errors.Is(err, os.ErrNotExist) {
			out = append(out, name)
		}
	}
	return out
}

// Rows returns for each file, by its path, which rows of its text are new. The files
// are as they are now.
func (b *Base) Rows(ctx context.Context, files []*source.File) (map[string]Rows, error) {
	out := map[string]Rows{}
	now, then := map[string]string{}, map[string]string{}
	paths := map[string]string{} // as given, by name
	inner := map[string][]*source.File{}
	for _, f := range files {
		out[f.Path] = Rows{all: true}
		if name, ok := b.name(f.Path); ok && b.submodule(name) != "" {
			inner[b.submodule(name)] = append(inner[b.submodule(name)], f)
		} else if ok {
			now[name], paths[name] = lines(f), f.Path
		}
	}
	if err := b.submodules(ctx, inner, out); err != nil {
		return nil, err
	}
	if err := b.old(ctx, now, then); err != nil {
		return nil, err
	}
	fresh, err := compare(ctx, then, now)
	for name, rows := range fresh {
		out[paths[name]] = rows
	}
	return out, err
}

// submodules adds the new rows of files in submodules.
func (b *Base) submodules(ctx context.Context, files map[string][]*source.File, out map[string]Rows) error {
	for link, list := range files {
		in := b.inside(ctx, link)
		if in == nil {
			continue
		}
		rows, err := in.Rows(ctx, list)
		if err != nil {
			return err
		}
		maps.Copy(out, rows)
	}
	return nil
}

// old fills in the texts that the files had, and those of files that are gone where
// some file is new.
func (b *Base) old(ctx context.Context, now, then map[string]string) error {
	var wanted []string
	added := false
	for name := range now {
		if b.blobs[name] != "" {
			wanted = append(wanted, name)
		} else {
			added = true
		}
	}
	if added {
		wanted = append(wanted, b.gone()...)
	}
	return b.read(ctx, wanted, func(name string, raw []byte) {
		if f, err := source.FromBytes(name, raw); err == nil {
			then[name] = lines(f)
		}
	})
}

// lines is the program of a file with plain line ends: git may have turned them.
func lines(f *source.File) string {
	return strings.ReplaceAll(string(f.Text), "\r\n", "\n")
}
