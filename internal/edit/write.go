package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rlvet/rlvet/internal/source"
)

// WriteFile writes an edited file to its path, whole or not at all: a temporary
// file in the same directory is synced and renamed over it. Of a symbolic link
// the target is written. Mode and, where the system allows it, owner stay. It
// refuses, with a *source.Error, where the file on disk is not what was read,
// is read only, or cannot be kept in its encoding.
//
// Another program that writes between the comparison and the rename, some
// microseconds, loses its change; no portable lock prevents that.
func WriteFile(f *source.File) error {
	data, err := encoded(f)
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return refuse(f, err, "the file was removed or moved while it was checked; run again")
	}
	info, err := checkUnchanged(f, target)
	if err != nil {
		return err
	}
	if bytes.Equal(data, f.Raw) {
		return nil
	}
	if err := replace(target, data, info); err != nil {
		return refuse(f, err, fmt.Sprintf("the fixed file cannot be written: %v; check the directory's mode and the disk", source.Cause(err)))
	}
	return nil
}

// encoded returns the new bytes of the file. Some encodings of East Asia have
// several spellings of one text; a file that would change where nothing was
// edited is refused.
func encoded(f *source.File) ([]byte, error) {
	again, err := source.FromBytes(f.Path, f.Raw)
	if err != nil {
		return nil, err
	}
	if data, err := again.Bytes(); err != nil || !bytes.Equal(data, f.Raw) {
		return nil, refuse(f, err, fmt.Sprintf("the file cannot be written back as %s without changing other lines; save it as UTF-8", f.Encoding))
	}
	return f.Bytes()
}

// checkUnchanged makes sure that the target may be written and still holds what
// was read.
func checkUnchanged(f *source.File, target string) (fs.FileInfo, error) {
	info, err := os.Stat(target)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var now []byte
	if err == nil {
		now, err = os.ReadFile(target)
	}
	switch {
	case err != nil:
		return nil, refuse(f, err, fmt.Sprintf("the file cannot be read again: %v; run again", source.Cause(err)))
	case !bytes.Equal(now, f.Raw):
		return nil, refuse(f, nil, "the file changed on disk while it was checked; run again")
	case !writable(target, info):
		return nil, refuse(f, fs.ErrPermission, "the file is read only; make it writable (chmod u+w), or use --diff to see the fix")
	}
	return info, nil
}

// writable says whether the file itself may be written. Renaming asks the
// directory only, so a read-only file would be replaced against its owner's
// will.
func writable(path string, info fs.FileInfo) bool {
	if info.Mode().Perm()&0o222 == 0 {
		return false
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// refuse is the error for a file that is not written.
func refuse(f *source.File, err error, message string) error {
	return &source.Error{Path: f.Path, Reason: source.Unreadable, Message: message, Err: err}
}
