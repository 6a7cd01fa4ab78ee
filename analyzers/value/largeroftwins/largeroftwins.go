// Package largeroftwins is rule VAL092, larger-of-twins; rule.md says what it finds.
package largeroftwins

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

// Analyzer reports targets that count the larger of what two critics say.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		for _, b := range p.Roles.Targets(f) {
			for _, n := range b.Next {
				extrema, sure := n.Value.Extrema()
				if !sure || len(extrema) != 1 || !extrema[0].Largest || !areTwins(p, extrema[0]) {
					continue // with the smaller one beside it, it is a mix of both
				}
				at := extrema[0].At
				p.Report(pass.Finding{At: at.Node, Frame: at.Frame, Evidence: domain.Derived})
			}
		}
	}
}

// areTwins reports whether values are what different critics of one kind say of the same, each alone.
func areTwins(p *pass.Pass, of query.Extremum) bool {
	var all []query.Evaluation
	for _, s := range of.Of {
		list := s.Evaluations(of.At)
		if len(list) != 1 {
			return false
		}
		all = append(all, list[0])
	}
	first := all[0]
	return !slices.ContainsFunc(all[1:], func(e query.Evaluation) bool {
		return !p.Roles.OneKind(e.Net, first.Net) || !slices.EqualFunc(e.Inputs, first.Inputs, query.Seen.SameInput)
	})
}
