// Package truncationasterminal is rule VAL001, truncation-as-terminal; rule.md says what it finds.
package truncationasterminal

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

// Analyzer reports targets of a temporal difference that count no next value where an episode was only cut off.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, b := range p.Bellmans() {
		if p.AddedUp(b) {
			continue
		}
		for _, n := range b.Next {
			for _, m := range n.Masks {
				if either := eitherEnd(p, m); !n.Carried && either.Known() && !p.CutsAreEnds() {
					f := pass.At(m.Val, m.Val)
					f.Evidence, f.Related = domain.Derived, p.Here(either.Val, "a limit of time counts like the end of the task here")
					p.Report(f)
				}
			}
		}
	}
	withoutNext(p)
}

// eitherEnd is the choice of terminated or truncated that a mask is made of, also before it was kept in a buffer.
func eitherEnd(p *pass.Pass, mask query.Seen) query.Seen {
	var found query.Seen
	look := func(v *infer.Val) bool {
		s := p.See(v)
		// A phi is what "terminated or truncated" yields where both are known.
		if s.IsOp("or", "bitor", "logical_or", "bitwise_or", "maximum", infer.OpPhi) && len(s.In) == 2 && s.In[0] != nil && s.In[1] != nil &&
			(s.Input(0).IsEnd(domain.Terminated) && s.Input(1).IsEnd(domain.Truncated) || s.Input(0).IsEnd(domain.Truncated) && s.Input(1).IsEnd(domain.Terminated)) {
			found = s
		}
		return !found.Known() && (infer.Through(v) != nil || v.IsOp("sub", "not", "invert", "logical_not", "int", "bool", infer.OpItem, infer.OpIterate, infer.OpCall, "stack", "cat", "tensor", "array"))
	}
	infer.Walk(mask.Val, nearMask, look)
	if found.Known() {
		return found
	}
	for _, v := range innermost(mask) {
		for _, slot := range p.Roles.SlotsOf(v) {
			for _, w := range slot.Writes {
				infer.Walk(w.Val, nearMask, look)
			}
		}
	}
	return found
}

// nearMask bounds the way from a mask back to the flags that it is made of.
const nearMask = 40

// innermost are a mask and what it is 1 less of.
func innermost(mask query.Seen) []*infer.Val {
	out := []*infer.Val{mask.Val}
	if x := mask.Strip(); x.Known() && x.IsOneMinus() {
		out = append(out, x.In[1])
	}
	return out
}
