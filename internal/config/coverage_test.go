package config

import (
	"os"
	"path/filepath"
	"testing"
)

// A project is covered by its folder, by one above it, and by all of its files.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		files []string
		named []string
		want  bool
	}{
		{[]string{".git/x", "a.py", "sub/b.py"}, []string{"."}, true},
		{[]string{".git/x", "a.py", "sub/b.py"}, []string{"sub"}, false},
		{[]string{".git/x", "a.py", "sub/b.py"}, []string{"a.py", "sub"}, true},
		{[]string{".git/x", "a.py", "sub/b.py", "run.sh"}, []string{"a.py", "sub"}, false},
		{[]string{".git/x", "sub/pyproject.toml", "a.py", "sub/b.py"}, []string{"sub"}, true},
		{[]string{"rlvet.toml", "sub/pyproject.toml", "a.py", "sub/b.py"}, []string{"sub"}, false},
		{[]string{".git/x", "sub/rlvet.toml", "a.py", "sub/b.py"}, []string{"sub"}, false},
		{[]string{"a.py", "sub/b.py"}, []string{"sub"}, false}, // python a.py finds sub
		{[]string{"sub/b.py"}, []string{"sub"}, true},
		{[]string{"sub/__init__.py", "sub/b.py"}, []string{"sub"}, true},
	} {
		root := t.TempDir()
		for _, name := range c.files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(root)
		r := &Resolver{Rules: registry(t)}
		files, err := Discover(r, c.named)
		if err != nil {
			t.Fatal(err)
		}
		whole := true
		for _, in := range files.Inputs {
			whole = whole && NewCoverage(r, c.named, files.Inputs).Whole(in)
		}
		if whole != c.want {
			t.Errorf("%v of %v: whole %v, want %v", c.named, c.files, whole, c.want)
		}
	}
}
