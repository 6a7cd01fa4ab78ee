//go:build unix

package edit

import (
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// replace puts data in the place of a file, with the mode and owner of info.
func replace(path string, data []byte, info fs.FileInfo) error {
	pending, err := renameio.NewPendingFile(path,
		renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(info.Mode().Perm()))
	if err != nil {
		return err
	}
	defer pending.Cleanup()
	if _, err := pending.Write(data); err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		// Only root may give files away; elsewhere the file stays ours.
		_ = pending.Chown(int(owner.Uid), int(owner.Gid))
	}
	// Changing the owner clears the bits that set user and group.
	if err := pending.Chmod(info.Mode()); err != nil {
		return err
	}
	return pending.CloseAtomicallyReplace()
}
