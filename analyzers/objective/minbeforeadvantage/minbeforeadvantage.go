// Package minbeforeadvantage is rule OBJ040, min-before-advantage; rule.md says what it finds.
package minbeforeadvantage

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

// Analyzer reports the smaller of a ratio and its clamp, taken before either is multiplied by the advantage.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("minimum", "min") {
		if len(v.In) < 2 || v.In[0] == nil || v.In[1] == nil || v.Node == nil {
			continue
		}
		s := p.See(v)
		for i := range 2 {
			if c, ok := query.ClipOf(s.Input(i)); ok && c.X.Same(s.Input(1-i)) && aroundOne(c) {
				if weight := p.Weighed(v); weight != nil && !c.X.IsCutRatio() {
					f := pass.At(v, c.At.Val)
					f.Evidence, f.Related = domain.Derived, p.Here(weight, "the advantage comes in here, when the choice is made")
					p.Report(f)
				}
				break
			}
		}
	}
}

// aroundOne reports whether a band is 1 - e to 1 + e.
func aroundOne(c query.Clip) bool {
	if !c.Lo.Known() || !c.Hi.Known() {
		return false
	}
	lo, isLo := c.Lo.Strip().Float()
	hi, isHi := c.Hi.Strip().Float()
	if isLo && isHi {
		return lo > 0 && lo < 1 && hi > 1
	}
	return c.Lo.Strip().IsOneMinus() && isOnePlus(c.Hi.Strip())
}

func isOnePlus(s query.Seen) bool {
	if !s.Known() || !s.IsOp("add") || len(s.In) < 2 {
		return false
	}
	for i := range 2 {
		if x, ok := s.Input(i).Float(); ok && x == 1 {
			return true
		}
	}
	return false
}
