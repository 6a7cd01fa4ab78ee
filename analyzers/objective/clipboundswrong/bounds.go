package clipboundswrong

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// A ratio starts at 1, so a clip range has to contain 1. These functions read two bounds
// as numbers if they are known, else by how they are written.

// isEmpty reports whether the range contains no ratio, or a single one.
func isEmpty(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && ok2 {
		unset := lo == 1 && hi == 1 && (hasSetting(c.Lo) || hasSetting(c.Hi) || isAsked(c))
		return lo >= hi && !unset // a default of 0 has to be set by the user, or switches the clip off
	}
	return c.Lo.Known() && c.Hi.Known() && (c.Lo.Same(c.Hi) || inverseTwice(c) || c.Lo.Offset() > 0 && c.Hi.Offset() < 0)
}

// hasSetting reports whether a bound is a setting, or was computed from one.
func hasSetting(s query.Seen) bool {
	return infer.Within(s.Val, 8, func(v *infer.Val) bool { return v.Op == infer.OpConfig })
}

// isAsked reports whether the program clips only if it finds something about what the upper bound is made of, as that it is not 0.
func isAsked(c query.Clip) bool {
	hi := c.Hi.Strip()
	return hi.Known() && slices.ContainsFunc(hi.In, func(x *infer.Val) bool {
		return x != nil && c.At.Guarded(func(g *infer.Guard) bool { return query.AsksContent(g.Cond, x) })
	})
}

// inverseTwice reports whether the lower bound is 1/(1/h) where h is the upper one, as where the caller has taken the inverse already.
func inverseTwice(c query.Clip) bool {
	highs := c.Hi.Callers()
	return query.All(inverse(c.Lo).Callers(), func(once query.Seen) bool {
		h := inverse(once)
		return h.Known() && slices.ContainsFunc(highs, h.Same)
	})
}

// inverse is x where s is 1/x; no value where it is something else.
func inverse(s query.Seen) query.Seen {
	s = s.Strip()
	if !s.Known() || len(s.In) == 0 {
		return query.Seen{}
	}
	if one, ok := s.Input(0).Float(); s.IsOp("div") && len(s.In) > 1 && ok && one == 1 {
		return s.Input(1)
	}
	if s.IsOp("reciprocal") {
		return s.Input(0)
	}
	return query.Seen{}
}

// oneSide reports whether the range lies on one side of 1, and not around 0.
func oneSide(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && lo > 1 || ok2 && 0 < hi && hi < 1 && (!ok || lo >= 0) {
		return true
	}
	return !ok && c.Lo.Known() && c.Lo.Offset() > 0 || !ok2 && c.Hi.Known() && c.Hi.Offset() < 0
}

// aroundZero reports whether the range is -e..e, or -low..high with neither bound
// written around 1. The default of a setting shows what it is for, not its value.
func aroundZero(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && ok2 {
		return lo < 0 && 0 < hi && hi < 1
	}
	x := c.Lo.Strip()
	if !x.Known() || !c.Hi.Known() {
		return false
	}
	negated := x.IsOp("neg")
	if negated && x.Input(0).Same(c.Hi) {
		_, constant := x.Input(0).Referent().(*infer.LibRef)
		return !constant // sys.maxsize and the like bound nothing
	}
	below := negated && isSetting(x.Input(0), 8) || ok && -1 < lo && lo < 0
	return below && (isSetting(c.Hi, 8) || ok2 && 0 < hi && hi < 1)
}

// isSetting reports whether a bound is an argument, an attribute, an entry or a
// configured value to which nothing was added. A default of 1 or more is already a
// bound.
func isSetting(s query.Seen, depth int) bool {
	s = s.Strip()
	if !s.Known() {
		return false
	}
	if x, ok := s.Float(); ok {
		return s.Op == infer.OpConfig && 0 < x && x < 1
	}
	switch s.Op {
	case infer.OpConfig, infer.OpParam, infer.OpItem, infer.OpAttr:
		return s.Const == nil || s.IsNone()
	case infer.OpPhi:
		return s.Const == nil && depth > 0 && allSettings(s, depth-1)
	}
	return s.Const == nil && strings.HasPrefix(s.Op, infer.OpAttr+".")
}

func allSettings(s query.Seen, depth int) bool {
	for _, in := range s.In {
		if in != nil && !in.IsNone() && !isSetting(s.Of(in), depth) {
			return false
		}
	}
	return true
}

// inPercent reports whether the range is 1-e..1+e with e above 1. A range of -e..e
// keeps the ratio finite. More than a hundred is no percentage: it turns the clip off, as for A2C.
func inPercent(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	return ok && ok2 && lo < 0 && hi >= 2 && hi <= 1+100 && lo != -hi
}

// crossed reports whether the bounds are right except for their order.
func crossed(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && ok2 {
		return 0 < hi && hi < 1 && 1 < lo
	}
	return c.Lo.Offset() > 0 && c.Hi.Offset() < 0
}
