// Package groupofone is rule CFG001, group-of-one; rule.md says what it finds.
package groupofone

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports groups of one sample, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
