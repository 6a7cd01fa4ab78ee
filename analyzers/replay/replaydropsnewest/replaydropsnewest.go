// Package replaydropsnewest is rule OFF028, replay-drops-newest; rule.md says what it finds.
package replaydropsnewest

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports replays that, once they are full, give away another row than the oldest.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, d := range p.Roles.Displacements() {
		if !p.Trains(d.At.Frame) {
			continue
		}
		f := pass.Finding{At: d.At.Node, Frame: d.At.Frame, Evidence: domain.Derived, Related: p.There(d.Entered, "rows enter here while there is room")}
		if !d.Newest {
			f.Message = "all rows that come to a full replay share one place"
			f.Why = "each takes the place of the one before, so the rows of the first steps stay for ever, and training learns nothing of what comes later"
		}
		p.Report(f)
	}
}
