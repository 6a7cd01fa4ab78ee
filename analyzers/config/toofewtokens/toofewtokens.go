// Package toofewtokens is rule CFG021, too-few-tokens; rule.md says what it finds.
package toofewtokens

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports lengths that cut what a model has to say, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
