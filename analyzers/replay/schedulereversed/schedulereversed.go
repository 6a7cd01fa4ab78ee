// Package schedulereversed is rule OFF016, schedule-reversed; rule.md says what it finds.
package schedulereversed

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
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
		for _, call := range f.Nodes() {
			if call, ok := call.(*ast.Call); ok && fallsAtOnce(p, f, call) {
				p.Report(pass.Finding{
					At: call, Frame: f, Evidence: domain.Derived,
					Message: "a schedule is at its bound from the third step on",
					Why:     "the number of the step is subtracted undivided, so that a rate of at most 1 is gone at once, and exploration or annealing ends there",
					Help:    "divide the number of the step: `start - (step + 1) / n`, not `start - step + 1 / n`",
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

// fallsAtOnce reports whether a call of max bounds a rate from below from which the number of the step is subtracted as it is: what begins at 1 or
// less is below the bound two steps later.
func fallsAtOnce(p *pass.Pass, f *infer.Frame, call *ast.Call) bool {
	name := query.CalledSymbol(f, call)
	if name != "builtins.max" && name != "numpy.maximum" || len(call.Args) != 2 || len(call.Keywords) > 0 {
		return false
	}
	for i, e := range call.Args {
		bound, ok := p.See(f.Val(call.Args[1-i])).Numbers()
		if !ok || slices.Min(bound) <= 0 || slices.Max(bound) >= 1 {
			continue
		}
		starts, counts := false, false
		sum := 0.0
		for _, t := range summands(e, false, 0) {
			if t.minus {
				counts = counts || isStep(p, f, t.expr)
				continue
			}
			most, ok := atMost(p, f, t.expr)
			if !ok {
				return false
			}
			starts = starts || most > slices.Max(bound)
			sum += most
		}
		if starts && counts && sum <= 2 {
			return true
		}
	}
	return false
}

// summand is a term of a sum or difference, as it is written.
type summand struct {
	expr  ast.Expr
	minus bool
}

// summands takes a sum apart; minus says that it is subtracted.
func summands(e ast.Expr, minus bool, depth int) []summand {
	b, ok := e.(*ast.BinOp)
	if !ok || b.Op != ast.Add && b.Op != ast.Sub || depth == maxSummands {
		return []summand{{e, minus}}
	}
	return append(summands(b.X, minus, depth+1), summands(b.Y, minus != (b.Op == ast.Sub), depth+1)...)
}

// maxSummands bounds how deep a sum is taken apart.
const maxSummands = 8

// atMost is the largest number that a term may be: a setting that is at most 1, or a quotient of 1 and a count.
func atMost(p *pass.Pass, f *infer.Frame, e ast.Expr) (float64, bool) {
	if b, ok := e.(*ast.BinOp); ok && b.Op == ast.Div {
		over, ok1 := p.See(f.Val(b.X)).Numbers()
		under, ok2 := p.See(f.Val(b.Y)).Numbers()
		return 1, ok1 && ok2 && slices.Min(over) >= 0 && slices.Min(under) > 0 && slices.Max(over) <= slices.Min(under)
	}
	list, ok := p.See(f.Val(e)).Numbers()
	if !ok || slices.Min(list) < 0 {
		return 0, false
	}
	return slices.Max(list), slices.Max(list) <= 1
}

// isStep reports whether a variable or field grows by at least 1 a step, from 0 on.
func isStep(p *pass.Pass, f *infer.Frame, e ast.Expr) bool {
	switch e.(type) {
	case *ast.Name, *ast.Attribute:
	default:
		return false
	}
	counters := p.Counters(f, e)
	return len(counters) > 0 && !slices.ContainsFunc(counters, func(c query.Counter) bool {
		return !c.Loop && !addsWhole(p, c.Advance)
	})
}

// addsWhole reports whether a statement adds 1 or more.
func addsWhole(p *pass.Pass, at query.Place) bool {
	var by ast.Expr
	switch st := at.Node.(type) {
	case *ast.AugAssign:
		by = st.Value
	case *ast.Assign:
		if b, ok := st.Value.(*ast.BinOp); ok && b.Op == ast.Add {
			by = b.Y
		}
	}
	if by == nil {
		return false
	}
	list, ok := p.See(at.Frame.Val(by)).Numbers()
	return ok && slices.Min(list) >= 1
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
