// Package noisemeanisbias is rule DIST010, noise-mean-is-bias; rule.md says what it
// finds.
package noisemeanisbias

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports noise centred on a bias that the action already includes.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	walks(p)
	for _, sum := range p.Ops("torch.add") {
		s := p.See(sum)
		for i := range min(2, len(sum.In)) {
			noise := draw(s.Input(i))
			if !noise.Known() {
				continue
			}
			mean := noise.Of(meanOf(noise.Val))
			if holds(s.Input(1-i), mean) {
				p.Report(finding(p, sum, noise.Val, mean.Val))
			}
		}
	}
}

// draw follows a summand back to the normal draw that it is, through clipping.
func draw(s query.Seen) query.Seen {
	for range 8 {
		s = s.Strip()
		switch {
		case !s.Known():
			return query.Seen{}
		case s.IsOp("normal"):
			return s
		case !s.IsOp("clamp", "clip"):
			return query.Seen{}
		}
		s = s.Input(0)
	}
	return query.Seen{}
}

// meanOf returns the mean of a draw.
func meanOf(v *infer.Val) *infer.Val {
	if v.Arg("loc") != nil {
		return v.Arg("loc")
	}
	return v.Arg("mean")
}

// holds reports whether the mean is a summand of the other operand.
func holds(s, mean query.Seen) bool {
	if !mean.Known() || mean.Const != nil {
		return false
	}
	terms := query.TermsOf(s, 1)
	if len(terms) < 2 {
		return false
	}
	if !slices.ContainsFunc(terms, func(t query.Term) bool { return isMade(t.Seen, 8) }) {
		return false
	}
	for _, t := range terms {
		if t.Sign > 0 && (t.Same(mean) || sameAttribute(t.Seen.Val, mean.Val)) {
			return true
		}
	}
	return false
}

// isMade reports whether a policy made a term: it was squashed or is what a network yields, up to a scale. A walk with a drift is no action.
func isMade(s query.Seen, depth int) bool {
	s = s.SameShape()
	switch {
	case !s.Known() || depth == 0:
		return false
	case s.Is(domain.Action), s.IsOp("tanh", "clamp", "clip", "sigmoid"), strings.HasPrefix(s.Op, "torch.nn.") && strings.HasSuffix(s.Op, ".__call__"):
		return true
	}
	return s.IsOp("mul", "div") && len(s.In) > 1 && (isMade(s.Input(0), depth-1) || isMade(s.Input(1), depth-1))
}

// sameAttribute reports whether both are the same attribute of one object.
func sameAttribute(a, b *infer.Val) bool {
	a, b = infer.Strip(a), infer.Strip(b)
	if a == nil || b == nil || a.Op != b.Op || len(a.In) != 1 || len(b.In) != 1 || a.In[0] == nil || b.In[0] == nil {
		return false
	}
	return a.In[0].Ref != nil && a.In[0].Ref == b.In[0].Ref
}

func finding(p *pass.Pass, sum, noise, mean *infer.Val) pass.Finding {
	f := pass.At(noise, mean)
	e := p.Operand(noise, mean)
	if e == nil {
		return f
	}
	src := p.In(noise.Frame)
	name := "torch.zeros_like"
	if noise.Lib == infer.LibNumpy {
		name = "numpy.zeros_like"
	}
	zeros, imports := src.Spell(name)
	f.Fix = &pass.Fix{
		Message: "Centre the noise on 0",
		Edits:   src.Replace(e, zeros+"("+src.Text(e)+")"),
		Imports: imports,
	}
	f.Related = p.Here(sum, "the noise is added here")
	return f
}
