// Package targetwithoutreward is rule VAL097, target-without-reward; rule.md says what it finds.
package targetwithoutreward

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets of temporal differences that count no reward.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		said, ok := p.Roles.SaysOfData(f.Said, f.At)
		x := f.Target.Strip()
		b, alone := query.BootstrapOf(f.Target)
		if !ok || !alone || len(query.TermsOf(f.Said, 1)) != 1 || len(b.Unknown) > 0 || len(b.Masks) == 0 || !onlyValues(p, b.Value, x) {
			continue
		}
		next := b.Value.Evaluations(x)
		if len(next) == 0 || slices.ContainsFunc(next, func(e query.Evaluation) bool { return !p.Roles.OneKind(e.Net, said.Net) }) {
			continue
		}
		p.Report(pass.Finding{At: x.Node, Frame: x.Frame, Evidence: domain.Derived})
	}
}

// onlyValues reports whether all terms of a value are what networks say, or an entropy: none may be a reward.
func onlyValues(p *pass.Pass, s, at query.Seen) bool {
	return !slices.ContainsFunc(query.TermsOf(s, 1), func(t query.Term) bool {
		return p.Roles.LogProbSign(t) == 0 && len(t.Evaluations(at)) == 0
	})
}
