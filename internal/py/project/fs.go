package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// FS is what the package asks of a file system. Paths are those of the
// operating system, absolute or relative to the working directory.
type FS interface {
	// Stat describes a file, links followed.
	Stat(path string) (fs.FileInfo, error)
	// ReadDir lists a directory in the order of names.
	ReadDir(path string) ([]fs.DirEntry, error)
	// ReadFile returns a file's bytes.
	ReadFile(path string) ([]byte, error)
}

// OS is the file system of the machine.
type OS struct{}

// Stat implements FS.
func (OS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// ReadDir implements FS.
func (OS) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// ReadFile implements FS.
func (OS) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// Overlay puts files, by absolute path, over another file system: the unsaved
// buffers of an editor. Directories above them exist.
func Overlay(base FS, files map[string][]byte) FS {
	o := overlay{base: base, files: map[string][]byte{}, dirs: map[string][]string{}}
	for path, data := range files {
		path = absolute(path)
		o.files[path] = data
		for child := path; filepath.Dir(child) != child; child = filepath.Dir(child) {
			dir := filepath.Dir(child)
			if !slices.Contains(o.dirs[dir], filepath.Base(child)) {
				o.dirs[dir] = append(o.dirs[dir], filepath.Base(child))
			}
		}
	}
	return o
}

type overlay struct {
	base  FS
	files map[string][]byte
	dirs  map[string][]string // names that the overlay adds to a directory
}

func (o overlay) Stat(path string) (fs.FileInfo, error) {
	abs := absolute(path)
	if data, ok := o.files[abs]; ok {
		return bufferInfo{filepath.Base(abs), int64(len(data)), 0o644}, nil
	}
	info, err := o.base.Stat(path)
	if err != nil && o.dirs[abs] != nil {
		return bufferInfo{filepath.Base(abs), 0, fs.ModeDir | 0o755}, nil
	}
	return info, err
}

func (o overlay) ReadDir(path string) ([]fs.DirEntry, error) {
	abs := absolute(path)
	entries, err := o.base.ReadDir(path)
	if err != nil && o.dirs[abs] == nil {
		return nil, err
	}
	for _, name := range o.dirs[abs] {
		info, err := o.Stat(filepath.Join(abs, name))
		if err != nil {
			continue
		}
		entry := fs.FileInfoToDirEntry(info)
		same := func(e fs.DirEntry) bool { return e.Name() == name }
		if i := slices.IndexFunc(entries, same); i >= 0 {
			entries[i] = entry
		} else {
			entries = append(entries, entry)
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (o overlay) ReadFile(path string) ([]byte, error) {
	if data, ok := o.files[absolute(path)]; ok {
		return data, nil
	}
	return o.base.ReadFile(path)
}

// bufferInfo describes a file or directory that only the overlay has.
type bufferInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i bufferInfo) Name() string       { return i.name }
func (i bufferInfo) Size() int64        { return i.size }
func (i bufferInfo) Mode() fs.FileMode  { return i.mode }
func (i bufferInfo) ModTime() time.Time { return time.Time{} }
func (i bufferInfo) IsDir() bool        { return i.mode.IsDir() }
func (i bufferInfo) Sys() any           { return nil }

func isDir(fsys FS, path string) bool {
	info, err := fsys.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(fsys FS, path string) bool {
	info, err := fsys.Stat(path)
	return err == nil && !info.IsDir()
}
