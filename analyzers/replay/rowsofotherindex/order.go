package rowsofotherindex

import (
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// otherOrder reports rows that are split, or meet others, in another order than that in which they were laid out. Groups of answers to one prompt are
// left to group-statistic-tiled.
func otherOrder(p *pass.Pass, told map[ast.Node]bool) {
	report := func(m query.MisSplit, laid []*infer.Val, message, why, help, note string) {
		if m.At == nil || m.At.Node == nil || told[m.At.Node] || p.In(m.At.Frame) == nil {
			return
		}
		told[m.At.Node] = true
		f := pass.At(m.At)
		f.Evidence = domain.Derived
		f.Message, f.Why, f.Help = message, why, help
		for _, v := range laid {
			f.Related = append(f.Related, p.Here(v, note)...)
		}
		p.Report(f)
	}
	for _, v := range p.Made("view", "reshape", "unflatten") {
		for _, m := range p.MisSplits(v) {
			if !m.Of(query.OfCopies) && !m.Of(query.OfParts) {
				report(m, m.Laid(), "the axis is split in another order than it was put together in",
					"each sequence is made of steps of several environments, so nothing in it follows from what stands before",
					"name the sizes in the order in which they were flattened, and transpose afterwards", "the axis was put together here")
			}
		}
	}
	for _, v := range p.Made("sub", "gt", "lt") {
		for _, s := range p.Paths(v) {
			if m, ok := s.MisSplitPairs(); ok && m.Of(query.OfParts) {
				report(m, m.Laid(), "these halves are not the ones that were put together",
					"both halves hold rows of either kind, so what is compared belongs to other samples",
					"take `x[0::2]` and `x[1::2]` of rows side by side, and `x.chunk(2)` of rows that were joined one behind another", "the rows were put together here")
			}
		}
	}
	for _, v := range p.Made("sub", "mul", "div", "log_prob", "mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss") {
		if v.Q.Grad != domain.Attached {
			continue
		}
		for _, rows := range p.Mispairings(v) {
			a, b := rows.A, rows.B
			if a.Of(query.OfCopies) || b.Of(query.OfCopies) {
				continue
			}
			if a.At.Seq < b.At.Seq {
				a, b = b, a
			}
			report(a, []*infer.Val{b.At}, "these rows are in another order than those that they meet",
				"each number belongs to another step or another agent than the one that it is paired with, so the update follows noise",
				"flatten all tensors of the batch in one order: transpose all of them before, or none", "the rows that they meet were laid out here")
		}
	}
}
