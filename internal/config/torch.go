package config

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
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
	for _, name := range []string{"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "environment.yml", "environment.yaml"} {
		out = append(out, filepath.Join(dir, name))
	}
	requirements, _ := filepath.Glob(filepath.Join(dir, "requirements*.txt"))
	nested, _ := filepath.Glob(filepath.Join(dir, "requirements", "*.txt"))
	sort.Strings(requirements)
	sort.Strings(nested)
	return append(append(out, requirements...), nested...)
}

// maxDependencyFile bounds what is read of one file; lock files are large.
const maxDependencyFile = 16 << 20

// torchIn returns the version of torch that one file allows, or "".
func torchIn(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxDependencyFile {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	text := string(data)
	switch filepath.Base(path) {
	case "uv.lock", "poetry.lock", "pdm.lock":
		return oldest(lockPackage.FindAllStringSubmatch(text, -1))
	case "Pipfile.lock":
		return oldest(pipfileLock.FindAllStringSubmatch(text, -1))
	}
	return oldest(requirementOf(text))
}

var (
	lockPackage = regexp.MustCompile(`(?m)^name = "torch"\r?\nversion = "(\d+(?:\.\d+)+)`)
	pipfileLock = regexp.MustCompile(`"torch": \{[^}]*"version": "==(\d+(?:\.\d+)+)`)
	// A requirement: torch, perhaps extras, perhaps quotes and an equals sign as
	// in TOML tables, then version specifiers.
	requirement = regexp.MustCompile(`(?m)(?:^|["'\s,\[-])torch(?:\[[^\]]*\])?["']?\s*(?:=\s*["']|=\s*\{\s*version\s*=\s*["'])?\s*\(?((?:[<>=~!^]{0,3}\s*\d[\w.*+]*\s*,?\s*)+)`)
	lowerBound  = regexp.MustCompile(`(===|==|>=|~=|\^|~|>|^\s*)\s*(\d+(?:\.\d+)*)`)
)

// requirementOf returns the lower bounds that a text of requirements gives for
// torch.
func requirementOf(text string) [][]string {
	var out [][]string
	for _, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, " #"); at >= 0 || strings.HasPrefix(line, "#") {
			line = line[:max(at, 0)]
		}
		for _, m := range requirement.FindAllStringSubmatch(line, -1) {
			if b := lowerBound.FindStringSubmatch(m[1]); b != nil {
				out = append(out, b[1:])
			}
		}
	}
	return out
}

// oldest returns the smallest of the versions, each the last submatch.
func oldest(matches [][]string) string {
	best := ""
	for _, m := range matches {
		if v := m[len(m)-1]; best == "" || CompareVersions(v, best) < 0 {
			best = v
		}
	}
	return best
}

// CompareVersions compares two dotted numbers: negative where a is older.
// Missing parts count as 0.
func CompareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if d := part(as, i) - part(bs, i); d != 0 {
			return d
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}
