package runconf

import (
	"path/filepath"
	"slices"
	"strings"
)

// Around is where a text stands, and how the files are read that it names. Where it is nil,
// nothing is known but the text.
type Around struct {
	// Path is the file of the text and Root the folder of its project, both absolute. No file outside of Root is read.
	Path, Root string
	// Read returns the text of a file, nil where there is none.
	Read func(path string) []byte
	// Folders returns the names of the folders in one; it may be nil.
	Folders func(dir string) []string
}

// Find returns the file that a text names, "" where there is none. People start a run in the folder of its
// script or in one above it. An absolute path may be one of the machine that trains: then the file counts which
// lies in the project as its last parts say, of which one at least is a folder.
func (a *Around) Find(name string) (string, []byte) {
	if a == nil || name == "" || strings.ContainsRune(name, 0) {
		return "", nil
	}
	for _, c := range a.candidates(filepath.FromSlash(name)) {
		if !within(a.Root, c) {
			continue
		}
		if text := a.Read(c); text != nil {
			return c, text
		}
	}
	return "", nil
}

// FindAll returns the texts of all the files that a name may mean: it depends on the folder that a run is started in.
func (a *Around) FindAll(name string) (texts [][]byte) {
	if a == nil || name == "" || strings.ContainsRune(name, 0) {
		return nil
	}
	for _, c := range a.candidates(filepath.FromSlash(name)) {
		if within(a.Root, c) {
			if text := a.Read(c); text != nil {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// Holds reports whether the project holds a folder: beside the file or above it, or up to two folders below one of those, as
// external/verl/verl.
func (a *Around) Holds(folder string) bool {
	if a == nil || a.Folders == nil {
		return false
	}
	parts := strings.Split(folder, "/")
	for _, dir := range a.candidates(".") {
		level := []string{dir}
		for range 3 {
			var next []string
			for _, at := range level {
				if a.leads(at, parts) {
					return true
				}
				for _, name := range a.Folders(at) {
					next = append(next, filepath.Join(at, name))
				}
			}
			level = next[:min(len(next), maxFolders)]
		}
	}
	return false
}

// maxFolders bounds how many folders of one level are looked into.
const maxFolders = 256

// leads reports whether each part of a path is a folder in the one before.
func (a *Around) leads(dir string, parts []string) bool {
	for _, name := range parts {
		if !slices.Contains(a.Folders(dir), name) {
			return false
		}
		dir = filepath.Join(dir, name)
	}
	return true
}

func (a *Around) candidates(name string) (out []string) {
	if filepath.IsAbs(name) {
		out = append(out, filepath.Clean(name))
		parts := strings.Split(filepath.ToSlash(filepath.Clean(name)), "/")
		for i := 1; i+1 < len(parts) && i < maxDepth; i++ {
			out = append(out, filepath.Join(append([]string{a.Root}, parts[i:]...)...))
		}
		return out
	}
	for dir := filepath.Dir(a.Path); within(a.Root, dir); dir = filepath.Dir(dir) {
		out = append(out, filepath.Join(dir, name))
		if dir == a.Root || len(out) > maxDepth {
			break
		}
	}
	return out
}

// within reports whether a path is a folder or lies in it.
func within(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// In notes that documents stand in another file than the one that is read.
func In(file string, docs []*Document) {
	for _, d := range docs {
		d.At.File = file
		for i := range d.Settings {
			d.Settings[i].At.File = file
		}
	}
}
