package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// writeFile replaces a file as a whole or not at all. A link stays one, and a
// device or pipe, /dev/null among them, is written to and not replaced.
func writeFile(path string, data []byte) error {
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		err = errors.New("it is a directory")
	case err == nil && !info.Mode().IsRegular():
		err = writeStream(target, data)
	default:
		err = renameio.WriteFile(target, data, 0o644, renameio.WithExistingPermissions())
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // its path is that of a temporary file
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %v", path, err)
	}
	return nil
}

// writeStream writes to what is no file.
func writeStream(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
