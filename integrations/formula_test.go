package integrations

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFormula: the formula for Homebrew has the checksum of each archive behind its address, and
// there is none where an archive is missing.
func TestFormula(t *testing.T) {
	dir := release(t)
	formula := func() (string, error) {
		out, err := exec.Command("../.ci/formula", dir).Output()
		return string(out), err
	}
	text, err := formula()
	if err != nil {
		t.Fatal(err)
	}
	for _, platform := range []string{"linux-x86_64", "linux-arm64", "macos-x86_64", "macos-arm64"} {
		name := "rlvet-1.2.3-" + platform + ".tar.gz"
		archive, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("/v1.2.3/%s\"\n      sha256 \"%x\"\n", name, sha256.Sum256(archive)); !strings.Contains(text, want) {
			t.Errorf("the formula lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "VERSION") || strings.Contains(text, "SUM(") {
		t.Errorf("something is not filled in:\n%s", text)
	}
	remove(t, filepath.Join(dir, "rlvet-1.2.3-macos-arm64.tar.gz"))
	if text, err := formula(); err == nil || text != "" {
		t.Errorf("without an archive: %v\n%s", err, text)
	}
}
