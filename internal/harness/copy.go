package harness

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// # The copy of the project
//
// A run may write: checkpoints, logs, caches. It works in a copy, so that the project is
// afterwards what it was, and so that runs at the same time do not meet. Links are
// copied as links, so that a link to a folder of data elsewhere still leads there.

// notCopied are folders that no program needs to run and that can be large.
var notCopied = map[string]bool{
	".git": true, ".hg": true, ".svn": true, "__pycache__": true, ".venv": true, "venv": true, "node_modules": true,
	".mypy_cache": true, ".pytest_cache": true, ".ruff_cache": true, ".tox": true, "wandb": true,
}

// copyProject copies the files below root to the new folder to, at most limit bytes.
func copyProject(root, to string, limit int64) error {
	left := limit
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return nil // what cannot be read, the program cannot read either
			}
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			if notCopied[d.Name()] && rel != "." {
				return filepath.SkipDir
			}
			return os.MkdirAll(target, 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			return copyLink(root, path, target)
		case !d.Type().IsRegular():
			return nil // a pipe or a device
		}
		n, err := copyFile(path, target, left)
		left -= n
		return err
	})
	if errors.Is(err, errTooLarge) {
		return fmt.Errorf("%s holds more than %d MB, and each run works in a copy of it; give --max-copy, or --in-place to run in the project itself", root, limit>>20)
	}
	return err
}

var errTooLarge = errors.New("too large")

// copyLink copies a link; one that leads to a place in the project by its full path
// leads to the same place of the copy.
func copyLink(root, path, target string) error {
	to, err := os.Readlink(path)
	if err != nil {
		return err
	}
	if filepath.IsAbs(to) {
		if isBelow(root, to) {
			if to, err = filepath.Rel(filepath.Dir(path), to); err != nil {
				return err
			}
		}
	} else if abs := filepath.Join(filepath.Dir(path), to); !isBelow(root, abs) {
		to = abs
	}
	return os.Symlink(to, target)
}

func isBelow(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

func copyFile(path, target string, limit int64) (n int64, err error) {
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() > limit {
		return 0, errTooLarge
	}
	out, err := os.OpenFile(target, os.O_CREATE|os.O_WRONLY|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(out, in) // copies by reference where the file system can
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return n, err
}
