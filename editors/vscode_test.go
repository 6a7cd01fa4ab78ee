package editors

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/config"
)

// setting is one that Visual Studio Code offers.
type setting struct {
	Type                string
	MarkdownDescription string
	Scope               string
}

// editorsOwn are the settings that no file of settings has: those of the extension, and
// those that only the server reads.
var editorsOwn = map[string]bool{"path": true, "python": true, "codeLens": true, "inlayHints": true, "trace.server": true}

// elsewhere are the settings that an editor does not offer, and why.
var elsewhere = map[string]string{
	"extend":                  "leads from one file to another",
	"required-version":        "is for a team, and belongs to the project",
	"extend-per-file-ignores": "adds to the file that another one extends",
	"force-exclude":           "is for files that are named on a command line",
	"fix":                     "is the command line's; an editor has editor.codeActionsOnSave",
	"unsafe-fixes":            "is the command line's; an editor offers all fixes, each by its name",
	"output-format":           "is the command line's",
	"fail-on":                 "is the command line's: it chooses the exit code",
	"cache-dir":               "is the command line's; the server keeps what it knows in memory",
	"audit.metrics":           "is of rlvet audit",
}

// TestVSCodeSettings: what Visual Studio Code offers to set is what the server
// understands, in its words: a setting of a file is offered or there is a reason.
func TestVSCodeSettings(t *testing.T) {
	text, err := os.ReadFile("vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct {
			Configuration struct{ Properties map[string]setting }
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	offered := manifest.Contributes.Configuration.Properties
	for _, key := range config.Keys {
		s, there := offered["rlvet."+key.Name]
		switch {
		case there && elsewhere[key.Name] != "":
			t.Errorf("%s is offered, though it %s", key.Name, elsewhere[key.Name])
		case !there && elsewhere[key.Name] == "":
			t.Errorf("%s is not offered, and nothing says why", key.Name)
		case there && !strings.HasPrefix(s.MarkdownDescription, key.Doc):
			t.Errorf("%s is described as %q, not as %q", key.Name, s.MarkdownDescription, key.Doc)
		case there && s.Type != typeOf(key):
			t.Errorf("%s is offered as %s; it is %s", key.Name, s.Type, key.Type)
		}
	}
	for name, s := range offered {
		key, ok := strings.CutPrefix(name, "rlvet.")
		if _, known := config.KeyNamed(key); !ok || !known && !editorsOwn[key] {
			t.Errorf("%s is no setting of rlvet", name)
		}
		// A workspace that is not trusted must not name programs.
		if want := map[bool]string{true: "machine-overridable", false: "window"}[key == "path" || key == "python"]; s.Scope != want {
			t.Errorf("%s has the scope %q, not %q", name, s.Scope, want)
		}
	}
}

// typeOf is the type of a setting in JSON.
func typeOf(key config.Key) string {
	for prefix, name := range map[string]string{"a boolean": "boolean", "a list": "array", "a table": "object"} {
		if strings.HasPrefix(key.Type, prefix) {
			return name
		}
	}
	return "string"
}

// TestVSCodeVersion: between releases the extension is of the version that the program will be
// of; it tells the user when their series differ.
func TestVSCodeVersion(t *testing.T) {
	manifest, err := os.ReadFile("vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("../internal/cli/version.go")
	if err != nil {
		t.Fatal(err)
	}
	is := regexp.MustCompile(`"version": "(.+)"`).FindSubmatch(manifest)
	want := regexp.MustCompile(`unreleased = "(.+)-dev"`).FindSubmatch(program)
	if is == nil || want == nil || string(is[1]) != string(want[1]) {
		t.Errorf("package.json has %q, version.go %q", is, want)
	}
}
