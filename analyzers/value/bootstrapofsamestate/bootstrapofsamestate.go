// Package bootstrapofsamestate is rule VAL090, bootstrap-of-same-state; rule.md says what it finds.
package bootstrapofsamestate

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets that count the value of the state whose value they are a target of.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		said := f.Said.Evaluations(f.At)
		if len(said) == 0 || f.Said.Strip().Op == infer.OpPhi {
			continue
		}
		for _, b := range p.Roles.Targets(f) {
			if at, ok := ofSameState(p, b, said); ok {
				p.Report(pass.Finding{
					At: at.Node, Frame: at.Frame, Evidence: domain.Derived,
					Related: p.There(said[0].At, "the value that is fitted to the target is of the same state"),
				})
			}
		}
	}
}

// ofSameState reports whether all that a target counts of what comes next is what networks say of the state of the prediction.
func ofSameState(p *pass.Pass, b query.Bellman, said []query.Evaluation) (at query.Place, ok bool) {
	for _, n := range b.Next {
		next := n.Value.Evaluations(b.At)
		if n.Carried || len(next) == 0 {
			return query.Place{}, false
		}
		for _, e := range next {
			if !slices.ContainsFunc(said, func(s query.Evaluation) bool { return sees(e, s) && p.Roles.OneKind(e.Net, s.Net) }) {
				return query.Place{}, false
			}
			at = e.At
		}
	}
	return at, at.Known()
}

// sees reports whether two networks are asked of one state, the first of what they are given.
func sees(e, o query.Evaluation) bool {
	return len(e.Inputs) > 0 && len(o.Inputs) > 0 && e.Inputs[0].SameInput(o.Inputs[0])
}
