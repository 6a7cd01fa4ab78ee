// Package stdcomparedtozero is rule ADV024, std-compared-to-zero; rule.md says what it finds.
package stdcomparedtozero

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

// Analyzer reports standard deviations of rewards that are compared with exactly 0.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, cmp := range p.Made("eq", "ne", "gt", "le", "lt", "ge") {
		if len(cmp.In) != 2 {
			continue
		}
		for i := range 2 {
			zero, ok := cmp.In[i].Float()
			x := p.SpreadOf(cmp.In[1-i])
			if ok && zero == 0 && x != nil && isReward(p.See(x)) && !p.Discounted(x) {
				f := pass.At(cmp, infer.Strip(cmp.In[1-i]))
				f.Evidence = domain.Derived
				p.Report(f)
				break
			}
		}
	}
}

// isReward reports whether values are rewards: discounted returns, which an array is filled with one by one, are
// hardly ever equal.
func isReward(x query.Seen) bool {
	filled := false
	infer.Walk(x.Val, 20, func(v *infer.Val) bool {
		filled = filled || v.Op == infer.OpStore || infer.Blank(v)
		return !filled
	})
	return !filled && x.Is(domain.Reward|domain.Advantage) && !x.Is(domain.Return)
}
