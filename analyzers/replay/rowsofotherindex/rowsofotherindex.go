// Package rowsofotherindex is rule OFF070, rows-of-other-index; rule.md says what it finds.
package rowsofotherindex

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports tensors of one minibatch of which the rows are taken by different indices.
var Analyzer = pass.Rule(Doc, run)

// compared are the kinds of what is computed of numbers that belong to one step of an agent.
const compared = domain.LogRatio | domain.TDError | domain.Loss | domain.LogProb

func run(p *pass.Pass) {
	told := map[ast.Node]bool{}
	otherOrder(p, told)
	for _, v := range p.Made("sub", "mul", "div", "log_prob", "mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss") {
		if !v.Is(compared) || v.Q.Grad != domain.Attached || len(v.In) < 2 {
			continue
		}
		for _, s := range p.Paths(v) {
			odd, other, ok := mismatch(s.Input(0).RowsTaken(), s.Input(1).RowsTaken())
			if ok && odd.At.Node != nil && !told[odd.At.Node] && p.In(odd.At.Frame) != nil {
				told[odd.At.Node] = true
				f := pass.At(odd.At.Val)
				f.Evidence = domain.Derived
				f.Called = called(p, odd, other)
				f.Related = append(p.Here(other.At.Val, "these rows are taken of what it meets"), p.Here(v, "they meet here, row by row")...)
				p.Report(f)
			}
		}
	}
}

// mismatch compares two sides of which each takes its rows by one index. Odd is the side that does not take them by the positions
// that the minibatch was drawn with.
func mismatch(a, b []query.Rows) (odd, other query.Rows, ok bool) {
	if !agree(a) || !agree(b) || !a[0].Apart(b[0]) {
		return query.Rows{}, query.Rows{}, false
	}
	if !a[0].Drawn || b[0].Drawn && isFixed(a[0].Index) {
		return a[0], b[0], true
	}
	return b[0], a[0], true
}

// called is what the program calls the tensor with the other rows, and the index of the minibatch.
func called(p *pass.Pass, odd, other query.Rows) pass.Called {
	tensor, ok := odd.At.Node.(*ast.Subscript)
	index, ok2 := other.At.Node.(*ast.Subscript)
	if !ok || !ok2 || odd.At.Frame != other.At.Frame {
		return nil // names of another function say nothing here
	}
	src := p.In(odd.At.Frame)
	return pass.Called{"old_logp": src.Text(tensor.X), "index": src.Text(index.Index)}
}

// agree reports whether rows are taken, and all by one index.
func agree(list []query.Rows) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(r query.Rows) bool { return !r.SameRows(list[0]) })
}

// isFixed reports whether an index is a part of positions that begins at the first of them.
func isFixed(idx query.Seen) bool {
	sub, ok := idx.Item().Node.(*ast.Subscript)
	if !ok {
		return false
	}
	part, ok := sub.Index.(*ast.Slice)
	return ok && part.Low == nil
}
