package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # The clipped surrogate
//
// PPO and its descendants maximise, for each action or token,
//
//	min(r*A, clamp(r, 1-e, 1+e)*A)        r = pi_new(a|s) / pi_old(a|s) = exp(logp_new - logp_old)
//
// and programs write it in a few shapes: the minimum of two products, the maximum
// of two negated ones, a choice between one-sided clamps by the sign of A. What all
// have in common is visible in the graph without any name or kind: a value and its
// own clamp, both multiplied by one and the same factor. So the structure tells
// that r is meant for the ratio, and rules ask whether it is one. The advantage may
// be of unknown kind, which is what it is in most programs that we see in part.

// Clip is a value that is kept in a band.
type Clip struct {
	At Seen // the clamp
	X  Seen // what is clamped
	// Lo and Hi are the bounds; unknown (no value) where there is none, both where they come as one value.
	Lo, Hi Seen
}

// Capped reports whether s is o with a bound on one side, on some of its branches:
// the second clip of a two-sided one, min(r, d), which the unclipped side may have.
func (s Seen) Capped(o Seen) bool {
	x := s.Strip()
	if !x.Known() {
		return false
	}
	if x.Op != infer.OpPhi || x.Val == o.Val {
		return x.isCap(o)
	}
	for _, in := range x.In {
		if branch := x.Of(in); !branch.Same(o) && !branch.isCap(o) {
			return false
		}
	}
	return true
}

func (s Seen) isCap(o Seen) bool {
	c, ok := ClipOf(s)
	return ok && c.OneSided() != 0 && c.X.Same(o)
}

// OneSided is 1 for an upper bound only, -1 for a lower only, else 0.
func (c Clip) OneSided() int {
	switch {
	case c.Hi.Known() && !c.Lo.Known():
		return 1
	case c.Lo.Known() && !c.Hi.Known():
		return -1
	}
	return 0
}

// ClipOps are the operations that ClipOf reads as clamps, by base name.
var ClipOps = []string{"clamp", "clip", "hardtanh", "clamp_min", "clamp_max", "minimum", "maximum"}

// ClipOf reads a value as a clamp of another.
func ClipOf(s Seen) (Clip, bool) { return clipOf(s, 8) }

func clipOf(s Seen, depth int) (Clip, bool) {
	s = s.Strip()
	if !s.Known() || len(s.In) == 0 || s.In[0] == nil {
		return Clip{}, false
	}
	c := Clip{At: s, X: s.Input(0)}
	switch {
	case s.IsOp("clamp", "clip", "hardtanh"):
		c.Lo, c.Hi = orNone(s.Input(1)), orNone(s.Input(2))
	case s.IsOp("clamp_min"):
		c.Lo = orNone(s.Input(1))
	case s.IsOp("clamp_max"):
		c.Hi = orNone(s.Input(1))
	case s.IsOp("minimum", "maximum") && len(s.In) > 1:
		return nestedClip(s, depth)
	}
	return c, c.Lo.Known() || c.Hi.Known() || spreadBounds(s)
}

// spreadBounds reports whether the bounds of a clamp come as one value, clamp(*bounds): they are not known.
func spreadBounds(s Seen) bool {
	return s.IsOp("clamp", "clip") && Unpacks(s.Node)
}

// nestedClip reads min(max(x, lo), hi), in either order.
func nestedClip(s Seen, depth int) (Clip, bool) {
	x, outer := s.Input(0), s.Input(1)
	if !isBound(outer) || depth == 0 {
		return Clip{}, false
	}
	c, ok := clipOf(x, depth-1)
	if !ok {
		c = Clip{X: x}
	}
	c.At = s
	if s.IsOp("minimum") {
		c.Hi = outer
	} else {
		c.Lo = outer
	}
	return c, true
}

// orNone is no value for a bound that is None.
func orNone(s Seen) Seen {
	if !s.Known() || s.IsNone() {
		return Seen{}
	}
	return s
}

