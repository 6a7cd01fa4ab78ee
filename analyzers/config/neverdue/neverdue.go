// Package neverdue is rule CFG016, never-due; rule.md says what it finds.
package neverdue

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports what is due only after the run has ended, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
