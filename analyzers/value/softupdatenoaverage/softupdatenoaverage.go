// Package softupdatenoaverage is rule VAL060, soft-update-no-average; rule.md says what it finds.
package softupdatenoaverage

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports soft updates of which the shares do not add up to one.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	right := map[query.Place]bool{}
	var wrong []query.Place
	for _, t := range p.Roles.Transfers() {
		at := query.PlaceOf(t.At.Val)
		if t.Mixed.Known() {
			at = query.PlaceOf(t.Mixed.Val)
		}
		if isAverage(t) {
			right[at] = true
		} else {
			wrong = append(wrong, at)
		}
	}
	for _, at := range wrong {
		if !right[at] {
			p.Report(pass.Finding{At: at.Node, Frame: at.Frame, Evidence: domain.Derived})
		}
	}
}

// isAverage reports whether a transfer may be an average of weights: it adds no number to them, and their shares may
// add up to one.
func isAverage(t roles.Transfer) bool { return len(t.Offsets) == 0 && t.SumsToOne() }
