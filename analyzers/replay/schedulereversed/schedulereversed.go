// Package schedulereversed is rule OFF016, schedule-reversed; rule.md says what it finds.
package schedulereversed

import (
	_ "embed"
	"fmt"
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

// Analyzer reports numbers that jump to their bound at once, or that never move towards it.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if !p.Trains(f) {
			continue
		}
		for _, b := range p.Bounded(f) {
			if b.Up != b.Least && apart(b.Bound, b.Starts, !b.Up) { // min cuts what falls, max what rises
				p.Report(pass.Finding{
					At: b.Call, Frame: f, Evidence: domain.Derived,
					Why: fmt.Sprintf("it starts at %g, so the first round sets it to %g, and exploration or annealing ends there", b.Starts[0], b.Bound[0]),
				})
			}
		}
		for _, d := range p.Decays(f) {
			if cond, bound := testOf(p, d); cond != nil && apart(bound, d.Starts, !d.Up) {
				p.Report(pass.Finding{
					At: cond, Frame: f, Evidence: domain.Derived,
					Message: "the condition under which this schedule moves never holds",
					Why:     fmt.Sprintf("it starts at %g, on the other side of %g, so that it stays there for the whole run", d.Starts[0], bound[0]),
					Help:    "turn the comparison round",
				})
			}
		}
	}
}

// apart reports whether all bounds lie below all starts, or above them.
func apart(bounds, starts []float64, below bool) bool {
	if len(bounds) == 0 || len(starts) == 0 {
		return false
	}
	if below {
		return slices.Max(bounds) < slices.Min(starts)
	}
	return slices.Min(bounds) > slices.Max(starts)
}

// testOf is the comparison of the number with a bound on whose far side alone it is moved: of one that falls that it is less than
// the bound.
func testOf(p *pass.Pass, d query.Decay) (cond ast.Expr, bound []float64) {
	st, ok := p.In(d.Frame).Parent(d.Node).(*ast.If)
	if !ok || !slices.Contains(st.Then, d.Node) {
		return nil, nil
	}
	c, ok := st.Cond.(*ast.Compare)
	if !ok || len(c.Ops) != 1 || len(c.Ys) != 1 {
		return nil, nil
	}
	less, x, y := c.Ops[0] == ast.Lt || c.Ops[0] == ast.LtE, c.X, c.Ys[0]
	if !less && c.Ops[0] != ast.Gt && c.Ops[0] != ast.GtE {
		return nil, nil
	}
	if query.Path(y) == d.Path {
		less, x, y = !less, y, x
	}
	if query.Path(x) != d.Path || less == d.Up {
		return nil, nil
	}
	bound, ok = p.See(d.Frame.Val(y)).Numbers()
	if !ok {
		return nil, nil
	}
	return c, bound
}
