// Package groupstatistictiled is rule ADV023, group-statistic-tiled; rule.md says what it finds.
package groupstatistictiled

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

// Analyzer reports statistics of groups that are brought back to the batch in another order.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	mixedGroups(p)
	mixedAxes(p)
	for _, op := range p.Made("sub", "div", "mul", "add") {
		if len(op.In) < 2 {
			continue
		}
		s := p.See(op)
		for i := range 2 {
			if by, statistic, back, ok := broughtBack(s.Input(1 - i)); ok && isBatch(s.Input(i), by) {
				report(p, op, by, statistic, back)
				break
			}
		}
	}
}

// broughtBack reads s as a statistic of groups that is repeated in an order that is not that of the groups.
func broughtBack(s query.Seen) (by query.Grouped, statistic, back query.Seen, ok bool) {
	back = s.SameShape()
	if x, _, ok := query.Eps(back.Val); ok {
		back = back.Of(x).SameShape()
	}
	if !back.Known() || !back.IsOp("repeat", "tile", "repeat_interleave") || len(back.In) < 2 || back.In[0] == nil {
		return
	}
	times := query.Sizes(back.Val)
	if len(times) != 1 {
		return // a table, not a batch
	}
	statistic = back.Input(0).SameShape()
	if !statistic.Known() || !statistic.IsOp("mean", "std", "var", "amax", "amin", "sum", "nanmean") {
		return
	}
	by, ok = query.GroupedBy(statistic.Val)
	return by, statistic, back, ok && by.Rows != back.IsOp("repeat_interleave") && back.Of(times[0]).Same(statistic.Of(by.Size))
}

// isBatch reports whether s is the flat batch that was cut into groups, or the batch less a mean, in its order.
func isBatch(s query.Seen, by query.Grouped) bool {
	for range 4 {
		s = s.SameShape()
		if !s.Known() {
			return false
		}
		flat := s.Of(by.Flat).SameShape()
		if flat.Known() && flat.Val == s.Val {
			return true
		}
		if !s.IsOp("sub", "div", "mul") || len(s.In) == 0 {
			return false
		}
		s = s.Input(0)
	}
	return false
}

func report(p *pass.Pass, op *infer.Val, by query.Grouped, statistic, back query.Seen) {
	f := pass.At(op, back.Val)
	f.Evidence = domain.Derived
	f.Related = p.Here(statistic.Val, "one value a group, in the order of the groups")
	if !by.Rows {
		f.Help = "use `.repeat(n)`, or look at the batch as `view(-1, n)` if the samples of a group lie together"
	}
	p.Report(f)
}
