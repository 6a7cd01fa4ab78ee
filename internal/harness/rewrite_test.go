package harness

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// versions are the Pythons on which rewriting is tried.
var versions = []string{"3.9", "3.10", "3.11", "3.12", "3.13", "3.14"}

// TestRewritingKeepsMeaning puts a probe at every expression of small programs, one form
// of Python each, and compares what they do with what they did without: what is evaluated
// in which order, the result, and the lines on which they raise.
func TestRewritingKeepsMeaning(t *testing.T) {
	tried := 0
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			python := interpreter(t, version)
			said := compareForms(t, python)
			if said.Programs < 80 || said.Reached < 4000 || said.Evaluated < 1000 {
				t.Errorf("only %d programs were tried, %d probes reached, and %d recorded expressions evaluated", said.Programs, said.Reached, said.Evaluated)
			}
			for _, d := range said.Differences {
				t.Error(d)
			}
			t.Logf("%s: %d programs, %d places, %d of them evaluated, %d refused; %d of %d recorded places evaluated", python, said.Programs, said.Compared, said.Reached, said.Refused, said.Evaluated, said.Recorded)
			tried++
		})
	}
	if tried == 0 && os.Getenv("REQUIRE_TORCH") != "" {
		t.Error("rewriting was tried with no Python at all")
	}
}

// compareForms is what compare.py says.
func compareForms(t *testing.T, python string) (said struct {
	Programs, Compared, Reached, Refused, Recorded, Evaluated int
	Differences                                               []string
}) {
	t.Helper()
	cmd := exec.Command(python, "testdata/rewritten/compare.py", "testdata/rewritten/forms.txt")
	cmd.Env = append(os.Environ(), "PYTHONPATH=py", "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// interpreter is a Python of a version: the system's, or one that pyenv installed.
func interpreter(t *testing.T, version string) string {
	t.Helper()
	root := os.Getenv("PYENV_ROOT")
	if home, err := os.UserHomeDir(); root == "" && err == nil {
		root = filepath.Join(home, ".pyenv")
	}
	found, _ := filepath.Glob(filepath.Join(root, "versions", version+".*", "bin", "python3"))
	for _, path := range append(found, "python"+version, "python3") {
		out, err := exec.Command(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").Output()
		if err == nil && strings.TrimSpace(string(out)) == version {
			return path
		}
	}
	t.Skipf("SKIPPED: rewriting is NOT tried on Python %s: there is none on this machine", version)
	return ""
}
