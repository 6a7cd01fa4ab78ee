// Package rules is the catalogue: every rule that the program has, and those
// that it once had. Nobody else imports the analyzers.
//
// The list in registry.go is generated from the folders of the rules.
package rules

import (
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/analyzers"
	"github.com/rlvet/rlvet/internal/rule"
)

//go:generate go run ../internal/tools/genrules

// All returns the rules by family and code.
func All() []rule.Entry { return all }

// Probe returns the source of a rule's probe.py, which watches its finding while the
// program runs, or "" where there is none.
func Probe(code string) string { return analyzers.Probe(code) }

// Retired returns the codes that are no longer used. They are never given to
// another rule.
func Retired() []rule.Retired { return nil }

// entry joins a rule's page, its code, and what the front matter of the page says.
func entry(page []byte, a *analysis.Analyzer, front *rule.Meta) rule.Entry {
	return rule.Entry{Doc: rule.Open("rule.md of "+front.Code, *front, page), Analyzer: a}
}
