package query

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Centre and spread of one standardisation
//
// What is less its mean and over its spread has a mean of 0 and a spread of 1 only if both are of the same elements. The mean, the spread,
// and the mean that the spread is about are compared here: each goes over all positions, or over those that a mask lets through.

// Moment is a mean or a spread by which values are standardised.
type Moment struct {
	// At is what computes it.
	At Seen
	// Under is the mask under which it is taken; no value where it is taken of all.
	Under Mask
	dim   Seen // the reduction, of which the dimensions can be read
}

// MixedMoments is a standardisation by one moment of all elements and another of those under a mask.
type MixedMoments struct {
	Of           Seen // what is standardised
	All, Masked  Moment
	MaskedSpread bool // the spread is taken under the mask, and the mean, or the one in the spread, of all
}

// MixedMoments returns the standardisations whose centre and spread do not count the same elements.
func (g *Graph) MixedMoments() (out []MixedMoments) {
	for _, v := range g.Made("div", "mul") {
		for _, s := range g.Paths(v) {
			if m, ok := mixedMoments(s); ok {
				out = append(out, m)
				break
			}
		}
	}
	return out
}

func mixedMoments(s Seen) (MixedMoments, bool) {
	if len(s.In) < 2 {
		return MixedMoments{}, false
	}
	for i := range 2 {
		num, scale := s.Input(i).Strip(), s.Input(1-i)
		if i > 0 && s.IsOp("div") || !num.Known() || !num.IsOp("sub") || len(num.In) < 2 {
			continue
		}
		if num.Input(0).whole().selects() { // rows or elements that were chosen before: they are the data
			continue
		}
		x := masked(num.Input(0)).Of
		if x.StripTo(Seen.isOfWhole).isOfWhole() { // one for each text, so that the mean counts texts
			continue
		}
		centre, ok := momentOf(num.Input(1), x)
		if !ok {
			continue
		}
		variance, ok := varianceIn(scale, s.IsOp("div"))
		if !ok {
			continue
		}
		spread, inner, ok := spreadMoments(variance, x)
		if !ok {
			continue
		}
		for _, pair := range [][2]Moment{{centre, spread}, {inner, spread}, {centre, inner}} {
			if m, ok := mixed(pair[0], pair[1]); ok {
				m.Of = x
				return m, true
			}
		}
	}
	return MixedMoments{}, false
}

// mixed compares two moments, the second of which is the spread, or the mean in it. Of two masks nobody knows whether they are the same.
func mixed(a, b Moment) (MixedMoments, bool) {
	if !a.At.Known() || !b.At.Known() || a.Under.Known() == b.Under.Known() {
		return MixedMoments{}, false
	}
	m := MixedMoments{All: a, Masked: b, MaskedSpread: true}
	if a.Under.Known() {
		m = MixedMoments{All: b, Masked: a}
	}
	ok := m.Masked.Under.Is(domain.Mask) && overSame(m.All.dim, m.Masked.dim) && together(a.At.Val, b.At.Val) &&
		!asksForMask(m.All.At.Val, m.Masked.Under)
	return m, ok
}

// varianceIn reads what divides as the root of a variance, or as a standard deviation, and what multiplies as one over a root.
func varianceIn(scale Seen, divides bool) (Seen, bool) {
	x := scale.WithoutEps()
	if !divides && x.Known() && x.IsOp("reciprocal") && len(x.In) > 0 {
		x, divides = x.Input(0).WithoutEps(), true
	}
	switch {
	case !x.Known() || len(x.In) == 0:
		return Seen{}, false
	case divides && x.IsOp("std"):
		return x, true
	case divides && x.IsOp("sqrt"), !divides && x.IsOp("rsqrt"):
		return x.Input(0).WithoutEps(), true
	case x.IsOp("pow") && len(x.In) > 1:
		n, ok := x.Input(1).Float()
		return x.Input(0).WithoutEps(), ok && (divides && n == 0.5 || !divides && n == -0.5)
	}
	return Seen{}, false
}

// spreadMoments reads a variance or a standard deviation of x, and, where it is written out, the mean that it is about.
func spreadMoments(s, x Seen) (spread, inner Moment, ok bool) {
	if s.Known() && s.IsOp("std", "var", "nanstd", "nanvar") && len(s.In) > 0 {
		spread, ok = momentOver(s, s.Input(0), x)
		return spread, Moment{}, ok
	}
	if s.Known() && s.IsOp("mul") && len(s.In) > 1 { // of n / (n - 1)
		for i := range 2 {
			if r, is := ReductionOf(s.Input(i)); is && r.By != Undivided {
				s = s.Input(i)
				break
			}
		}
	}
	r, ok := ReductionOf(s)
	if !ok {
		return Moment{}, Moment{}, false
	}
	square := r.Of.Strip()
	if !square.Known() || !square.IsOp("square", "pow", "mul") || len(square.In) == 0 {
		return Moment{}, Moment{}, false
	}
	if square.IsOp("mul") && (len(square.In) < 2 || !square.Input(0).Same(square.Input(1))) {
		return Moment{}, Moment{}, false
	}
	if n, known := square.Input(1).Float(); square.IsOp("pow") && (!known || n != 2) {
		return Moment{}, Moment{}, false
	}
	within := masked(square.Input(0))
	d := within.Of.Strip()
	if !d.Known() || !d.IsOp("sub") || len(d.In) < 2 || !masked(d.Input(0)).Of.Same(x) {
		return Moment{}, Moment{}, false
	}
	r.Under = append(r.Under, within.Under...)
	spread, ok = r.moment()
	if !ok {
		return Moment{}, Moment{}, false
	}
	inner, ok = momentOf(d.Input(1), x)
	return spread, inner, ok
}

// momentOf reads s as a mean of x.
func momentOf(s, x Seen) (Moment, bool) {
	r, ok := ReductionOf(s)
	if !ok || !r.Of.Same(x) {
		return Moment{}, false
	}
	return r.moment()
}

// momentOver reads a call that takes a moment of what it is given: x, or the elements of x that a mask lets through.
func momentOver(at, of, x Seen) (Moment, bool) {
	r := masked(of)
	if !r.Of.Same(x) || len(r.Under) > 0 && (!of.whole().selects() || at.Arg("dim") != nil) { // x[keep] along an axis is of rows
		return Moment{}, false
	}
	r.At, r.Sum, r.By = at, at, ByElements
	if len(r.Under) > 0 {
		r.By = ByMask
	}
	return r.moment()
}

// moment reads a mean as one of all elements, or as one of those that count.
func (m Reduction) moment() (Moment, bool) {
	switch {
	case m.By == ByElements: // also of zeros at padding: they count
		return Moment{At: m.At, dim: m.Sum}, true
	case m.By == ByMask && len(m.Under) > 0:
		return Moment{At: m.At, Under: m.Under[0], dim: m.Sum}, true
	}
	return Moment{}, false
}
