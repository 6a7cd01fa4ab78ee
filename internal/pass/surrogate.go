package pass

import (
	"slices"

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
	// Lo and Hi are the bounds; unknown (no value) where there is none.
	Lo, Hi Seen
}

// Surrogate is one clipped objective.
type Surrogate struct {
	// At is the minimum, maximum or choice.
	At Seen
	// Max says that the larger of the two is taken.
	Max bool
	// Ratio is what stands for the importance ratio.
	Ratio Seen
	// Clips are the clamps of it: one, or one a side.
	Clips []Clip
	// Exp says that the clamp is on a value whose exponential is the ratio.
	Exp bool
	// Others are the factors beside the ratio, the advantage among them.
	Others []Seen
	// Negated says that the two products carry a minus sign.
	Negated bool
}

// extrema are the operations that take the smaller or larger of two values.
var extrema = []string{"minimum", "maximum", "min", "max", "fmin", "fmax", "amin", "amax"}

// Surrogates returns the clipped objectives of the program.
func (p *Pass) Surrogates() []*Surrogate { return p.common().surrogates.get(p.findSurrogates) }

func (p *Pass) findSurrogates() []*Surrogate {
	var out []*Surrogate
	for _, v := range p.Made(append(extrema, "where")...) {
		if s := p.surrogate(v); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// surrogate reads v as a clipped objective, or returns nil.
func (p *Pass) surrogate(v *infer.Val) *Surrogate {
	if v.IsOp("where") {
		return p.choice(v)
	}
	if !v.IsOp(extrema...) {
		return nil
	}
	sides := sidesOf(p.See(v))
	if len(sides) != 2 {
		return nil
	}
	s := matchSides(sides[0], sides[1])
	if s == nil {
		s = matchSides(sides[1], sides[0])
	}
	if s != nil {
		s.At, s.Max = p.See(v), v.IsOp("maximum", "max", "fmax", "amax")
	}
	return s
}

// sidesOf are the values of which the smaller or larger is taken: two arguments, or
// the elements of a list that is stacked.
func sidesOf(s Seen) []Seen {
	if s.IsOp("minimum", "maximum", "fmin", "fmax") || s.Op == "builtins.min" || s.Op == "builtins.max" {
		if len(s.In) < 2 {
			return nil
		}
		return []Seen{s.Input(0), s.Input(1)}
	}
	stack := s.Input(0)
	if !stack.Known() || !stack.IsOp("stack") {
		return nil
	}
	list := stack.Input(0)
	seq, ok := list.ref().(*infer.SeqRef)
	if !ok || len(seq.Elems) != 2 {
		return nil
	}
	return []Seen{list.Of(seq.Elems[0]), list.Of(seq.Elems[1])}
}

// matchSides reads plain and clipped as r*A and clamp(r)*A, or as -r*A and -clamp(r)*A
// where r is a difference.
func matchSides(plain, clipped Seen) *Surrogate {
	fp, fc := FactorsOf(plain), FactorsOf(clipped)
	if s := matchFactors(fp, fc); s != nil {
		return s
	}
	return matchFactors(fp.unsigned(), fc.unsigned())
}

func matchFactors(fp, fc Factors) *Surrogate {
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
			case !exp && r.capped(clip.X): // before Same: a join stands where its last value does
				r = clip.X
			case !x.Known() || !x.Same(clip.X):
				continue
			}
			others := without(fp.List, j)
			if sameFactors(others, without(fc.List, i)) {
				return &Surrogate{Ratio: r, Clips: []Clip{clip}, Exp: exp, Others: others, Negated: fp.Negated}
			}
		}
	}
	return nil
}

// capped reports whether s is o with a bound on one side, on some of its branches:
// the second clip of a two-sided one, min(r, d), which the unclipped side may have.
func (s Seen) capped(o Seen) bool {
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
	return ok && c.oneSided() != 0 && c.X.Same(o)
}

// clipIn reads a factor as a clamp, or as the exponential of one.
func clipIn(s Seen) (clip Clip, exp, ok bool) {
	if clip, ok = ClipOf(s); ok {
		return clip, false, true
	}
	if x := logOf(s); x.Known() {
		clip, ok = ClipOf(x)
	}
	return clip, true, ok
}

// logOf returns x where s is exp(x).
func logOf(s Seen) Seen {
	s = s.Strip()
	if s.Known() && s.IsOp("exp") {
		return s.Input(0)
	}
	return Seen{}
}

// choice reads where(A > 0, clamp(r, max), clamp(r, min)) as a clipped objective.
func (p *Pass) choice(v *infer.Val) *Surrogate {
	if len(v.In) < 3 || v.In[1] == nil || v.In[2] == nil {
		return nil
	}
	at := p.See(v)
	a, ok := ClipOf(at.Input(1))
	b, ok2 := ClipOf(at.Input(2))
	if !ok || !ok2 || !a.X.Same(b.X) || a.oneSided() == 0 || a.oneSided() != -b.oneSided() {
		return nil
	}
	return &Surrogate{At: at, Ratio: a.X, Clips: []Clip{a, b}}
}

