package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Difference says in what the two sides of a clipped objective differ.
type Difference uint8

// What differs. The two sides of a clipped objective have one advantage and one sign.
const (
	NoAdvantage      Difference = iota + 1 // neither side has one
	PlainAdvantage                         // only the unclipped side has one
	ClippedAdvantage                       // only the clipped side has one
	OtherSign                              // one side has a minus sign
	OtherAdvantage                         // one has the advantage, the other what it was standardised to
)

// Lopsided is what would be a clipped objective if its two sides were weighed alike.
type Lopsided struct {
	At query.Seen
	// Plain and Clipped are the two sides.
	Plain, Clipped query.Seen
	// Ratio is what stands for the importance ratio.
	Ratio query.Seen
	How   Difference
}

// LopsidedSurrogates returns the minima and maxima of a product and of the same with the ratio clipped, of which the
// other factors differ.
func (m *Model) LopsidedSurrogates() []Lopsided {
	var out []Lopsided
	for _, v := range m.g.Made(extrema...) {
		sides := sidesOf(m.g.See(v))
		if len(sides) != 2 || m.surrogateAt(v) != nil {
			continue
		}
		l, ok := lopsided(sides[0], sides[1])
		if !ok {
			l, ok = lopsided(sides[1], sides[0])
		}
		if ok {
			l.At = m.g.See(v)
			out = append(out, l)
		}
	}
	return out
}

// lopsided reads plain as r*A and clipped as clamp(r)*B.
func lopsided(plain, clipped query.Seen) (Lopsided, bool) {
	fp, fc := query.FactorsOf(plain), query.FactorsOf(clipped)
	for i, f := range fc.List {
		clip, exp, ok := clipIn(f)
		if !ok || clip.OneSided() != 0 {
			continue
		}
		j := slices.IndexFunc(fp.List, func(r query.Seen) bool {
			if exp {
				r = logOf(r)
			}
			return r.Known() && r.Same(clip.X)
		})
		if j < 0 {
			continue
		}
		a, b := scores(query.Without(fp.List, j)), scores(query.Without(fc.List, i))
		how := differ(a, b, fp.Negated != fc.Negated)
		switch {
		case how == OtherAdvantage && exp: // the form shows it: the exponential of a difference, and of the same clipped
		case !clip.AroundOne(), how == NoAdvantage && !isRatio(fp.List[j]):
			how = 0
		}
		return Lopsided{Plain: plain, Clipped: clipped, Ratio: fp.List[j], How: how}, how != 0
	}
	return Lopsided{}, false
}

func isRatio(s query.Seen) bool { return s.Is(domain.Ratio) && s.Q.Evidence != domain.NameOnly }

// scores are the factors that are no weights: an advantage, or what takes its place.
func scores(factors []query.Seen) []query.Seen {
	return slices.DeleteFunc(slices.Clone(factors), func(s query.Seen) bool {
		_, is := query.WeightOf(s)
		return is
	})
}

// differ says in what the other factors of two sides surely differ; negated says that just one of them has a minus sign.
func differ(plain, clipped []query.Seen, negated bool) Difference {
	switch {
	case len(plain) == 0 && len(clipped) == 0:
		return NoAdvantage
	case len(clipped) == 0:
		return PlainAdvantage
	case len(plain) == 0:
		return ClippedAdvantage
	case query.SameFactors(plain, clipped):
		if negated {
			return OtherSign
		}
	case len(plain) == 1 && len(clipped) == 1 && (madeStandard(plain[0], clipped[0]) || madeStandard(clipped[0], plain[0])):
		return OtherAdvantage
	}
	return 0
}

// madeStandard reports whether b is what a was standardised to.
func madeStandard(a, b query.Seen) bool {
	for root := range b.EachRoot {
		if x := root.Unstandardised(); x.Val != root.Val && x.Same(a) {
			return true
		}
	}
	return false
}
