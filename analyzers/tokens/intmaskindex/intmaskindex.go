// Package intmaskindex is rule TOK007, int-mask-index; rule.md says what it finds.
package intmaskindex

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

// Analyzer reports masks of integers that choose elements.
var Analyzer = pass.Rule(Doc, run)

// perToken are quantities of which each token has one, so that a mask of tokens fits them; a table of two rows is none.
const perToken = domain.LogProb | domain.LogRatio | domain.Ratio | domain.KL | domain.Entropy | domain.StateValue | domain.Advantage |
	domain.Return | domain.TokenIDs | domain.Loss | domain.Reward

func run(p *pass.Pass) {
	for _, v := range p.Made(infer.OpItem, infer.OpStore) {
		at := 1
		if v.Op == infer.OpStore {
			at = 2
		}
		if len(v.In) <= at || v.In[0] == nil || v.In[at] == nil || !v.In[0].Is(perToken) || v.In[at].Node == nil {
			continue
		}
		index := p.See(v).Input(at)
		if !index.Is(domain.Mask) || !index.IsIntegers() || query.IsNumber(index.Val) {
			continue
		}
		if s := v.In[0].Q.Shape; s.Known() && s.Rank > 0 && s.Dims[0].N == 2 {
			continue // a row for each of the two values
		}
		f := pass.At(v, index.Val)
		if v.Node == nil || v.Op == infer.OpStore {
			f = pass.At(index.Val, index.Val)
		}
		f.Evidence = domain.Derived
		p.Report(f)
	}
}
