package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/pins"
	"github.com/rlvet/rlvet/rules"
)

// TestRevision: what hooks and workflows pin exists: the tag of a released build, and the
// branch for a build that is of no release.
func TestRevision(t *testing.T) {
	defer func(v string) { release = v }(release)
	for version, want := range map[string]string{unreleased: "main", "0.4.2": "v0.4.2", "0.4.2+dirty": "v0.4.2"} {
		release = version
		if got := revision(); got != want {
			t.Errorf("the revision of %s is %q, want %q", version, got, want)
		}
	}
}

// TestStranger: a program refuses to be that of a Python package of another version, whether that is
// a release or what lies between two.
func TestStranger(t *testing.T) {
	defer func(v string) { release = v }(release)
	for _, c := range []struct {
		program, told string
		want          bool
	}{
		{"0.4.2", "", false}, {"0.4.2", "0.4.2", false}, {"0.4.2+dirty", "0.4.2", false}, {"0.4.2", "0.4.3", true}, {"0.4.2", "0.4.2.dev0", true},
		{"0.5.0-dev", "0.5.0.dev0", false}, {"0.5.0-dev", "0.4.2", true}, {"0.5.0-dev", "0.6.0.dev0", true},
		{"0.5.0-rc1", "0.5.0.dev0", false}, {"0.4.2", "0.4.2.post1", false}, {"0.4.2", "unknown", false},
	} {
		release = c.program
		var out, errs bytes.Buffer
		code := Main([]string{"--version"}, Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, IsTerminal: func(any) bool { return false }, Getenv: func(name string) string {
			return map[string]string{"RLVET_PACKAGE_VERSION": c.told}[name]
		}})
		program, _, _ := strings.Cut(c.program, "+")
		want := "error: this program is rlvet " + program + ", the Python package is " + c.told + "; run `pip install --force-reinstall rlvet`\n"
		if c.want && (code != 2 || errs.String() != want) || !c.want && (code != 0 || errs.Len() > 0) {
			t.Errorf("program %s, package %q: exit %d, %s", c.program, c.told, code, errs.String())
		}
	}
}

// TestSince: no rule's page says a version that is yet to come. The version of the source is in version.go alone.
func TestSince(t *testing.T) {
	now, _, _ := strings.Cut(unreleased, "-")
	for _, e := range rules.All() {
		if pins.Compare(e.Doc.Since, now) > 0 {
			t.Errorf("%s is there since %s, and this is %s", e.Doc.Code, e.Doc.Since, now)
		}
	}
}
