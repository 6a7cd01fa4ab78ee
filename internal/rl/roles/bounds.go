package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Beside the two sides of the clipped objective, two more things are bounded in PPO:
//
//	max((v - R)**2, (old + clamp(v - old, -e, e) - R)**2)    the loss of a critic
//	max(min(r*A, clip(r)*A), c*A)                            a dual clip: the gain where A < 0
//
// Both show by their structure alone which of min and max is meant.

// ClippedError is the larger, or the smaller, of the errors of a value and of the value kept near
// its old one.
type ClippedError struct {
	At  query.Seen
	Max bool
	// Value is what is clipped.
	Value query.Seen
}

// ClippedErrors returns the clipped errors of the program.
func (m *Model) ClippedErrors() []ClippedError {
	var out []ClippedError
	for _, v := range m.g.Made(extrema...) {
		sides := sidesOf(m.g.See(v))
		if len(sides) != 2 {
			continue
		}
		x, ok := clippedError(sides[0], sides[1])
		if !ok {
			x, ok = clippedError(sides[1], sides[0])
		}
		if ok {
			out = append(out, ClippedError{m.g.See(v), takesLarger(v), x})
		}
	}
	return out
}

// ClippedValues returns the clamps of a value itself, to a band around 0, where the error of the value is compared with that of
// the clamp: what is to be kept near its old value is kept near 0.
func (m *Model) ClippedValues() (out []query.Clip) {
	for _, v := range m.g.Made(extrema...) {
		sides := sidesOf(m.g.See(v))
		if len(sides) != 2 {
			continue
		}
		for i, side := range sides {
			for _, x := range comparedIn(side) {
				c, ok := query.ClipOf(x)
				if ok && aroundZero(c) && !slices.ContainsFunc(comparedIn(side), isRest) && slices.ContainsFunc(comparedIn(sides[1-i]), func(p query.Seen) bool { return p.Same(c.X) && !c.X.Difference().Known() }) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// isRest reports whether what a value is compared with is what another value leaves of a return. The value then corrects the other one, and
// stays near 0 itself.
func isRest(target query.Seen) bool {
	d := target.Strip()
	return d.Known() && d.IsOp("sub") && len(d.In) > 1 && d.Q.Grad != domain.Attached && d.Input(1).Const == nil && !d.Input(1).IsOp("mean")
}

// aroundZero reports whether the bounds of a clamp are one number or setting with either sign.
func aroundZero(c query.Clip) bool {
	if !c.Lo.Known() || !c.Hi.Known() {
		return false
	}
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && ok2 {
		return lo == -hi && hi > 0 && hi < 1 // a game is lost at -1 and won at 1
	}
	f := query.FactorsOf(c.Lo)
	return f.Negated && len(f.List) == 1 && f.List[0].Same(c.Hi)
}

func takesLarger(v *infer.Val) bool { return v.IsOp("maximum", "max", "fmax", "amax") }

// clippedError returns the value of which plain is the error, where the other side is that of the
// same value kept near an old one.
func clippedError(plain, clipped query.Seen) (query.Seen, bool) {
	for _, c := range comparedIn(clipped) {
		x, _, ok := keptNear(c)
		if !ok {
			continue
		}
		for _, p := range comparedIn(plain) {
			if p.Same(x) {
				return x, true
			}
		}
	}
	return query.Seen{}, false
}

// comparedIn are the values of which a loss of elements is the error, weights aside.
func comparedIn(s query.Seen) []query.Seen {
	var out []query.Seen
	for _, f := range query.FactorsOf(s).List {
		for _, e := range query.ErrorsOf(f.Unreduced()) {
			out = append(out, e)
			if d := e.Strip(); d.Known() && d.IsOp("sub", "rsub") && len(d.In) > 1 {
				out = append(out, d.Input(0), d.Input(1))
			}
		}
	}
	return out
}

// keptNear reads old + clamp(x - old, -e, e), and clamp(x, old - e, old + e).
func keptNear(s query.Seen) (x, old query.Seen, ok bool) {
	if c, ok := query.ClipOf(s); ok {
		lo, hi := query.TermsOf(c.Lo, 1), query.TermsOf(c.Hi, 1)
		i := slices.IndexFunc(lo, func(t query.Term) bool {
			return slices.ContainsFunc(hi, func(u query.Term) bool { return t.Sign == u.Sign && t.Same(u.Seen) && t.Const == nil })
		})
		if len(lo) != 2 || len(hi) != 2 || i < 0 {
			return query.Seen{}, query.Seen{}, false
		}
		return c.X, lo[i].Seen, true
	}
	terms := query.TermsOf(s, 1)
	if len(terms) != 2 {
		return query.Seen{}, query.Seen{}, false
	}
	for i, t := range terms {
		c, ok := query.ClipOf(t.Seen)
		d := query.TermsOf(c.X, t.Sign)
		if !ok || len(d) != 2 {
			continue
		}
		for j, old := range d {
			if old.Sign < 0 && old.Same(terms[1-i].Seen) && terms[1-i].Sign > 0 && d[1-j].Sign > 0 {
				return d[1-j].Seen, old.Seen, true
			}
		}
	}
	return query.Seen{}, query.Seen{}, false
}

// DualClip is a clipped objective with a second bound, which holds where the advantage is negative.
type DualClip struct {
	At  query.Seen
	Max bool
	// Inner is the clipped objective that is bounded.
	Inner *Surrogate
	// Negated says that Inner is bounded with a minus sign in front, which makes the smaller of
	// two gains the larger of two losses.
	Negated bool
}

// DualClips returns the dual clips of the program.
func (m *Model) DualClips() []DualClip {
	var out []DualClip
	for _, v := range m.g.Made(extrema...) {
		sides := sidesOf(m.g.See(v))
		if len(sides) != 2 {
			continue
		}
		for i, side := range sides {
			inner, negated := m.weighedSurrogate(side)
			if inner != nil && isBoundOf(inner, negated, sides[1-i]) {
				out = append(out, DualClip{m.g.See(v), takesLarger(v), inner, negated})
				break
			}
		}
	}
	return out
}

// weighedSurrogate is the clipped objective that s is, weights aside; negated says that they have
// a minus sign.
func (m *Model) weighedSurrogate(s query.Seen) (inner *Surrogate, negated bool) {
	p := query.FactorsOf(s)
	for _, f := range p.List {
		if x := f.Strip(); x.Known() && inner == nil {
			inner = m.surrogateAt(x.Val)
		}
	}
	return inner, p.Negated
}

// isBoundOf reports whether s is the advantage of a clipped objective times a number or setting,
// with the sign that the objective has there.
func isBoundOf(inner *Surrogate, negated bool, s query.Seen) bool {
	p := query.FactorsOf(s)
	advantage, scale := false, false
	for _, f := range p.List {
		switch {
		case slices.ContainsFunc(inner.Others, f.Same):
			advantage = advantage || !f.Is(domain.Mask)
		case isScale(f):
			scale = true
		default:
			return false
		}
	}
	return advantage && scale && p.Negated == (inner.Negated != negated)
}

// isScale reports whether a factor is a number of more than 1, or a setting.
func isScale(s query.Seen) bool {
	if x, ok := s.Float(); ok && s.Op == infer.OpConst {
		return x > 1
	}
	_, ok := query.WeightOf(s)
	if !ok {
		_, ok = query.UnknownWeightOf(s)
	}
	return ok
}
