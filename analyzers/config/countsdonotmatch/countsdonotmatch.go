// Package countsdonotmatch is rule CFG023, counts-do-not-match; rule.md says what it finds.
package countsdonotmatch

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports lists that differ in length, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