// isBound reports whether a value is written as a bound: a number, or one around 1.
func isBound(s Seen) bool {
	if !s.Known() {
		return false
	}
	_, number := s.Float()
	return number || s.Offset() != 0
}

// AroundOne reports whether the bounds are those of a ratio: below and above 1.
// A bound that is not given does not contradict.
func (c Clip) AroundOne() bool {
	return (c.Lo.Known() || c.Hi.Known()) && (!c.Lo.Known() || below(c.Lo)) && (!c.Hi.Known() || above(c.Hi))
}

func below(s Seen) bool {
	if x, ok := s.Float(); ok {
		return infer.UnderOne(x)
	}
	return s.Offset() < 0
}

func above(s Seen) bool {
	if x, ok := s.Float(); ok {
		return infer.OverOne(x)
	}
	return s.Offset() > 0
}

// Offset is -1 for "1 - e", +1 for "1 + e", else 0.
func (s Seen) Offset() int {
	s = s.Strip()
	if !s.Known() || len(s.In) < 2 {
		return 0
	}
	one := func(i int) bool { x, ok := s.Input(i).Float(); return ok && x == 1 }
	op := s.Op
	if n, ok := s.Node.(*ast.BinOp); ok && op == infer.OpConfig { // computed of the default of a setting
		op = map[ast.Operator]string{ast.Sub: "sub", ast.Add: "add"}[n.Op]
	}
	switch infer.BaseOp(op) {
	case "sub":
		if one(0) {
			return -1
		}
	case "add":
		if one(0) || one(1) {
			return 1
		}
	}
	return 0
}

// IsOverflowGuard reports whether s is clamped to a band far wider than that of a
// ratio, so that an exponential stays finite.
func (s Seen) IsOverflowGuard() bool {
	c, ok := ClipOf(s)
	if !ok || c.At.Val != s.Val || !s.IsOp("clamp", "clip") || !c.Lo.Known() && !c.Hi.Known() {
		return false
	}
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	return (!c.Lo.Known() || ok && lo <= -2) && (!c.Hi.Known() || ok2 && hi >= 2)
}

// IsCutRatio reports whether a ratio has no gradient: it was cut off, or the log-probability that it is the ratio of was.
func (s Seen) IsCutRatio() bool {
	if s.Q.Grad == domain.Detached || s.NoGrad || s.Cut().Known() {
		return true
	}
	return slices.ContainsFunc(TermsOf(s.Exponent(), 1), func(t Term) bool { return t.Sign > 0 && t.Cut().Known() })
}

// maxWeighed bounds how far a value is followed to what weighs it.
const maxWeighed = 6

// Weighed is a product of v, or of its negative, with a value that may be negative: with no number and no mask, nor with what was selected
// for being positive; nil if there is none.
func (g *Graph) Weighed(v *infer.Val) *infer.Val { return g.weighed(v, maxWeighed) }

func (g *Graph) weighed(v *infer.Val, depth int) *infer.Val {
	if depth == 0 {
		return nil
	}
	for _, u := range g.UsesOf(v) {
		if infer.Through(u) == v || u.IsOp("neg", "clamp", "clip") {
			if w := g.weighed(u, depth-1); w != nil {
				return w
			}
		}
		if !u.IsOp("mul") || len(u.In) < 2 {
			continue
		}
		for _, x := range u.In[:2] {
			if x != nil && x != v && x.Const == nil && !x.Is(domain.Number|domain.Coef|domain.Mask|domain.Count) && !x.Q.Range.NonNegative() && !selected(g.See(x)) {
				return u
			}
		}
	}
	return nil
}

// selected reports whether s are the elements of a value that are above a bound.
func selected(s Seen) bool {
	above := func(x Seen) bool {
		return x.Known() && x.Op == infer.OpItem && len(x.In) > 1 && x.Input(1).Strip().Known() && x.Input(1).Strip().IsOp("gt", "ge")
	}
	return above(s.StripTo(above))
}
