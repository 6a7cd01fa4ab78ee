package query

import (
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Factors is a product.
type Factors struct {
	List    []Seen
	Negated bool
}

// maxOperands bounds the factors of a product and the terms of a sum. A value that is
// multiplied by itself at every line would have twice as many at each.
const maxOperands = 16

// FactorsOf takes a product apart. Constants other than a sign are factors too. What is
// left of a product of more than maxOperands is one factor.
func FactorsOf(s Seen) Factors {
	var out Factors
	out.add(s, 8)
	return out
}

func (f *Factors) add(s Seen, depth int) {
	x := s.Strip()
	switch {
	case !x.Known():
	case depth > 0 && len(f.List) < maxOperands && x.IsOp("mul") && len(x.In) > 1:
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

// Unsigned takes the sign of a negated difference for one of the product: the other
// side of a surrogate, -clamp(a - b) * A, shows that it is.
func (f Factors) Unsigned() Factors {
	out := Factors{Negated: f.Negated}
	for _, s := range f.List {
		if x := s.Strip(); x.Known() && x.IsOp("neg") && len(x.In) > 0 {
			s, out.Negated = x.Input(0), !out.Negated
		}
		out.List = append(out.List, s)
	}
	return out
}

// Weighed takes weights out of a product. What is weighed is the one factor that is no weight; meant is
// the sign of the weights together, taking settings for not negative. ok is false where several
// factors are left, or none.
func (f Factors) Weighed() (x Seen, weights []Weight, meant int, ok bool) {
	meant = 1
	if f.Negated {
		meant = -1
	}
	for _, s := range f.List {
		switch w, is := WeightOf(s); {
		case is:
			weights = append(weights, w)
			meant *= w.Meant
		case x.Known():
			return Seen{}, nil, 0, false
		default:
			x = s
		}
	}
	return x, weights, meant, x.Known()
}

func isMinusOne(s Seen) bool {
	x, ok := s.Float()
	return ok && x == -1
}

// Without returns a list without its i-th value.
func Without(list []Seen, i int) []Seen {
	return append(slices.Clone(list[:i]), list[i+1:]...)
}

// SameFactors compares two products as sets.
func SameFactors(a, b []Seen) bool {
	b = slices.Clone(b)
	for _, x := range a {
		i := slices.IndexFunc(b, x.Same)
		if i < 0 {
			return false
		}
		b = Without(b, i)
	}
	return len(b) == 0
}

// Weight is a factor that only scales: a number, a setting, a mask or a size.
type Weight struct {
	Seen
	// Sign is that of all its elements: 0 for a zero, and where it is not known.
	Sign int
	// Meant is Sign, and 1 for a setting of unknown sign: a coefficient is not negative
	// unless the program says otherwise.
	Meant int
}

// WeightOf reads s as a weight; ok is false for anything else, as for a coefficient that is
// learned.
func WeightOf(s Seen) (w Weight, ok bool) {
	if !s.Known() {
		return Weight{}, false
	}
	if x, constant := s.Float(); constant {
		sign := 0
		switch {
		case x > 0:
			sign = 1
		case x < 0:
			sign = -1
		case s.isSetting() && !math.Signbit(x): // switched off by default: whoever sets it sets a weight
			return Weight{s, 0, 1}, true
		case s.isSetting(): // the negative of one
			return Weight{s, 0, -1}, true
		}
		return Weight{s, sign, sign}, true
	}
	switch {
	case s.Is(domain.Mask | domain.Count | domain.Done | domain.Terminated | domain.Truncated):
		return Weight{s, 1, 1}, true
	case s.Is(domain.Number|domain.Coef) && s.Q.Grad != domain.Attached: // else it is learned
		if s.Q.Range.NonNegative() {
			return Weight{s, 1, 1}, true
		}
		return Weight{s, 0, s.settingSign(6)}, true
	case s.IsOp("div") && s.Q.Kind == domain.UnknownKind && s.Q.Grad == domain.Detached && s.Input(0).Is(domain.Count): // a share of a batch
		return Weight{s, 0, s.settingSign(6)}, true
	}
	return Weight{}, false
}

// UnknownWeightOf reads s as a weight of which nothing is known but that it has no gradient of
// its own: an attribute of settings, an importance weight.
func UnknownWeightOf(s Seen) (w Weight, ok bool) {
	switch {
	case !s.Known() || s.Const != nil || s.Ref != nil || s.Q.Grad == domain.Attached:
		return Weight{}, false
	case s.Is(domain.Ratio | domain.Prob):
		return Weight{s, 1, 1}, true
	case s.Q.Kind != domain.UnknownKind:
		return Weight{}, false
	}
	return Weight{s, 0, s.settingSign(6)}, true
}

// isSetting reports whether a number is only the default of a setting.
func (s Seen) isSetting() bool {
	x := s.Strip()
	return x.Known() && (x.Op == infer.OpConfig || x.Op == infer.OpPhi && slices.ContainsFunc(x.In, func(v *infer.Val) bool { return v != nil && v.Op == infer.OpConfig }))
}

// settingSign is the sign that a setting is meant to have: 1 for what comes from outside, and
// for products of such; 0 for what was computed in another way.
func (s Seen) settingSign(depth int) int {
	if x, ok := s.Float(); ok {
		if x < 0 {
			return -1
		}
		return 1
	}
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return 0
	case x.Q.Range.NonNegative():
		return 1
	case x.Q.Range != domain.AnyRange: // it was seen to be negative
		return 0
	case len(x.In) == 0, x.IsOp(infer.OpParam, infer.OpConfig, infer.OpItem, infer.OpIterate, infer.OpCall):
		return 1
	case strings.HasPrefix(x.Op, infer.OpAttr+"."), strings.HasPrefix(x.Op, infer.OpCall+"."): // a schedule, or what cannot be seen
		return 1
	case x.IsOp("neg"):
		return -x.Input(0).settingSign(depth - 1)
	case x.IsOp("mul", "div") && len(x.In) > 1:
		return x.Input(0).settingSign(depth-1) * x.Input(1).settingSign(depth-1)
	case x.IsOp("sum", "mean"): // the size of a mask
		return x.Input(0).settingSign(depth - 1)
	case x.Op == infer.OpPhi, x.IsOp("clamp", "clip"): // a weight within bounds is one, too
		for _, in := range x.In {
			if in != nil && !in.IsNone() && x.Of(in).settingSign(depth-1) <= 0 {
				return 0
			}
		}
		return 1
	case x.IsOneMinus(): // of a mixture
		return 1
	}
	return 0
}

// Scaled reads a product or quotient as a weight and what it weighs.
func (s Seen) Scaled() (x Seen, w Weight, ok bool) {
	if !s.Known() || !s.IsOp("mul", "div") || len(s.In) < 2 {
		return Seen{}, Weight{}, false
	}
	a, b := s.Input(0), s.Input(1)
	if w, ok := WeightOf(b); ok {
		return a, w, true
	}
	if s.IsOp("mul") {
		if w, ok := WeightOf(a); ok {
			return b, w, true
		}
	}
	return Seen{}, Weight{}, false
}

// ErrorsOf returns what a squared or absolute error is taken of: a difference, or both
// sides; nothing where s is no error.
func ErrorsOf(s Seen) []Seen {
	switch {
	case !s.Known():
	case s.IsOp("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss"):
		return []Seen{s.Input(0), s.Input(1)}
	case s.IsOp("square"):
		return []Seen{s.Input(0)}
	case s.IsOp("pow") && len(s.In) > 1:
		if x, ok := s.Input(1).Float(); ok && x == 2 {
			return []Seen{s.Input(0)}
		}
	}
	return nil
}

// Term is a summand with its sign, as it stands in the sum: x.detach() is not x.
type Term struct {
	Seen
	Sign int
	cut  Seen // what cuts the sum off that the term stands in
}

// Cut is that of the term, or of the sum that it stands in: no gradient of (r + v).detach() reaches v.
func (t Term) Cut() Seen {
	if own := t.Seen.Cut(); own.Known() {
		return own
	}
	return t.cut
}

// TermsOf takes a sum and difference apart; sign is that of s. What is left of a sum of
// more than maxOperands is one term.
func TermsOf(s Seen, sign int) []Term { return addTerms(nil, s, Term{Sign: sign}, 6) }

// addTerms takes s apart, of which within has the sign and the cut.
func addTerms(out []Term, s Seen, within Term, depth int) []Term {
	x := s.Strip()
	if !x.Known() {
		return out
	}
	if depth > 0 && len(out) < maxOperands && !x.Is(domain.LogProb) {
		plus := within
		if cut := s.Cut(); cut.Known() {
			plus.cut = cut
		}
		minus := plus
		minus.Sign = -plus.Sign
		switch op := infer.BaseOp(x.Op); {
		case op == "sub" && len(x.In) > 1 && x.In[1] != nil:
			return addTerms(addTerms(out, x.Input(0), plus, depth-1), x.Input(1), minus, depth-1)
		case op == "rsub" && len(x.In) > 1 && x.In[1] != nil:
			return addTerms(addTerms(out, x.Input(0), minus, depth-1), x.Input(1), plus, depth-1)
		case op == "add" && len(x.In) > 1 && x.In[1] != nil:
			return addTerms(addTerms(out, x.Input(0), plus, depth-1), x.Input(1), plus, depth-1)
		case op == "neg":
			return addTerms(out, x.Input(0), minus, depth-1)
		}
	}
	within.Seen = s
	return append(out, within)
}

// IsNegation reports whether s is 0 - x.
func (s Seen) IsNegation() bool {
	x, ok := s.Input(0).Float()
	return ok && x == 0 && s.IsOp("sub") && len(s.In) > 1
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

// Turned reports whether s is the negative of what it is made of, below sums over tokens, masks and lengths: those who keep a
// cost, (-logp * mask).sum(-1) or a cross entropy, subtract the other way round.
func (s Seen) Turned() bool { return s.turned(8) }

func (s Seen) turned(depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0 || len(x.In) == 0:
		return false
	case x.IsOp("cross_entropy", "nll_loss"):
		return true
	case x.IsOp("sum", "mean", "div"):
		return x.Input(0).turned(depth - 1)
	case x.IsOp("neg", "mul"):
		f := FactorsOf(x)
		if of, _, meant, ok := f.Weighed(); ok {
			return (meant < 0) != of.turned(depth-1)
		}
		return f.Negated
	case x.Op == infer.OpPhi:
		return All(x.inputs(len(x.In)), func(y Seen) bool { return y.turned(depth - 1) })
	}
	return false
}

// unreduced looks through reductions over dimensions, masks and divisions by a size:
// they hand a log-ratio through as one of the whole action or sequence.
func (s Seen) unreduced() Seen {
	for range maxSteps {
		s = s.Strip()
		switch {
		case !s.Known():
			return s
		case s.IsOp("sum", "mean", "prod", "nan_to_num") && len(s.In) > 0 && s.In[0] != nil:
			s = s.Input(0)
		case s.IsOp("mul") && len(s.In) > 1 && s.Input(1).Is(domain.Mask):
			s = s.Input(0)
		case s.IsOp("where") && len(s.In) > 2 && s.Input(0).Is(domain.Mask) && isZero(s.Input(2)): // so that NaN is masked, too
			s = s.Input(1)
		case s.IsOp("div") && len(s.In) > 1 && s.Input(1).Is(domain.Mask|domain.Count|domain.Number):
			s = s.Input(0)
		case s.IsOverflowGuard():
			s = s.Input(0)
		default:
			m, ok := ReductionOf(s)
			if !ok || m.By != ByMask {
				return s
			}
			s = m.Of
		}
	}
	return s
}

// Roots returns the operations that computed s: one, or one for each branch and
// each call that s stands for. Reductions over dimensions and masks are seen through.
func (s Seen) Roots() []Seen {
	var out []Seen
	for root := range s.EachRoot {
		out = append(out, root)
	}
	return out
}

// maxRoots bounds the roots of a value.
const maxRoots = 64

// EachRoot calls yield for the Roots.
func (s Seen) EachRoot(yield func(Seen) bool) {
	room := maxRoots + 1
	s.roots(8, func(root Seen) bool {
		room--
		return yield(root) && room > 0
	})
}

// roots reports whether yield wants more.
func (s Seen) roots(depth int, yield func(Seen) bool) bool {
	s = s.unreduced()
	if !s.Known() || depth < 0 {
		return true
	}
	if callers := s.Callers(); len(callers) != 1 || callers[0].Val != s.Val {
		for _, c := range callers {
			if !c.roots(depth-1, yield) {
				return false
			}
		}
		return true
	}
	if s.Op == infer.OpPhi && depth > 0 {
		for _, x := range s.In {
			if x != nil && !x.IsNone() && !s.Of(x).roots(depth-1, yield) {
				return false
			}
		}
		return true
	}
	return yield(s)
}
