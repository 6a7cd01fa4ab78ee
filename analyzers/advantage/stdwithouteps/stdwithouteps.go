// Package stdwithouteps is rule ADV009, std-without-eps; rule.md says what it finds.
package stdwithouteps

import (
	_ "embed"
	"maps"
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

// Analyzer reports divisions by a spread that may be zero.
var Analyzer = pass.Rule(Doc, run)

// candidate is a quotient, its denominator, and the values whose spread that is.
type candidate struct{ quotient, den, of *infer.Val }

func run(p *pass.Pass) {
	var candidates []candidate
	for _, div := range p.Ops("torch.div") {
		if len(div.In) < 2 || div.In[0] == nil || div.In[1] == nil || query.HasKeyword(div, "where") {
			continue
		}
		if x := p.SpreadOf(div.In[1]); x != nil && query.Standardises(div.In[0], x) && !misplacedEps(p, div) {
			candidates = append(candidates, candidate{div, div.In[1], x})
		}
	}
	for _, inv := range p.Ops("torch.rsqrt") {
		if len(inv.In) > 0 && query.IsVariance(infer.Strip(inv.In[0])) {
			candidates = append(candidates, candidate{inv, inv.In[0], infer.Strip(inv.In[0]).In[0]})
		}
	}
	r := newReader(p)
	fed := fed(r, candidates)
	for _, c := range candidates {
		if !fed[c.quotient.Node] && !spares(p, c) && !idle(r, c.quotient, c.den, c.of) {
			p.Report(quotient(r, c.quotient, c.den, c.of))
		}
	}
}

// spares reports whether something keeps the spread from zero.
func spares(p *pass.Pass, c candidate) bool {
	return c.den.Q.Range.NonZero || isRamp(c.of) || ofAll(infer.Strip(c.den)) && holdsMark(c.of) || isFiltered(c.den) || keptBySpread(p, c.of) || p.Protected(c.quotient) || p.Replaced(c.quotient) || p.ChecksContent(c.quotient, c.of) || p.Demands(c.den)
}

// isRamp reports whether x counts up, or ranks something, so that its values are not equal.
func isRamp(x *infer.Val) bool {
	x = infer.Strip(x)
	for range 4 {
		if x == nil || !x.IsOp("add", "sub", "mul", "div") || len(x.In) < 2 || x.In[1] == nil || !query.IsNumber(x.In[1]) && !x.In[1].Is(domain.Count) {
			break
		}
		x = infer.Strip(x.In[0])
	}
	if x == nil {
		return false
	}
	if x.Op == infer.OpStore && len(x.In) > 2 {
		// ranks[scores.argsort()] = arange(n) stores each number of the ramp once
		at := infer.Strip(x.In[2])
		return at != nil && at.IsOp("argsort", "randperm") && ramps(infer.Strip(x.In[1]))
	}
	return ramps(x)
}

// ramps reports whether the values of x are all different by the way that it was made.
func ramps(x *infer.Val) bool {
	return x != nil && x.IsOp("arange", "linspace", "logspace", "argsort", "randperm")
}

// ofAll reports whether a spread is one number.
func ofAll(spread *infer.Val) bool {
	return spread != nil && spread.Fn != nil && spread.Arg("axis") == nil && spread.Arg("dim") == nil
}

// holdsMark reports whether x was put together of parts of which one marks a position among others, as the number of an agent in its
// observation: zeros, in which a number was stored.
func holdsMark(x *infer.Val) bool {
	x = infer.Strip(x)
	if x == nil || !x.IsOp("concatenate", "concat", "cat", "hstack", "append") || len(x.In) == 0 || x.In[0] == nil {
		return false
	}
	parts, ok := x.In[0].Ref.(*infer.SeqRef)
	return ok && slices.ContainsFunc(parts.Elems, func(e *infer.Val) bool {
		e = infer.Strip(e)
		if e == nil || e.Op != infer.OpStore || len(e.In) < 3 || e.In[1] == nil || e.In[2] == nil || e.In[2].Ref != nil {
			return false
		}
		c, known := e.In[1].Float()
		zeros := infer.Strip(e.In[0])
		return known && c != 0 && !e.In[2].Is(domain.Mask) && zeros != nil && zeros.IsOp("zeros", "zeros_like", "new_zeros")
	})
}

// isFiltered reports whether a spread is of what a comparison of spreads left of some data: groups whose rewards are all equal are dropped
// first, as in dynamic sampling.
func isFiltered(spread *infer.Val) bool {
	return infer.Within(spread, near, func(v *infer.Val) bool {
		return v.Op == infer.OpItem && len(v.In) > 1 && infer.Within(v.In[1], near, asksSpread) ||
			v.Guarded(func(g *infer.Guard) bool { return infer.Within(g.Cond, near, asksSpread) })
	})
}

// asksSpread reports whether a condition says that values differ: it compares their spread, or bounds their sum on two sides, as where some
// of them are right and some wrong.
func asksSpread(c *infer.Val) bool {
	isTotal := func(of *infer.Val) bool { return of.IsOp("sum", "mean", "any", "all", "max", "min", "amax", "amin") }
	switch {
	case c.IsOp("ne", "gt", "ge", "lt", "le") && len(c.In) > 1:
		return infer.Within(c.In[0], near, func(of *infer.Val) bool { return of.IsOp("std", "var") }) ||
			infer.Within(c.In[0], near, isTotal) && infer.Within(c.In[1], near, isTotal)
	case c.IsOp("and", "bitand", "bitwise_and", "logical_and", "mul") && len(c.In) > 1:
		return infer.Within(c.In[0], near, isTotal) && infer.Within(c.In[1], near, isTotal)
	}
	return false
}

// keptBySpread reports whether x, or what it was made of, was handed on under a condition on its content: a group goes into a list, or is
// yielded, only where its rewards differ.
func keptBySpread(p *pass.Pass, x *infer.Val) bool {
	var groups []*infer.Val
	infer.Walk(x, near, func(v *infer.Val) bool {
		if v.Const == nil {
			groups = append(groups, v)
		}
		return true
	})
	asked := func(at query.Place, handed *infer.Val) bool {
		return slices.ContainsFunc(groups, func(group *infer.Val) bool {
			return handsOn(handed, group) && slices.ContainsFunc(query.ConditionsOf(at), func(cond *infer.Val) bool { return query.AsksContent(cond, group) })
		})
	}
	for f, yield := range query.Everywhere[*ast.Yield](p.Graph) {
		if yield.X != nil && asked(query.Place{Frame: f, Node: yield}, f.Val(yield.X)) {
			return true
		}
	}
	for f, comp := range query.Everywhere[*ast.Comp](p.Graph) {
		for _, clause := range comp.Clauses {
			if slices.ContainsFunc(clause.Ifs, func(cond ast.Expr) bool { return infer.Within(f.Val(cond), near, asksSpread) }) &&
				slices.ContainsFunc(groups, func(group *infer.Val) bool { return handsOn(f.Val(comp.Elt), group) }) {
				return true
			}
		}
	}
	for f, call := range query.Everywhere[*ast.Call](p.Graph) {
		if len(call.Args) == 1 && query.CalleeName(call) == "append" && asked(query.Place{Frame: f, Node: call}, f.Val(call.Args[0])) {
			return true
		}
	}
	return false
}

// handsOn reports whether a group is what is handed on, or a part of it.
func handsOn(handed, group *infer.Val) bool {
	return slices.ContainsFunc(append(partsOf(handed), handed), func(part *infer.Val) bool { return infer.SameSource(part, group) })
}

// partsOf are the values that a group is handed on as: the elements of a tuple, the items of a dict, the fields of an object.
func partsOf(group *infer.Val) []*infer.Val {
	switch r := infer.RefOf(group).(type) {
	case *infer.SeqRef:
		return slices.Clone(r.Elems)
	case *infer.DictRef:
		return slices.Collect(maps.Values(r.Fields))
	case *infer.Instance:
		return slices.Collect(maps.Values(r.Attrs))
	}
	return nil
}

// near bounds the way from a spread back to the comparison of the spreads before it.
const near = 16

// misplacedEps reports whether an epsilon was added to the quotient or to the
// numerator: that is ADV018, which says where it belongs.
func misplacedEps(p *pass.Pass, div *infer.Val) bool {
	isSum := func(v *infer.Val) bool { _, _, ok := query.Eps(v); return ok }
	return isSum(div.In[0]) || slices.ContainsFunc(p.UsesOf(div), isSum)
}

func quotient(p *reader, v, den, x *infer.Val) pass.Finding {
	f := pass.At(v, den)
	f.Evidence, f.Severity = domain.Derived, severity(p, v, den, x)
	if x.Is(query.Scored) {
		f.Values = append(f.Values, x)
	}
	if x.Is(unrewarded) || !scores(p, v, x) {
		f.Why = "a batch of equal values gives NaN, which spreads to everything computed from it"
	}
	if e := p.Operand(v, den); e != nil {
		f.Fix = &pass.Fix{
			Message:      "Add an epsilon to the denominator",
			EveryContext: true,
			Edits:        p.In(v.Frame).Operate(e, ast.Add, "1e-8"),
		}
	}
	return f
}

// unrewarded are quantities that are no rewards, and are not called so.
const unrewarded = domain.Raw | domain.Logits | domain.LogProb | domain.Prob | domain.LogRatio | domain.Ratio | domain.StateValue | domain.QValue |
	domain.Entropy | domain.KL | domain.Action | domain.Observation | domain.Noise
