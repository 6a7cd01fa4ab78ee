//go:build !unix

package cli

import (
	"errors"
	"os"
)

// replaceFile writes a file in its place: Windows does not replace one that somebody reads.
func replaceFile(target string, data []byte) error { return os.WriteFile(target, data, 0o644) }

// tryBeside opens the file, and removes it where it was not there.
func tryBeside(target string) error {
	_, missing := os.Lstat(target)
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	err = f.Close()
	if errors.Is(missing, os.ErrNotExist) {
		err = errors.Join(err, os.Remove(target))
	}
	return err
}