// oneSided is 1 for an upper bound only, -1 for a lower only, else 0.
func (c Clip) oneSided() int {
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
func ClipOf(s Seen) (Clip, bool) {
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
		return nestedClip(s)
	}
	return c, c.Lo.Known() || c.Hi.Known()
}

// nestedClip reads min(max(x, lo), hi), in either order.
func nestedClip(s Seen) (Clip, bool) {
	x, outer := s.Input(0), s.Input(1)
	if !isBound(outer) {
		return Clip{}, false
	}
	c, ok := ClipOf(x)
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
		return 0 < x && x <= 1
	}
	return s.Offset() < 0
}

func above(s Seen) bool {
	if x, ok := s.Float(); ok {
		return 1 <= x && x <= 3
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
	switch {
	case s.IsOp("sub") && one(0):
		return -1
	case s.IsOp("add") && (one(0) || one(1)):
		return 1
	}
	return 0
}

// Factors is a product.
type Factors struct {
	List    []Seen
	Negated bool
}

// FactorsOf takes a product apart. Constants other than a sign are factors too.
func FactorsOf(s Seen) Factors {
	var out Factors
	out.add(s, 8)
	return out
}

func (f *Factors) add(s Seen, depth int) {
	x := s.Strip()
	switch {
	case !x.Known():
	case depth > 0 && x.IsOp("mul") && len(x.In) > 1:
		f.add(x.Input(0), depth-1)
		f.add(x.Input(1), depth-1)
	case depth > 0 && x.IsOp("neg") && len(x.In) > 0 && !x.Input(0).Strip().IsOp("sub", "add"): // -(a - b) is b - a
		f.Negated = !f.Negated
		f.add(x.Input(0), depth-1)
	case isMinusOne(x):
		f.Negated = !f.Negated
	default:
		f.List = append(f.List, s) // as it stands: x.detach() is not x
	}
}

// unsigned takes the sign of a negated difference for one of the product: the other
// side of a surrogate, -clamp(a - b) * A, shows that it is.
func (f Factors) unsigned() Factors {
	out := Factors{Negated: f.Negated}
	for _, s := range f.List {
		if x := s.Strip(); x.Known() && x.IsOp("neg") && len(x.In) > 0 {
			s, out.Negated = x.Input(0), !out.Negated
		}
		out.List = append(out.List, s)
	}
	return out
}

func isMinusOne(s Seen) bool {
	x, ok := s.Float()
	return ok && x == -1
}

func without(list []Seen, i int) []Seen {
	return append(slices.Clone(list[:i]), list[i+1:]...)
}

// sameFactors compares two products as sets.
func sameFactors(a, b []Seen) bool {
	b = slices.Clone(b)
	for _, x := range a {
		i := slices.IndexFunc(b, x.Same)
		if i < 0 {
			return false
		}
		b = without(b, i)
	}
	return len(b) == 0
}

// Term is a summand with its sign, as it stands in the sum: x.detach() is not x.
type Term struct {
	Seen
	Sign int
	// Sum is, in a loss, the last addition or subtraction by which the term got into
	// it, and Part its operand; no values where the loss is the term.
	Sum, Part Seen
}

// TermsOf takes a sum and difference apart; sign is that of s.
func TermsOf(s Seen, sign int) []Term { return terms(s, sign, 6) }

func terms(s Seen, sign, depth int) []Term {
	x := s.Strip()
	switch {
	case !x.Known():
		return nil
	case depth == 0 || x.Is(domain.LogProb):
	case x.IsOp("sub", "rsub") && len(x.In) > 1 && x.In[1] != nil:
		if x.IsOp("rsub") {
			sign = -sign
		}
		return append(terms(x.Input(0), sign, depth-1), terms(x.Input(1), -sign, depth-1)...)
	case x.IsOp("add") && len(x.In) > 1 && x.In[1] != nil:
		return append(terms(x.Input(0), sign, depth-1), terms(x.Input(1), sign, depth-1)...)
	case x.IsOp("neg"):
		return terms(x.Input(0), -sign, depth-1)
	}
	return []Term{{Seen: s, Sign: sign}}
}

// LogProbSign is the sign with which a term counts a log-probability: its own for
// one, the opposite for a cross entropy, 0 for anything else.
func (t Term) LogProbSign() int {
	switch {
	case t.Is(domain.LogProb):
		return t.Sign
	case t.Strip().IsOp("cross_entropy", "nll_loss"):
		return -t.Sign
	}
	return 0
}

// unreduced looks through reductions over dimensions, masks and divisions by a size:
// they hand a log-ratio through as one of the whole action or sequence.
func (s Seen) unreduced() Seen {
	for range maxSteps {
		s = s.Strip()
		switch {
		case !s.Known():
			return s
		case s.IsOp("sum", "mean", "nan_to_num") && len(s.In) > 0 && s.In[0] != nil:
			s = s.Input(0)
		case s.IsOp("mul") && len(s.In) > 1 && s.Input(1).Is(domain.Mask):
			s = s.Input(0)
		case s.IsOp("div") && len(s.In) > 1 && s.Input(1).Is(domain.Mask|domain.Count|domain.Number):
			s = s.Input(0)
		case isOverflowGuard(s):
			s = s.Input(0)
		case s.maskedMean().Known():
			s = s.maskedMean()
		default:
			return s
		}
	}
	return s
}

// maskedMean returns x where s is sum(x * m) / sum(m), whatever m is called and
// however the denominator is kept from zero.
func (s Seen) maskedMean() Seen {
	total, size := s.Input(0).Strip(), s.Input(1).Strip()
	for size.Known() && size.IsOp("clamp", "clamp_min", "maximum", "add") {
		size = size.Input(0).Strip()
	}
	if !s.IsOp("div") || !total.Known() || !size.Known() || !total.IsOp("sum") || !size.IsOp("sum") {
		return Seen{p: s.p}
	}
	product, m := total.Input(0).Strip(), size.Input(0)
	switch {
	case !product.Known() || !product.IsOp("mul"):
	case product.Input(1).Same(m):
		return product.Input(0)
	case product.Input(0).Same(m):
		return product.Input(1)
	}
	return Seen{p: s.p}
}

// isOverflowGuard reports whether s is clamped to a band far wider than that of a
// ratio, so that an exponential stays finite.
func isOverflowGuard(s Seen) bool {
	c, ok := ClipOf(s)
	if !ok || c.At.Val != s.Val || !s.IsOp("clamp", "clip") {
		return false
	}
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	return (!c.Lo.Known() || ok && lo <= -2) && (!c.Hi.Known() || ok2 && hi >= 2)
}

// Roots returns the operations that computed s: one, or one for each branch and
// each call that s stands for. Reductions over dimensions and masks are seen through.
func (s Seen) Roots() []Seen {
	var out []Seen
	s.roots(&out, 8)
	return out
}

func (s Seen) roots(out *[]Seen, depth int) {
	s = s.unreduced()
	if !s.Known() || depth < 0 || len(*out) > 64 {
		return
	}
	if callers := s.Callers(); len(callers) != 1 || callers[0].Val != s.Val {
		for _, c := range callers {
			c.roots(out, depth-1)
		}
		return
	}
	if s.Op == infer.OpPhi && depth > 0 {
		for _, x := range s.In {
			if x != nil && !x.IsNone() {
				s.Of(x).roots(out, depth-1)
			}
		}
		return
	}
	*out = append(*out, s)
}

// Weighted is an advantage with a weight, the term of a policy-gradient objective
// without a clip.
type Weighted struct {
	At        *infer.Val
	Weight    Seen
	Advantage Seen
}

// WeightedAdvantages returns the products of an advantage with something else.
func (p *Pass) WeightedAdvantages() []Weighted { return p.common().weighted.get(p.findWeighted) }

func (p *Pass) findWeighted() []Weighted {
	var out []Weighted
	for _, v := range p.Made("mul") {
		list := FactorsOf(p.See(v)).List
		i := slices.IndexFunc(list, func(s Seen) bool { return s.Is(domain.Advantage) })
		if i < 0 {
			continue
		}
		for _, w := range without(list, i) {
			out = append(out, Weighted{v, w, list[i]})
		}
	}
	return out
}

// RatioUse is a value that an objective takes for the importance ratio.
type RatioUse struct {
	Ratio Seen
	// Clipped says that the structure of a clipped objective proves it.
	Clipped bool
	// Advantage is the kind's witness where there is no clip.
	Advantage Seen
}

// RatioUses returns what the program's objectives take for the ratio: what is
// clipped, and what weighs an advantage.
func (p *Pass) RatioUses() []RatioUse {
	var out []RatioUse
	for _, s := range p.Surrogates() {
		if !s.Exp {
			out = append(out, RatioUse{Ratio: s.Ratio, Clipped: true})
		}
	}
	for _, w := range p.WeightedAdvantages() {
		out = append(out, RatioUse{Ratio: w.Weight, Advantage: w.Advantage})
	}
	return out
}

// SurrogatesAt returns the clipped objective that v is, as a list of one or none.
func (p *Pass) SurrogatesAt(v *infer.Val) []*Surrogate {
	if s := p.surrogate(v); s != nil {
		return []*Surrogate{s}
	}
	return nil
}
