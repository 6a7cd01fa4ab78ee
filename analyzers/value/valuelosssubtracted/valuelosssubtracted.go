// Package valuelosssubtracted is rule VAL096, value-loss-subtracted; rule.md says what it finds.
package valuelosssubtracted

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports losses from which the error of a critic is subtracted.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() {
		return
	}
	for _, l := range p.Roles.Losses() {
		if !improves(l) {
			continue
		}
		for _, t := range l.Terms {
			if t.Kind != roles.ValueTerm || t.Meant >= 0 || !fits(p, t) {
				continue
			}
			at := t.Added()
			p.Report(pass.Finding{At: at.Node, Frame: at.Frame, Evidence: domain.Derived, Related: p.BackwardOf(l)})
		}
	}
}

// improves reports whether a loss falls where a policy gets better: it is minimised, and no objective.
func improves(l roles.Loss) bool {
	for _, t := range l.Terms {
		if t.Kind == roles.PolicyTerm {
			if s := t.Surrogate; s != nil {
				return t.Meant < 0 && !s.Negated || t.Meant > 0 && s.Negated
			}
			return t.Meant < 0
		}
	}
	return false
}

// fits reports whether a term is the error of what a network in training says of a batch.
func fits(p *pass.Pass, t roles.Term) bool {
	for _, f := range p.Roles.Fits() {
		if f.At.Val == t.Unreduced().Val || f.At.Val == t.Val {
			_, ok := p.Roles.SaysOfData(f.Said, f.At)
			return ok && p.Roles.OfReturns(f.Target)
		}
	}
	return false
}
