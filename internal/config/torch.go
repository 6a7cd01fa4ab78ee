package config

import (
	"os"
	"path/filepath"
	"sort"

	"github.com/rlvet/rlvet/internal/py/pins"
)

// findTorch returns the oldest version of torch that the project allows, and
// the file that says so. Lock files say it exactly; then come pyproject.toml,
// setup.cfg and setup.py, and requirements files, where the lower bound counts.
// The first folder upward that names torch decides.
func findTorch(dir string) (version, from string) {
	for {
		for _, path := range dependencyFiles(dir) {
			if v := torchIn(path); v != "" {
				return v, display(path)
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir || exists(filepath.Join(dir, ".git")) {
			return "", ""
		}
		dir = parent
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// dependencyFiles lists the files of a folder that can pin torch, most exact
// first.
func dependencyFiles(dir string) []string {
	var out []string
	for _, name := range pins.Files {
		out = append(out, filepath.Join(dir, name))
	}
	requirements, _ := filepath.Glob(filepath.Join(dir, "requirements*.txt"))
	nested, _ := filepath.Glob(filepath.Join(dir, "requirements", "*.txt"))
	sort.Strings(requirements)
	sort.Strings(nested)
	return append(append(out, requirements...), nested...)
}

// torchIn returns the version of torch that one file allows, or "".
func torchIn(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > pins.MaxFile {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return pins.In(filepath.Base(path), string(data), "torch").Version
}
