// Package learningrateoff is rule CFG011, learning-rate-off; rule.md says what it finds.
package learningrateoff

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports learning rates that are far off for the method, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
