// Package logprobofsquashed is rule DIST029, logprob-of-squashed; rule.md says what it finds.
package logprobofsquashed

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports densities of a normal distribution at what tanh or sigmoid made of its draw.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("log_prob") {
		s := p.See(v)
		if len(v.In) < 2 || v.Node == nil || !s.Input(0).Known() {
			continue
		}
		d := s.Input(0)
		squash := s.Input(1).Squashed()
		if !squash.Known() || !d.IsNormal() || !isDrawOf(squash.Input(len(squash.In)-1).Strip(), d) || !p.Roles.FateOf(v).Matters() {
			continue
		}
		f := pass.At(v, squash.Val)
		f.Evidence = domain.Derived
		f.Related = p.Here(squash.Val, "the draw is squashed here")
		p.Report(f)
	}
}

// isDrawOf reports whether a value was drawn from the very distribution.
func isDrawOf(draw, d query.Seen) bool {
	if !draw.Known() || !draw.IsOp("sample", "rsample") || len(draw.In) == 0 {
		return false
	}
	from := draw.Input(0)
	return from.Known() && (from.Val == d.Val || from.Ref != nil && from.Ref == d.Ref)
}
