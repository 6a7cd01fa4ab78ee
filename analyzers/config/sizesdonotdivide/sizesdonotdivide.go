// Package sizesdonotdivide is rule CFG003, sizes-do-not-divide; rule.md says what it finds.
package sizesdonotdivide

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports sizes of which one should be a multiple of another, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
