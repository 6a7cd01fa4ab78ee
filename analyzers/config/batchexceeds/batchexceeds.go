// Package batchexceeds is rule CFG022, batch-exceeds; rule.md says what it finds.
package batchexceeds

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports mini-batches that are larger than what they are taken from, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
