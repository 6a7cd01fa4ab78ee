// Package masknotinverted is rule VAL070, mask-not-inverted; rule.md says what it finds.
package masknotinverted

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

// Analyzer reports targets that count the next value where an episode ended, and nowhere else.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, b := range p.Bellmans() {
		for _, n := range b.Next {
			for _, m := range n.Masks {
				if saysEnd(m) && p.In(b.At.Frame) != nil {
					p.Report(pass.At(b.At.Val, m.Val))
				}
			}
		}
	}
}

// saysEnd reports whether a mask is 1 where an episode ended. A flag of truncation is no such mask: an episode that a limit of time cut goes on,
// so its reward is given the value of what would have come next.
func saysEnd(mask query.Seen) bool {
	x := mask.Strip()
	return x.Known() && mask.Is(domain.Done|domain.Terminated) && !x.IsOneMinus() && !x.IsOp("not", "logical_not", "invert")
}
