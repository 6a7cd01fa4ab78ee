// Package torchtest finds the Python with which tests try things on the real torch, and gives them a project to run.
//
// Input: RLVET_PYTHON, /usr/bin/python3, or the first python3 on the PATH. Output: its path.
// Limits: where none has torch the test is skipped, and says so; with REQUIRE_TORCH set,
// as in CI, it fails.
package torchtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Python returns a Python that has torch and numpy. what says, in words, what is not
// tested without one.
func Python(t testing.TB, what string) string {
	t.Helper()
	python, err := find()
	switch {
	case err == nil:
		return python
	case os.Getenv("REQUIRE_TORCH") != "":
		t.Fatalf("torch is required and missing: %v", err)
	}
	t.Skipf("SKIPPED: %s: %v; ./test installs torch", what, err)
	return ""
}

// Project moves the test into a project of its own that holds a copy of testdata. Each run works in a copy of its project, and
// that of testdata is this whole repository.
func Project(t testing.TB) {
	t.Helper()
	t.Chdir(CopyOf(t, "testdata", "testdata"))
}

// CopyOf returns the root of a project of the test's own that holds a copy of a folder, by the path to in the project.
func CopyOf(t testing.TB, dir, to string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(filepath.Join(root, to), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "pyproject.toml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// find looks once in a process, and imports nothing: that takes a second, in each of the packages that ask.
var find = sync.OnceValues(func() (string, error) {
	why := errors.New("no python3 on this machine")
	for _, p := range []string{os.Getenv("RLVET_PYTHON"), "/usr/bin/python3", "python3"} {
		path, err := exec.LookPath(p)
		if p == "" || err != nil {
			continue
		}
		out, err := exec.Command(path, "-c", "from importlib.util import find_spec\nfor name in ('torch', 'numpy'):\n    if find_spec(name) is None: raise ImportError('there is no ' + name)").CombinedOutput()
		if err == nil {
			return path, nil
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		why = fmt.Errorf("%s: %s", path, lines[len(lines)-1])
	}
	return "", why
})
