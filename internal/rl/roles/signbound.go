package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Bounds that the sign of the advantage chooses
//
// Of the two bounds of the ratio only one is ever at work, and the advantage says which: 1 + e where it is positive, 1 - e where it
// is negative. So some programs write
//
//	min(r*A, where(A > 0, (1+e)*A, (1-e)*A))        the same objective
//	r * A * where(A > 0, 1-e, 1+e)                  a weight for each sign
//
// That the same A decides and is multiplied, and that the choice is around 1, leaves r no other meaning than that of the ratio.

// signBound is a choice between two values by the sign of a third.
type signBound struct {
	at       query.Seen // the choice
	of       query.Seen // whose sign decides
	positive query.Seen // what is chosen where it is positive
	negative query.Seen
}

// signBoundOf reads s as where(A > 0, x, y), in either direction.
func signBoundOf(s query.Seen) (signBound, bool) {
	at := s.Strip()
	if !at.Known() || !at.IsOp("where") || len(at.In) < 3 {
		return signBound{}, false
	}
	b := signBound{at: at, positive: at.Input(1), negative: at.Input(2)}
	cond := at.Input(0).Strip()
	if !cond.Known() || !cond.IsOp("gt", "ge", "lt", "le") || len(cond.In) < 2 {
		return signBound{}, false
	}
	if zero, ok := cond.Input(1).Float(); !ok || zero != 0 {
		return signBound{}, false
	}
	if cond.IsOp("lt", "le") {
		b.positive, b.negative = b.negative, b.positive
	}
	b.of = cond.Input(0)
	return b, b.positive.Known() && b.negative.Known()
}

// matchChosen reads plain and chosen as r*A and where(A > 0, (1+e)*A, (1-e)*A).
func matchChosen(plain, chosen query.Seen) *Surrogate {
	b, ok := signBoundOf(chosen)
	if !ok {
		return nil
	}
	fp, up, down := query.FactorsOf(plain), query.FactorsOf(b.positive), query.FactorsOf(b.negative)
	hi, lo := bounding(up.List, 1), bounding(down.List, -1)
	if hi < 0 || lo < 0 || fp.Negated != up.Negated || fp.Negated != down.Negated {
		return nil
	}
	others := query.Without(up.List, hi)
	if !slices.ContainsFunc(others, b.of.Same) || !query.SameFactors(others, query.Without(down.List, lo)) {
		return nil
	}
	for i, r := range fp.List {
		if query.SameFactors(query.Without(fp.List, i), others) {
			clip := query.Clip{At: b.at, X: r, Lo: down.List[lo], Hi: up.List[hi]}
			return &Surrogate{Ratio: r, Clips: []query.Clip{clip}, Others: others, Negated: fp.Negated}
		}
	}
	return nil
}

// bounding is the index of the factor 1 + e or 1 - e; -1 where there is none.
func bounding(list []query.Seen, offset int) int {
	return slices.IndexFunc(list, func(s query.Seen) bool { return s.Offset() == offset })
}

// signWeighted are the products of a ratio, an advantage and a weight around 1 that the advantage's sign chooses.
func (m *Model) signWeighted() []RatioUse {
	var out []RatioUse
	for _, v := range m.g.Made("where") {
		b, ok := signBoundOf(m.g.See(v))
		if !ok || b.positive.Offset()*b.negative.Offset() >= 0 {
			continue
		}
		for _, u := range m.g.UsesOf(v) {
			if use, ok := signWeightedAt(m.g.See(u), b); ok {
				out = append(out, use)
			}
		}
	}
	return out
}

// signWeightedAt reads s as the product with a choice of weights.
func signWeightedAt(s query.Seen, b signBound) (RatioUse, bool) {
	if !s.IsOp("mul") {
		return RatioUse{}, false
	}
	list := query.FactorsOf(s).List
	weight := slices.IndexFunc(list, func(f query.Seen) bool { return f.Strip().Val == b.at.Val })
	if weight < 0 || len(list) != 3 {
		return RatioUse{}, false
	}
	list = query.Without(list, weight)
	i := slices.IndexFunc(list, b.of.Same)
	if i < 0 {
		return RatioUse{}, false
	}
	return RatioUse{Ratio: list[1-i], Clipped: true, AroundOne: true, Chosen: true, At: s.Val, Others: []query.Seen{list[i], b.at}}, true
}
