// Package logofsaturatedtanh is rule GRAD021, log-of-saturated-tanh; rule.md says what it finds.
package logofsaturatedtanh

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

// Analyzer reports logarithms of 1 - tanh(x)**2, which is 0 where the tanh is 1.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.log", "torch.log1p", "torch.atanh") {
		if len(v.In) == 0 || v.In[0] == nil || picks(v) || p.Protected(v) || p.Replaced(v) {
			continue
		}
		s := p.See(v)
		tanh := squashedIn(s)
		if !tanh.Known() {
			continue
		}
		f := pass.At(v, tanh.Val)
		f.Evidence = domain.Derived
		if v.IsOp("atanh", "arctanh") {
			f.Message = "inverse of a tanh that can be exactly 1"
			f.Help = "keep the value from before the tanh, or clamp to `1 - 1e-6` first"
		} else if e := p.Operand(v, v.In[0]); e != nil && v.IsOp("log") && p.In(v.Frame) != nil {
			f.Fix = &pass.Fix{Message: "Add an epsilon to the argument", EveryContext: true, Edits: p.In(v.Frame).Operate(e, ast.Add, "1e-6")}
		}
		p.Report(f)
	}
}

// picks reports whether a mask may have left the ends of the range out.
func picks(v *infer.Val) bool {
	found := false
	infer.Walk(v, 12, func(x *infer.Val) bool {
		found = found || query.Picks(x)
		return !found && !x.IsOp("tanh", "Tanh")
	})
	return found
}

// squashedIn returns the tanh of which v is infinite where that is 1: of log(1 - y**2), log1p(-y**2), atanh(y).
func squashedIn(v query.Seen) query.Seen {
	x := v.Input(0).Strip()
	switch {
	case !x.Known() || x.Q.Range.NonZero && !v.IsOp("atanh", "arctanh", "log1p"):
	case v.IsOp("atanh", "arctanh"):
		return tanhOf(x)
	case v.IsOp("log1p"):
		return tanhOf(query.OneMinusSquareOf(x, true))
	case exceedsOne(x.Input(0)):
	default:
		return tanhOf(query.OneMinusSquareOf(x, false))
	}
	return query.Seen{}
}

// exceedsOne reports whether a constant is more than one in float32, where 1 + 1e-8 is 1: no square of a tanh comes up to it.
func exceedsOne(s query.Seen) bool {
	c, ok := s.Float()
	return ok && float32(c) > 1
}

// tanhOf returns s where it is the tanh of something without bounds.
func tanhOf(s query.Seen) query.Seen {
	if !s.Known() || !s.IsOp("tanh", "Tanh") || len(s.In) == 0 || s.Lib == infer.LibNumpy {
		return query.Seen{}
	}
	x := s.Input(len(s.In) - 1).Strip()
	bounded := x.Known() && (x.IsOp("clamp", "clip", "hardtanh", "tanh", "sigmoid") || x.Squashed().Known() || x.Q.Range.Lo > domain.NegInf && x.Q.Range.Hi < domain.PosInf || isDrawnNear(x))
	if bounded {
		return query.Seen{}
	}
	return s
}

// isDrawnNear reports whether a value is drawn around a squashed mean with a deviation of one or less: no draw comes to where a tanh of it saturates.
func isDrawnNear(x query.Seen) bool {
	if x.IsOp("rsample", "sample") && len(x.In) > 0 {
		law, ok := infer.RefOf(x.In[0]).(*infer.LibObject)
		return ok && law.Name == "torch.distributions.Normal" && x.Of(law.Args["loc"]).Squashed().Known() && isSmall(x.Of(law.Args["scale"]))
	}
	if !x.IsOp("add") || len(x.In) < 2 {
		return false
	}
	a, b := x.Input(0), x.Input(1)
	return a.Squashed().Known() && isSmallNoise(b) || b.Squashed().Known() && isSmallNoise(a)
}

// isSmallNoise reports whether a value is noise, scaled by one or less.
func isSmallNoise(x query.Seen) bool {
	x = x.Strip()
	if !x.Known() || !x.IsOp("mul") || len(x.In) < 2 {
		return false
	}
	a, b := x.Input(0), x.Input(1)
	return a.Is(domain.Noise) && isSmall(b) || b.Is(domain.Noise) && isSmall(a)
}

// isSmall reports whether a deviation is one at most.
func isSmall(x query.Seen) bool {
	return x.Known() && x.Q.Range.Hi <= domain.One
}
