// Package masknotinverted is rule VAL070, mask-not-inverted; rule.md says what it finds.
package masknotinverted

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

// Analyzer reports targets that count the next value where an episode ended, and nowhere else.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, b := range p.Bellmans() {
		for _, n := range b.Next {
			for _, m := range n.Masks {
				if p.In(b.At.Frame) == nil {
					continue
				}
				if saysEnd(m) {
					p.Report(pass.At(b.At.Val, m.Val))
				} else if kept := invertedBefore(p, m); kept != nil {
					f := pass.At(b.At.Val, m.Val)
					f.Related, f.Help = p.Here(kept, "what is stored is the complement already"), "multiply the discounted next value by what is stored, as it is"
					p.Report(f)
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

// invertedBefore is the complement of the flag that a memory keeps, where a mask is the complement of that again; nil where it is another mask, or
// one place or more stores something else.
func invertedBefore(p *pass.Pass, mask query.Seen) *infer.Val {
	x := mask.Strip()
	if !x.Known() {
		return nil
	}
	from := complemented(x)
	if !from.Known() {
		return nil
	}
	slots := p.Roles.SlotsOf(from.Val)
	if len(slots) != 1 {
		return nil
	}
	var at *infer.Val
	for _, w := range slots[0].Writes {
		stored := p.See(w.Val).Strip()
		if !stored.Known() {
			return nil
		}
		if flag := complemented(stored); !flag.SaysEnd() {
			return nil
		}
		at = stored.Val
	}
	return at
}

// complemented is what s is the complement of: x of 1 - x and not x.
func complemented(s query.Seen) query.Seen {
	switch {
	case s.IsOneMinus():
		return s.Input(1).Strip()
	case s.IsOp("not", "logical_not", "invert") && len(s.In) > 0:
		return s.Input(0).Strip()
	}
	return query.Seen{}
}
