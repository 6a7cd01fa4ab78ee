//go:build !unix

package edit

import (
	"io/fs"
	"os"
	"path/filepath"
)

// replace puts data in the place of a file, with the mode of info.
func replace(path string, data []byte, info fs.FileInfo) error {
	pending, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return err
	}
	defer os.Remove(pending.Name())
	_, err = pending.Write(data)
	if err == nil {
		err = pending.Sync()
	}
	if closeErr := pending.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(pending.Name(), info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(pending.Name(), path)
}
