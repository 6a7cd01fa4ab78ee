// Package logprobofsquashed is rule DIST029, logprob-of-squashed; rule.md says what it finds.
package logprobofsquashed

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
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
		squash := squashOf(s.Input(1))
		if !squash.Known() || !isNormal(d, 4) || !isDrawOf(squash.Input(0).Strip(), d) || !p.Roles.FateOf(v).Matters() {
			continue
		}
		f := pass.At(v, squash.Val)
		f.Evidence = domain.Derived
		f.Related = p.Here(squash.Val, "the draw is squashed here")
		p.Report(f)
	}
}

// squashOf is the tanh or sigmoid of which a value is the result, scaled and moved or not; no value where it is something else.
func squashOf(s query.Seen) query.Seen {
	for range 6 {
		s = s.Strip()
		switch {
		case !s.Known() || len(s.In) == 0:
			return query.Seen{}
		case s.IsOp("tanh", "sigmoid"):
			return s
		case s.IsOp("mul", "add", "sub", "div") && len(s.In) > 1:
			if next := s.Input(0).Strip(); next.Known() && (next.IsOp("tanh", "sigmoid", "mul", "add", "sub", "div")) {
				s = next
			} else {
				s = s.Input(1)
			}
		case s.IsOp("clamp", "clip"):
			s = s.Input(0)
		default:
			return query.Seen{}
		}
	}
	return query.Seen{}
}

// isNormal reports whether a distribution is a normal one over all numbers.
func isNormal(d query.Seen, depth int) bool {
	if d.IsOp("Independent") && depth > 0 && len(d.In) > 0 {
		return isNormal(d.Input(0), depth-1)
	}
	o, ok := d.Referent().(*infer.LibObject)
	return ok && d.IsOp("Normal", "MultivariateNormal") && o.Name == "torch.distributions."+infer.BaseOp(o.Name)
}

// isDrawOf reports whether a value was drawn from the very distribution.
func isDrawOf(draw, d query.Seen) bool {
	if !draw.Known() || !draw.IsOp("sample", "rsample") || len(draw.In) == 0 {
		return false
	}
	from := draw.Input(0)
	return from.Known() && (from.Val == d.Val || from.Ref != nil && from.Ref == d.Ref)
}
