// Package wrongreference is rule CFG024, wrong-reference; rule.md says what it finds.
package wrongreference

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports references that are not the model at the start, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
