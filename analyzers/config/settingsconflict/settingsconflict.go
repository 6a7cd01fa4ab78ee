// Package settingsconflict is rule CFG020, settings-conflict; rule.md says what it finds.
package settingsconflict

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports settings that do not go together, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
