// Package paths says where files are, as people and programs name them: from a folder, or
// in full.
//
// Input: paths of the system. Output: the same files by other names, which need not exist.
package paths

import (
	"os"
	"path/filepath"
)

// Working is the working directory, or "" where the system cannot say.
func Working() string {
	dir, _ := os.Getwd()
	return dir
}

// From is a path as seen from a folder, with slashes; the path itself where there is no way.
func From(dir, path string) string {
	absDir, err1 := filepath.Abs(dir)
	abs, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(absDir, abs)
	if err1 != nil || err2 != nil || err3 != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// Short is an absolute path, from the working directory where that is above it.
func Short(path string) string {
	if short := From(Working(), path); filepath.IsLocal(short) {
		return short
	}
	return path
}

// In is a path in full, from a folder where it is relative; the path itself where there is
// no folder.
func In(dir, path string) string {
	if filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// Real is a path in full, links followed. The file must exist.
func Real(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Linked is the file that a link leads to, in full; "" for what is no link, or leads nowhere.
func Linked(path string) string {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return ""
	}
	target, err := Real(path)
	if err != nil {
		return ""
	}
	return target
}

// Exist reports whether something has this path, be it a link that leads nowhere.
func Exist(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
