// Package valueoutofrange is rule CFG015, value-out-of-range; rule.md says what it finds.
package valueoutofrange

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports coefficients that are out of their range, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
