package nonterminalononeterm

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// mix is lambda * a + (1 - lambda) * b, one part of which has a factor that ends it.
type mix struct {
	mask query.Seen // the factor
	with query.Seen // the part that has it
	bare []query.Seen
}

// mixOf reads a sum as a mix.
func mixOf(s query.Seen) (mix, bool) {
	if len(s.In) < 2 {
		return mix{}, false
	}
	a, b := query.FactorsOf(s.Input(0)), query.FactorsOf(s.Input(1))
	if a.Negated || b.Negated {
		return mix{}, false
	}
	for i, x := range a.List {
		for j, y := range b.List {
			if !complements(x, y) && !complements(y, x) {
				continue
			}
			ra, rb := query.Without(a.List, i), query.Without(b.List, j)
			if k := slices.IndexFunc(rb, isNonterminal); k >= 0 && !slices.ContainsFunc(ra, isNonterminal) && len(ra) > 0 && len(rb) > 1 {
				return mix{rb[k], s.Input(1), ra}, true
			}
			if k := slices.IndexFunc(ra, isNonterminal); k >= 0 && !slices.ContainsFunc(rb, isNonterminal) && len(rb) > 0 && len(ra) > 1 {
				return mix{ra[k], s.Input(0), rb}, true
			}
		}
	}
	return mix{}, false
}

// complements reports whether y is 1 - x, and x no mask: x*mask + y*(1-mask) selects.
func complements(x, y query.Seen) bool {
	return x.Known() && y.Known() && !isNonterminal(x) && y.IsRestOf(x)
}

const ending = domain.Done | domain.Terminated | domain.Truncated

// isNonterminal reports whether a factor is 0 where an episode ends: 1 - done, not
// done, or a mask.
func isNonterminal(s query.Seen) bool {
	s = s.Strip()
	switch {
	case !s.Known():
		return false
	case s.Is(domain.Mask | ending):
		return true
	case s.IsOneMinus():
		d := s.Input(1).Strip()
		return d.Known() && d.Const == nil && !d.Is(domain.Coef|domain.Number|domain.Prob)
	}
	return s.IsOp("logical_not", "invert", "not")
}
