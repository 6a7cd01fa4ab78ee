//go:build unix

package project_test

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/rlvet/rlvet/internal/py/project"
)

// A pipe that is called a Python file must not stop the walk; whoever reads the
// files says what is wrong with it.
func TestNoPipeIsOpened(t *testing.T) {
	root := extract(t, "-- a.py --\n")
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.py"), 0o644); err != nil {
		t.Skipf("SKIPPED: cannot make a pipe here: %v", err)
	}
	files, problems := project.Discover(project.OS{}, []string{root}, project.Options{})
	if got := relative(t, root, files); !slices.Equal(got, []string{"a.py", "pipe.py"}) || len(problems) > 0 {
		t.Errorf("files %v, problems %v: the reader of files says what is wrong with a pipe", got, problems)
	}
}
