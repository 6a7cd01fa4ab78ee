// Package noisewrongshape is rule DIST009, noise-wrong-shape; rule.md says what it
// finds.
package noisewrongshape

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports noise that is smaller than the actions it is added to.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, sum := range p.Ops("torch.add") {
		s := p.See(sum)
		for i := range min(2, len(sum.In)) {
			draw := drawIn(s.Input(i))
			if !draw.Known() {
				continue
			}
			other := s.Input(1 - i)
			switch row := ofOneRow(p, draw, other); {
			case row != nil && (isAction(p, sum, other) || isStepped(p, draw.Input(0))):
				p.Report(oneRow(p, draw.Val, row))
			case row == nil && narrower(p, s.Input(i), draw, other) && isAction(p, sum, other):
				f := pass.At(draw.Val, other.Val)
				f.Evidence = domain.Derived
				p.Report(f)
			}
		}
	}
}

// drawIn follows a summand back, through scaling and clipping, to the noise.
func drawIn(s query.Seen) query.Seen {
	for range 8 {
		s = s.SameShape()
		switch {
		case !s.Known() || len(s.In) == 0:
			return query.Seen{}
		case s.IsOp("randn", "randn_like", "standard_normal"), s.IsOp("normal") && s.Is(domain.Noise):
			return s
		case s.IsOp("clamp", "clip"):
			s = s.Input(0)
		case s.IsOp("mul") && len(s.In) > 1:
			scaled := s
			s = scaled.Input(0)
			if !s.May(domain.Noise) {
				s = scaled.Input(1)
			}
		default:
			return query.Seen{}
		}
	}
	return query.Seen{}
}

func oneRow(p *pass.Pass, draw, row *infer.Val) pass.Finding {
	f := pass.At(draw)
	f.Evidence = domain.Derived
	e, ok := p.Operand(draw, row).(*ast.Subscript)
	if ok {
		src := p.In(draw.Frame)
		f.Fix = &pass.Fix{Message: "Draw noise for the whole batch", Edits: src.Replace(e, src.Text(e.X))}
	}
	return f
}
