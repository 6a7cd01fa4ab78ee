package harness

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// eachFile calls visit for the folders, files and links below root that are copied, by
// their paths relative to it.
func eachFile(root string, visit func(rel string, d fs.DirEntry) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return nil // what cannot be read, the program cannot read either
			}
			return err
		}
		rel, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && notCopied[d.Name()] && rel != ".":
			return filepath.SkipDir
		case d.IsDir() || d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0:
			return visit(rel, d)
		}
		return nil // a pipe or a device
	})
}

// CopyProject copies the files below root to the new folder to, at most limit bytes. Where to
// lies below root, as with a TMPDIR in the project, the copy leaves itself out.
func CopyProject(root, to string, limit int64) error {
	left := limit
	err := eachFile(root, func(rel string, d fs.DirEntry) error {
		path, target := filepath.Join(root, rel), filepath.Join(to, rel)
		switch {
		case d.IsDir() && rel != "." && strings.HasPrefix(d.Name(), "rlvet-") && isBelow(path, to):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			return copyLink(root, path, target)
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

// DigestProject writes to h what a copy of the project would hold: names, modes, texts and
// the ends of links.
func DigestProject(root string, h io.Writer) error {
	return eachFile(root, func(rel string, d fs.DirEntry) error {
		path := filepath.Join(root, rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v %d\n", rel, info.Mode(), info.Size())
		switch {
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			fmt.Fprintf(h, "%q\n", to)
			return err
		}
		in, err := os.Open(path)
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(h, in)
		return err
	})
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
