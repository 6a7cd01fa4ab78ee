// Package greedyrollouts is rule CFG008, greedy-rollouts; rule.md says what it finds.
package greedyrollouts

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports rollouts that are not sampled, by the tables of frameworks, by the tables of frameworks.
var Analyzer = pass.ConfigRule(Doc)
