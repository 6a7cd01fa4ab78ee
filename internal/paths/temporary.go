package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Temporary makes a folder of one's own where the system has its temporary files. Whoever makes it removes it.
func Temporary() (string, error) {
	dir, err := os.MkdirTemp("", "rlvet-")
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no folder for temporary files (%s): make it, or set TMPDIR", os.TempDir())
	}
	return dir, err
}
