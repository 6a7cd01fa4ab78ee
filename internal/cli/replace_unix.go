//go:build unix

package cli

import "github.com/google/renameio/v2"

// replaceFile replaces a file as a whole or not at all.
func replaceFile(target string, data []byte) error {
	return renameio.WriteFile(target, data, 0o644, renameio.WithExistingPermissions())
}

// tryBeside makes and removes the temporary file that is to replace another.
func tryBeside(target string) error {
	f, err := renameio.NewPendingFile(target)
	if err != nil {
		return err
	}
	return f.Cleanup()
}
