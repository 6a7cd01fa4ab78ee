package compiler

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestWithoutACompiler: a build without cgo fails by a name that says what to do.
func TestWithoutACompiler(t *testing.T) {
	cmd := exec.Command("go", "build", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "rlvet_needs_a_C_compiler__install_gcc_or_clang") {
		t.Errorf("%v\n%s", err, out)
	}
}
