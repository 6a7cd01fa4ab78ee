// Package settingwithouteffect is rule CFG019, setting-without-effect; rule.md says what it finds.
package settingwithouteffect

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports settings that are switched off where they are set, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
