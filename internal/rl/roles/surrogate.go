package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Surrogate is one clipped objective.
type Surrogate struct {
	// At is the minimum, maximum or choice.
	At query.Seen
	// Max says that the larger of the two is taken.
	Max bool
	// Ratio is what stands for the importance ratio.
	Ratio query.Seen
	// Clips are the clamps of it: one, or one a side.
	Clips []query.Clip
	// Exp says that the clamp is on a value whose exponential is the ratio.
	Exp bool
	// Others are the factors beside the ratio, the advantage among them.
	Others []query.Seen
	// Negated says that the two products carry a minus sign.
	Negated bool
}

// AroundOne reports whether what is clipped is kept around 1, as a ratio is.
func (s *Surrogate) AroundOne() bool {
	return !slices.ContainsFunc(s.Clips, func(c query.Clip) bool { return !c.AroundOne() })
}

// extrema are the operations that take the smaller or larger of two values.
var extrema = []string{"minimum", "maximum", "min", "max", "fmin", "fmax", "amin", "amax"}

// Surrogates returns the clipped objectives of the program.
func (m *Model) Surrogates() []*Surrogate { return m.surrogates.get(m.findSurrogates) }

func (m *Model) findSurrogates() []*Surrogate {
	var out []*Surrogate
	for _, v := range m.g.Made(append(extrema, "where")...) {
		if s := m.surrogateAt(v); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// surrogate reads v as a clipped objective, or returns nil.
func (m *Model) surrogateAt(v *infer.Val) *Surrogate {
	return m.surrogate.get(v, func() *Surrogate { return m.findSurrogate(v) })
}

func (m *Model) findSurrogate(v *infer.Val) *Surrogate {
	if v.IsOp("where") {
		return m.choice(v)
	}
	if !v.IsOp(extrema...) {
		return nil
	}
	sides := sidesOf(m.g.See(v))
	if len(sides) != 2 {
		return nil
	}
	s := eitherWay(matchSides, sides)
	if s == nil {
		s = eitherWay(matchChosen, sides)
	}
	if s != nil {
		s.At, s.Max = m.g.See(v), v.IsOp("maximum", "max", "fmax", "amax")
	}
	return s
}

// eitherWay is what match reads two sides as, whichever of them is clipped.
func eitherWay(match func(plain, clipped query.Seen) *Surrogate, sides []query.Seen) *Surrogate {
	if s := match(sides[0], sides[1]); s != nil {
		return s
	}
	return match(sides[1], sides[0])
}

// sidesOf are the values of which the smaller or larger is taken: two arguments, or
// the elements of a list that is stacked.
func sidesOf(s query.Seen) []query.Seen {
	if s.IsOp("minimum", "maximum", "fmin", "fmax") || s.Op == "builtins.min" || s.Op == "builtins.max" {
		if len(s.In) < 2 {
			return nil
		}
		return []query.Seen{s.Input(0), s.Input(1)}
	}
	stack := s.Input(0)
	if !stack.Known() || !stack.IsOp("stack") {
		return nil
	}
	list := stack.Input(0)
	seq, ok := list.Referent().(*infer.SeqRef)
	if !ok || len(seq.Elems) != 2 {
		return nil
	}
	return []query.Seen{list.Of(seq.Elems[0]), list.Of(seq.Elems[1])}
}

// matchSides reads plain and clipped as r*A and clamp(r)*A, or as -r*A and -clamp(r)*A
// where r is a difference.
func matchSides(plain, clipped query.Seen) *Surrogate {
	fp, fc := query.FactorsOf(plain), query.FactorsOf(clipped)
	if s := matchFactors(fp, fc); s != nil {
		return s
	}
	return matchFactors(fp.Unsigned(), fc.Unsigned())
}

func matchFactors(fp, fc query.Factors) *Surrogate {
	if fp.Negated != fc.Negated || len(fp.List) != len(fc.List) || len(fp.List) < 2 {
		return nil
	}
	for i, c := range fc.List {
		clip, exp, ok := clipIn(c)
		if !ok {
			continue
		}
		for j, r := range fp.List {
			x := r
			if exp {
				x = logOf(r)
			}
			switch {
			case !exp && r.Capped(clip.X): // before Same: a join stands where its last value does
				r = clip.X
			case !x.Known() || !x.Same(clip.X):
				continue
			}
			others := query.Without(fp.List, j)
			if query.SameFactors(others, query.Without(fc.List, i)) {
				return &Surrogate{Ratio: r, Clips: []query.Clip{clip}, Exp: exp, Others: others, Negated: fp.Negated}
			}
		}
	}
	return nil
}

// clipIn reads a factor as a clamp, or as the exponential of one.
func clipIn(s query.Seen) (clip query.Clip, exp, ok bool) {
	if clip, ok = query.ClipOf(s); ok {
		return clip, false, true
	}
	if x := logOf(s); x.Known() {
		clip, ok = query.ClipOf(x)
	}
	return clip, true, ok
}

// logOf returns x where s is exp(x).
func logOf(s query.Seen) query.Seen {
	s = s.Strip()
	if s.Known() && s.IsOp("exp") {
		return s.Input(0)
	}
	return query.Seen{}
}

// choice reads where(A > 0, clamp(r, max), clamp(r, min)) as a clipped objective.
func (m *Model) choice(v *infer.Val) *Surrogate {
	if len(v.In) < 3 || v.In[1] == nil || v.In[2] == nil {
		return nil
	}
	at := m.g.See(v)
	a, ok := query.ClipOf(at.Input(1))
	b, ok2 := query.ClipOf(at.Input(2))
	if !ok || !ok2 || !a.X.Same(b.X) || a.OneSided() == 0 || a.OneSided() != -b.OneSided() || a.X.Is(query.Scored) || a.X.IsCentred() {
		return nil // advantages may be bounded so themselves
	}
	return &Surrogate{At: at, Ratio: a.X, Clips: []query.Clip{a, b}}
}

// Weighted is an advantage with a weight, the term of a policy-gradient objective
// without a clip.
type Weighted struct {
	At        *infer.Val
	Weight    query.Seen
	Advantage query.Seen
}

// WeightedAdvantages returns the products of an advantage with something else.
func (m *Model) WeightedAdvantages() []Weighted { return m.weighted.get(m.findWeighted) }

func (m *Model) findWeighted() []Weighted {
	var out []Weighted
	for _, v := range m.g.Made("mul") {
		list := query.FactorsOf(m.g.See(v)).List
		i := advantageAmong(list)
		if i < 0 {
			continue
		}
		for _, w := range query.Without(list, i) {
			out = append(out, Weighted{v, w, list[i]})
		}
	}
	return out
}

// RatioUse is a value that an objective takes for the importance ratio.
type RatioUse struct {
	Ratio query.Seen
	// Clipped says that the structure of a clipped objective proves it, AroundOne that the bounds do so too.
	Clipped, AroundOne bool
	// Chosen says that the bounds are a weight that the sign of the advantage chooses: there is no Surrogate.
	Chosen bool
	// Advantage is the kind's witness where there is no clip.
	Advantage query.Seen
	// At is the minimum, maximum or product, and Others what the ratio is multiplied with there.
	At     *infer.Val
	Others []query.Seen
}

// RatioUses returns what the program's objectives take for the ratio: what is
// clipped, and what weighs an advantage.
func (m *Model) RatioUses() []RatioUse {
	var out []RatioUse
	for _, s := range m.Surrogates() {
		if !s.Exp {
			out = append(out, RatioUse{Ratio: s.Ratio, Clipped: true, AroundOne: s.AroundOne(), At: s.At.Val, Others: s.Others})
		}
	}
	out = append(out, m.signWeighted()...)
	for _, w := range m.WeightedAdvantages() {
		out = append(out, RatioUse{Ratio: w.Weight, Advantage: w.Advantage, At: w.At, Others: []query.Seen{w.Advantage}})
	}
	return out
}
