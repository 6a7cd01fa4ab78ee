package integrations

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestBadge: the badge is what shields.io reads, and docs/ci.md leads there.
func TestBadge(t *testing.T) {
	const path = "docs/badge.json"
	text, err := os.ReadFile("../" + path)
	if err != nil {
		t.Fatal(err)
	}
	var badge struct {
		SchemaVersion         int
		Label, Message, Color string
	}
	if err := json.Unmarshal(text, &badge); err != nil || badge.SchemaVersion != 1 || badge.Label != "rlvet" || badge.Message == "" || badge.Color == "" {
		t.Errorf("%v: %s", err, text)
	}
	page, err := os.ReadFile("../docs/ci.md")
	if err != nil || !strings.Contains(string(page), "endpoint?url=https://raw.githubusercontent.com/rlvet/rlvet/main/"+path+")") {
		t.Errorf("docs/ci.md does not say how to use it: %v", err)
	}
}
