//go:build !linux

package harness

import "os/exec"

// separate cannot separate here: the command fails to start.
func separate(cmd *exec.Cmd) { cmd.Err = exec.ErrNotFound }
