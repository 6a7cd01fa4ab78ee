package editors

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/config"
)

// TestVSCodeSettings: what Visual Studio Code offers to set is what the server asks
// for: settings of rlvet's own, besides those of the editor.
func TestVSCodeSettings(t *testing.T) {
	text, err := os.ReadFile("vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct {
			Configuration struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	known := []string{"path", "inlayHints", "trace.server"}
	for _, key := range config.Keys {
		known = append(known, key.Name)
	}
	properties := manifest.Contributes.Configuration.Properties
	for name := range properties {
		if key, ok := strings.CutPrefix(name, "rlvet."); !ok || !slices.Contains(known, key) {
			t.Errorf("%s is no setting of rlvet", name)
		}
	}
	if len(properties) == 0 {
		t.Error("there are no settings")
	}
}
