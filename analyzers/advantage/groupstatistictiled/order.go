package groupstatistictiled

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// mixedGroups reports batches that are cut into groups in another order than that in which the prompts were repeated.
func mixedGroups(p *pass.Pass) {
	said := map[*infer.Val]bool{}
	for _, v := range p.Made("mean", "std", "var") {
		by, ok := query.GroupedBy(v)
		if !ok || said[by.Flat] {
			continue
		}
		repeats := query.Repeats(by.Flat)
		if len(repeats) == 0 || !slices.ContainsFunc(repeats, func(r *infer.Val) bool { return query.HasRows(r.In[0]) }) ||
			slices.ContainsFunc(repeats, func(r *infer.Val) bool { return !inOtherOrder(p, v, by, r) }) {
			continue
		}
		said[by.Flat] = true
		f := pass.At(v, v)
		f.Evidence = domain.Derived
		f.Message = "groups are cut across prompts"
		f.Why = "answers to different prompts make a group, so advantages say which prompt was easier"
		for _, r := range repeats {
			f.Related = append(f.Related, p.Here(r, "rows are repeated here, in another order than that of the groups")...)
		}
		if by.Rows && len(f.Related) > 1 {
			f.Help = "use `repeat_interleave(n)` at every one of these repeats: where only one changes, rows no longer belong together"
		}
		if !by.Rows {
			f.Help = "look at the batch as `view(-1, n)`, with groups as rows"
		}
		p.Report(f)
	}
}

// inOtherOrder reports whether what was repeated lies in another order than the groups of a batch, of as many each.
func inOtherOrder(p *pass.Pass, reduction *infer.Val, by query.Grouped, repeat *infer.Val) bool {
	sizes := query.Sizes(repeat)
	if len(sizes) == 0 || sizes[0] == nil || !p.See(sizes[0]).Same(p.See(reduction).Of(by.Size)) {
		return false
	}
	if repeat.IsOp("repeat_interleave") {
		return !by.Rows
	}
	return by.Rows && !slices.ContainsFunc(sizes[1:], func(n *infer.Val) bool {
		one, ok := n.Int()
		return !ok || one != 1
	})
}

// mixedAxes reports batches of which the mean is taken along one axis and the spread along the other.
func mixedAxes(p *pass.Pass) {
	for _, div := range p.Made("div") {
		if len(div.In) < 2 || div.In[0] == nil || div.In[1] == nil {
			continue
		}
		s := p.See(div)
		centred, spread := s.Input(0).Strip(), s.Input(1).SameShape()
		if x, _, ok := query.Eps(spread.Val); ok {
			spread = spread.Of(x).SameShape()
		}
		if !centred.IsOp("sub") || len(centred.In) < 2 || !spread.IsOp("std", "var") {
			continue
		}
		mean := centred.Input(1).SameShape()
		if !mean.IsOp("mean") || !centred.Input(0).Same(mean.Input(0)) || !mean.Input(0).Same(spread.Input(0)) {
			continue
		}
		if axesDiffer(mean, spread) {
			f := pass.At(div, mean.Val)
			f.Evidence = domain.Derived
			f.Message = "mean and spread are taken along different dimensions"
			f.Why = "samples are compared with the mean of other groups, or divided by their spread"
			f.Help = "take both along the dimension of the group"
			f.Related = p.Here(mean.Val, "the mean is of other numbers than the spread")
			p.Report(f)
		}
	}
}

// axesDiffer reports whether two reductions of one table of two axes are along different ones.
func axesDiffer(a, b query.Seen) bool {
	i, ok := a.Arg("dim").Int()
	j, ok2 := b.Arg("dim").Int()
	if !ok || !ok2 || i == j {
		return false
	}
	shape := a.Input(0).Q.Shape
	return (i < 0) == (j < 0) || shape.Known() && shape.Rank == 2 && (i+2)%2 != (j+2)%2
}
