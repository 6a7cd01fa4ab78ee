// Package leaveoneoutofone is rule ADV041, leave-one-out-of-one; rule.md says what it finds.
package leaveoneoutofone

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports means of the others where there may be no others.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, div := range p.Ops("torch.div") {
		groups, ok := p.LeftOutBy(div)
		if !ok {
			continue
		}
		f := pass.At(div)
		f.Evidence = domain.Derived
		switch {
		case groups.IsOne():
		case groups.MayBeOne():
			f.Severity = finding.Warning
			f.Why = "the program lets a size of 1 pass, for which this divides by 0, and every advantage becomes NaN"
		case groups.Unchecked():
			f.Severity = finding.Note
			f.Why = "nothing keeps the size above 1, and for groups of 1 this divides by 0, so that every advantage is NaN"
		default:
			continue
		}
		if f.Severity != "" {
			f.Message = "leave-one-out mean of groups that may have one member"
		}
		p.Report(f)
	}
}
