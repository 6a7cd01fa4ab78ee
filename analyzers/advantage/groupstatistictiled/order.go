package groupstatistictiled

import (
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// mixedGroups reports batches that are cut into groups in another order than that in which the prompts were repeated.
func mixedGroups(p *pass.Pass) {
	said := map[ast.Node]bool{}
	for _, v := range p.Made("view", "reshape", "unflatten", infer.OpItem) {
		for _, m := range p.MisSplits(v) {
			if m.Of(query.OfCopies) && (v.Op != infer.OpItem || isGroup(p, v)) {
				cutAcross(p, m, m.Laid(), said)
			}
		}
	}
	// What the rows of a batch are may be lost in a function out of sight; it is seen again where its advantages meet its log-probabilities.
	for _, v := range p.Made("mul") {
		if v.Q.Grad != domain.Attached {
			continue
		}
		for _, rows := range p.Mispairings(v) {
			switch a, b := rows.A, rows.B; {
			case a.Of(query.OfSplit) && b.Of(query.OfCopies):
				cutAcross(p, a, b.Laid(), said)
			case b.Of(query.OfSplit) && a.Of(query.OfCopies):
				cutAcross(p, b, a.Laid(), said)
			}
		}
	}
}

// isGroup reports whether a slice is compared with its own mean, or ranked, and is no minibatch.
func isGroup(p *pass.Pass, slice *infer.Val) bool {
	for list := []*infer.Val{slice}; len(list) > 0; list = list[1:] {
		for _, u := range p.UsesOf(list[0]) {
			if u.IsOp("mean", "std", "var", "max", "min", "sum", "argmax", "amax") && len(u.In) > 0 && u.In[0] == list[0] {
				return true
			}
			if u.IsOp("tensor", "array", "as_tensor", "asarray", "to", "float") && len(list) < 8 {
				list = append(list, u)
			}
		}
	}
	return false
}

func cutAcross(p *pass.Pass, m query.MisSplit, laid []*infer.Val, said map[ast.Node]bool) {
	if m.At == nil || said[m.At.Node] || p.In(m.At.Frame) == nil {
		return
	}
	said[m.At.Node] = true
	f := pass.At(m.At, m.At)
	f.Evidence = domain.Derived
	f.Message = "groups are cut across prompts"
	f.Why = "answers to different prompts make a group, so advantages say which prompt was easier"
	for _, r := range laid {
		f.Related = append(f.Related, p.Here(r, "rows are repeated here, in another order than that of the groups")...)
	}
	f.Help = "repeat each prompt in place, as `repeat_interleave(n, dim=0)` does, or look at the batch as `view(n, -1)`"
	if len(laid) > 1 {
		f.Help = "use `repeat_interleave(n)` at every one of these repeats: where only one changes, rows no longer belong together"
	}
	if len(m.Axis) > 0 && m.Axis[len(m.Axis)-1].Kind == query.OfCopies {
		f.Help = "look at the batch as `view(-1, n)`, with groups as rows"
	}
	p.Report(f)
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
