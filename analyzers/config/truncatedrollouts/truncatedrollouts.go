// Package truncatedrollouts is rule CFG013, truncated-rollouts; rule.md says what it finds.
package truncatedrollouts

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports rollouts from a truncated distribution, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
