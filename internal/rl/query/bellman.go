package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # The Bellman form
//
// A target of a temporal difference, the delta of a generalised advantage, an n-step return and a return that a
// loop adds up are one form,
//
//	reward + discount * [mask *] value of what comes next
//
// in which the value is what a network yields, an element of stored values, or the sum of the round before. A
// Bellman is the addition in which the reward and that product meet, however many lines and helpers it is spread
// over. What the reward and the value are decides, not what they are called.

// Bellman is a sum of rewards and of discounted values of what comes next.
type Bellman struct {
	At      Seen // the addition in which they meet
	Rewards []Term
	Next    []Bootstrap
	Rest    []Term // other terms, as the value that a TD error subtracts
}

// Bootstrap is a term of a Bellman that holds the value of what comes next.
type Bootstrap struct {
	Term
	Discount []Seen // numbers and settings that scale it
	Masks    []Seen // factors that are 0 or 1, as done and 1 - done
	Unknown  []Seen // factors of which nothing is known: perhaps a discount of its own for each transition
	Value    Seen   // what is discounted
	Carried  bool   // Value is the sum of the round before
}

// Bellmans are those of the module, in the order of frames and of the source.
func (g *Graph) Bellmans() []Bellman {
	g.bellmans.once.Do(func() {
		for _, v := range g.Ops("torch.add", "torch.sub") {
			if b, ok := g.bellmanOf(v); ok {
				g.bellmans.list = append(g.bellmans.list, b)
			}
		}
	})
	return g.bellmans.list
}

func (g *Graph) bellmanOf(v *infer.Val) (Bellman, bool) {
	if v.Frame == nil || v.Frame.Stale() {
		return Bellman{}, false
	}
	return g.BellmanAt(g.See(v))
}

// BellmanAt reads the addition that s is as a Bellman, as it is seen from there.
func (g *Graph) BellmanAt(s Seen) (Bellman, bool) {
	if len(s.In) < 2 {
		return Bellman{}, false
	}
	b := Bellman{At: s}
	b.sort(TermsOf(b.At, 1))
	if len(b.Rewards) == 0 || len(b.Next) == 0 || b.isAverage() {
		return Bellman{}, false
	}
	for i := range 2 { // else they meet further in
		var part Bellman
		part.At = b.At
		part.sort(TermsOf(b.At.Input(i), 1))
		if len(part.Rewards) > 0 && len(part.Next) > 0 && (part.ahead() || !b.ahead()) {
			return Bellman{}, false
		}
	}
	return b, true
}

// ahead reports whether a sum counts more of what comes next than itself of the round before.
func (b Bellman) ahead() bool {
	return slices.ContainsFunc(b.Next, func(n Bootstrap) bool { return !n.Carried })
}

// isAverage reports whether a sum is a moving average, w * x + (1 - w) * y, of what is not known for a reward, or kept in a field of which
// nothing is known: weights that sum to one are no discount.
func (b Bellman) isAverage() bool {
	for _, r := range b.Rewards {
		weights := FactorsOf(r.Seen).List
		if len(weights) < 2 || r.IsReward() && !slices.ContainsFunc(b.Next, func(n Bootstrap) bool { return n.isKept() }) {
			continue
		}
		if slices.ContainsFunc(b.Next, func(n Bootstrap) bool {
			return slices.ContainsFunc(n.Discount, func(d Seen) bool {
				return slices.ContainsFunc(weights, func(w Seen) bool { return d.IsRestOf(w) || w.IsRestOf(d) })
			})
		}) {
			return true
		}
	}
	return false
}

// isKept reports whether a value is known by nothing but the name of the field that it is read from, as a mean of scores is in a field
// called value.
func (n Bootstrap) isKept() bool {
	x := n.Value.Strip()
	return x.Known() && strings.HasPrefix(x.Op, infer.OpAttr+".") && !x.Q.Kind.Known() && len(x.YieldedBy()) == 0 && !x.isLayerField() && !isLearned(x)
}

// sort sorts terms.
func (b *Bellman) sort(terms []Term) {
	for _, t := range terms {
		switch next, ok := bootstrapOf(t, b.At.Val); {
		case t.isLoss():
			b.Rest = append(b.Rest, t)
		case ok:
			b.Next = append(b.Next, next)
		case t.Sign > 0 && t.IsReward():
			b.Rewards = append(b.Rewards, t)
		default:
			b.Rest = append(b.Rest, t)
		}
	}
	if len(b.Rewards) > 0 || !slices.ContainsFunc(b.Next, func(n Bootstrap) bool { return n.Value.isYielded(6) || n.Value.Is(domain.QValue|domain.StateValue) }) {
		return
	}
	i := slices.IndexFunc(b.Rest, func(t Term) bool { return t.Sign > 0 && t.isData() && !t.isValue(6) })
	if i < 0 {
		i = slices.IndexFunc(b.Rest, func(t Term) bool { return t.Sign > 0 && t.isShapedReward(6) && !t.isValue(6) })
	}
	if i < 0 {
		i = slices.IndexFunc(b.Rest, func(t Term) bool { return t.Sign > 0 && t.isOwnReward(b.Next) })
	}
	if i >= 0 && !b.Rest[i].hasNoise() { // what else is added to a network's discounted output
		b.Rewards = append(b.Rewards, b.Rest[i])
		b.Rest = slices.Delete(b.Rest, i, i+1)
	}
}

// hasNoise reports whether a factor of a term is drawn: a step of a diffusion adds such a term to what its network yields.
func (t Term) hasNoise() bool {
	return slices.ContainsFunc(FactorsOf(t.Seen).List, func(s Seen) bool { return s.isDrawn(6) })
}

// isLoss reports whether a term is a loss, or one times its weight: it has neither reward nor value in it.
func (t Term) isLoss() bool {
	return slices.ContainsFunc(append(FactorsOf(t.Seen).List, t.Strip()), func(s Seen) bool {
		return s.Known() && (s.Is(domain.Loss) || s.isNamed(domain.Loss))
	})
}

// IsReward reports whether s is what the environment pays, as it is, scaled, clipped or standardised.
func (s Seen) IsReward() bool { return s.isReward(8) }

func (s Seen) isReward(depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return false
	case s.Is(domain.Reward), x.Is(domain.Reward), x.isNamed(domain.Reward):
		return true
	case x.Op == infer.OpPhi:
		filled := slices.DeleteFunc(slices.Clone(x.In), func(v *infer.Val) bool { return v == nil || v == x.Val || isZero(x.Of(v)) })
		return len(filled) > 0 && !slices.ContainsFunc(filled, func(v *infer.Val) bool { return !x.Of(v).isReward(depth - 1) })
	case x.Op == infer.OpStore:
		return x.Input(1).isReward(depth - 1)
	case x.IsOp("clamp", "clip", "sign", "tanh", infer.OpItem, infer.OpIterate) && len(x.In) > 0:
		return x.Input(0).isReward(depth - 1)
	case x.IsOp("minimum", "maximum", "min", "max") && len(x.In) > 1:
		return x.Input(0).isReward(depth-1) || x.Input(1).isReward(depth-1)
	}
	if y := x.Unstandardised(); y.Known() && y.Val != x.Val {
		return y.isReward(depth - 1)
	}
	if y, w, ok := x.Scaled(); ok && !w.Is(domain.Mask|ends) {
		return y.isReward(depth - 1)
	}
	return false
}

// isData reports whether s may be data of which nothing more is known: no network yields it, and it is no number.
func (s Seen) isData() bool {
	x := s.Strip()
	if x.Known() && x.Ref != nil && s.Ref == nil { // a tensor of a list
		return s.Q.Grad == domain.Detached && s.Q.Kind == domain.UnknownKind && len(x.YieldedBy()) == 0
	}
	return x.Known() && x.Const == nil && x.Ref == nil && x.Q.Grad != domain.Attached && x.Q.Kind == domain.UnknownKind && s.Q.Kind == domain.UnknownKind &&
		(x.Op == infer.OpItem || x.Op == infer.OpIterate || x.Op == infer.OpParam || strings.HasPrefix(x.Op, infer.OpAttr+".") || x.Fn != nil && infer.Through(x.Val) != nil ||
			x.Op == infer.OpPhi && !x.isDrawn(6)) &&
		len(x.YieldedBy()) == 0
}

// isDrawn reports whether s is scaled noise, as that of exploration is, on one branch at least: it is what is not known of the scale that
// leaves open what the product is.
func (s Seen) isDrawn(depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return false
	case x.Is(domain.Noise):
		return true
	case x.IsOp(infer.OpPhi, "add", "sub", "mul", "div", "clamp", "clip"):
		return slices.ContainsFunc(x.In, func(v *infer.Val) bool { return v != nil && v != x.Val && x.Of(v).isDrawn(depth-1) })
	}
	return false
}

// isShapedReward reports whether s may be a reward after it was scaled, clipped or standardised, or what was kept of one in
// a tensor: numbers of which nothing is known and that no network yields.
func (s Seen) isShapedReward(depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return false
	case s.isData():
		return true
	case x.Q.Kind.Known() || s.Q.Kind.Known() || x.Q.Grad == domain.Attached || len(x.YieldedBy()) > 0:
		return false
	case x.IsOp(infer.OpItem, infer.OpIterate) && len(x.In) > 0, s.IsOp(infer.OpItem) && x.IsOp("zeros", "empty", "zeros_like", "empty_like"):
		return true
	case x.IsOp("add", "sub", "mul", "div", "clamp", "clip", "sign", "tanh") && len(x.In) > 0:
		return slices.ContainsFunc(x.Flows(), func(f Seen) bool { return f.isShapedReward(depth - 1) })
	}
	return false
}

// isOwnReward reports whether s is what a program pays itself: a number that it chose, or made of what was observed, that was kept beside
// the flag of the episode's end, and that the value of what comes next was not made of, as the next state of a model of the world would be.
func (s Seen) isOwnReward(next []Bootstrap) bool {
	x := s.Strip()
	if !x.Known() || s.Const != nil || !s.Is(domain.Number|domain.Observation) || s.Q.Grad != domain.Detached || len(x.YieldedBy()) > 0 {
		return false
	}
	return len(s.g.FlagsBeside(s)) > 0 && !slices.ContainsFunc(next, func(n Bootstrap) bool { return infer.Reaches(n.Value.Val, x.Val, maxRound) })
}

// isNamed reports whether a value of which nothing else is known is read under a name of a kind: as a variable that
// a batch is unpacked into, a key or a field. Python goes by names there.
func (s Seen) isNamed(k domain.Kind) bool {
	if !s.Known() || s.Q.Kind.Known() || len(s.In) == 0 && s.Op != infer.OpParam {
		return false
	}
	if key, ok := s.keyName(); ok {
		return nameIs(key, k)
	}
	return false
}

// keyName is the name under which s was taken out of something.
func (s Seen) keyName() (string, bool) {
	if field, ok := strings.CutPrefix(s.Op, infer.OpAttr+"."); ok {
		return field, true
	}
	if s.Op == infer.OpParam {
		name := s.paramName()
		return name, name != ""
	}
	switch n := s.Node.(type) {
	case *ast.Name:
		return n.Ident, s.Op == infer.OpItem || s.Op == infer.OpIterate
	case *ast.Attribute:
		return n.Attr, true
	case *ast.Subscript:
		if len(s.In) > 1 {
			if key, ok := s.In[1].Str(); ok {
				return key, true
			}
		}
	}
	return "", false
}

// bootstrapOf reads a term as a discounted value of what comes next; sum is the addition that it is a term of.
func bootstrapOf(t Term, sum *infer.Val) (Bootstrap, bool) {
	out := Bootstrap{Term: t}
	f := FactorsOf(t.Seen)
	if f.Negated {
		out.Sign = -out.Sign
	}
	if out.Sign < 0 || len(f.List) < 2 {
		return Bootstrap{}, false
	}
	for _, x := range f.List {
		switch {
		case x.IsFlag():
			out.Masks = append(out.Masks, x)
		case isDiscount(x):
			out.Discount = append(out.Discount, x)
		case !out.Value.Known() && isCarried(x, sum):
			out.Value, out.Carried = x, true
		case !out.Value.Known() && x.isValue(4):
			out.Value = x
		default:
			out.Unknown = append(out.Unknown, x)
		}
	}
	return out, out.Value.Known() && len(out.Discount) > 0
}

// isDiscount reports whether a factor is a number between 0 and 1 that the program sets, or a power of one. Where nothing
// is known of a setting it goes by its name.
func isDiscount(s Seen) bool {
	x := s.Strip()
	switch {
	case !x.Known():
		return false
	case x.IsOp("pow") && len(x.In) > 1:
		x = x.Input(0).Strip()
		if !x.Known() {
			return false
		}
	}
	if c, ok := x.Float(); ok {
		return c > 0.3 && c <= 1
	}
	return x.Is(domain.Coef) || s.Is(domain.Coef) || x.isDiscountName() || x.isOptionalDiscount()
}

// isOptionalDiscount reports whether s is a setting on one branch, as where the batch brings no discount of its own, and on the others
// data of which nothing is known. Whether a flag is at work there is asked apart, as of all discounts (Ends).
func (s Seen) isOptionalDiscount() bool {
	if s.Op != infer.OpPhi || s.Q.Kind.Known() {
		return false
	}
	some := false
	for _, v := range s.In {
		x := s.Of(v).Strip()
		switch {
		case !x.Known() || s.g.EndsBranch(x.Val):
			return false
		case x.IsNone():
		case x.Is(domain.Coef) || x.isDiscountName():
			some = true
		case x.Q.Kind.Known() || x.Const != nil || !x.IsOp(infer.OpConfig, infer.OpItem, infer.OpIterate, infer.OpParam) && !strings.HasPrefix(x.Op, infer.OpAttr+"."):
			return false
		}
	}
	return some
}

// isCarried reports whether s is the sum as it was in the round before.
func isCarried(s Seen, sum *infer.Val) bool {
	x := s.Strip()
	if !x.Known() || len(Around(Place{sum.Frame, sum.Node})) == 0 {
		return false
	}
	return x.IsOp(infer.OpPhi, infer.OpItem) && infer.Reaches(sum, x.Val, maxRound) || x.Node != nil && x.Node == sum.Node
}

// notValues are kinds that are no value of a state.
const notValues = domain.LogProb | domain.Entropy | domain.Loss | domain.Coef | domain.Reward | domain.KL | domain.Action | domain.Observation | domain.Mask | domain.Advantage |
	domain.Noise | domain.Index | domain.Count | domain.TDError

// isValue reports whether s is a value of a state: what a network yields, the best or the mean of several, less the
// entropy, an element of stored values, or the support of a distribution of returns.
func (s Seen) isValue(depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0 || x.Const != nil || x.Is(notValues):
		return false
	case x.Is(domain.StateValue|domain.QValue|domain.Raw|domain.Logits) || s.Is(domain.StateValue|domain.QValue|domain.Raw):
		return true
	case len(x.YieldedBy()) > 0, x.isNamed(domain.StateValue | domain.QValue), x.IsOp("linspace"), x.isLayerField(), x.isCriticCall():
		return true
	case x.IsOp("add", "sub"):
		return slices.ContainsFunc(TermsOf(x, 1), func(t Term) bool { return t.Sign > 0 && t.isValue(depth-1) })
	case x.IsOp(passing...):
		return slices.ContainsFunc(x.Flows(), func(f Seen) bool { return f.isValue(depth - 1) })
	case x.IsOp(activations...):
		return x.Input(0).isValue(depth - 1)
	}
	return false
}

// passing are operations of which the result is a value where what they take is one.
var passing = []string{"min", "max", "minimum", "maximum", "amax", "amin", "mean", "gather", "where", "clamp", "clip", "masked_fill", "take_along_dim", "sum", infer.OpPhi, infer.OpItem,
	infer.OpIterate, infer.OpStore, "mul", "div", "stack", "cat", "append", "roll"}

// activations are with what a network may end.
var activations = []string{"relu", "softplus", "sigmoid", "tanh", "softmax"}

// isYielded reports whether s is made of what a network yields.
func (s Seen) isYielded(depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return false
	case x.Is(domain.QValue|domain.StateValue) || len(x.YieldedBy()) > 0 || isLearned(x) || x.isNamed(domain.QValue|domain.StateValue) || x.isLayerField() || x.isCriticCall():
		return true
	case x.IsOp("add", "sub") || x.IsOp(passing...):
		return slices.ContainsFunc(x.Flows(), func(f Seen) bool { return f.isYielded(depth - 1) })
	case x.IsOp(activations...):
		return x.Input(0).isYielded(depth - 1)
	}
	return false
}

// isLayerField reports whether s is a field of a network that is no layer, as the atoms of a distribution of returns.
func (s Seen) isLayerField() bool {
	return strings.HasPrefix(s.Op, infer.OpAttr+".") && len(s.In) > 0 && s.In[0].Is(domain.Module) && !s.Is(domain.Module)
}

// IsFlag reports whether s is 0 or 1, one for each transition: whether an episode ended, or did not.
func (s Seen) IsFlag() bool { return s.isFlag(6) }

func (s Seen) isFlag(depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0 || x.Const != nil && x.Op != infer.OpPhi || x.Is(domain.Coef|domain.Number) && x.Op == infer.OpConfig:
		return false
	case x.Is(ends|domain.Mask) || s.Is(ends|domain.Mask):
		return true
	case x.IsOneMinus():
		of := x.Input(1)
		d := of.Strip()
		listed := d.Known() && d.Ref != nil && of.Ref == nil && !of.Q.Kind.Known() // a tensor of a list
		return d.Known() && d.Const == nil && (d.isFlag(depth-1) || !d.Q.Kind.Known() || listed)
	case x.IsOp("logical_not", "invert", "not"):
		return true
	case x.Is(domain.Number) && x.Fn != nil && x.Q.Range == domain.Between(domain.Zero, domain.One):
		return true // a tensor of zeros and ones
	case isEndName(x), x.isChoiceOfZeroAndOne():
		return true
	case !x.Q.Kind.Known() && x.IsOp(infer.OpItem, infer.OpIterate) && len(x.In) > 0:
		if seq, ok := x.Input(0).Ref.(*infer.SeqRef); ok {
			return seq.Elem != nil && x.Of(seq.Elem).isFlag(depth-1)
		}
		return x.Input(0).Ref == nil && x.Input(0).isFlag(depth-1)
	case !x.Q.Kind.Known() && x.Op == infer.OpPhi: // 1 - done of the last step, and of the others
		return !slices.ContainsFunc(x.In, func(v *infer.Val) bool { return !x.Of(v).isFlag(depth - 1) })
	}
	return false
}

// maxCondition bounds the values that a condition is computed of.
const maxCondition = 20

// isChoiceOfZeroAndOne reports whether s is 0 on one path and 1 on another, or False and True, and no setting of the program decides which:
// that is one for the whole run.
func (s Seen) isChoiceOfZeroAndOne() bool {
	if s.Op != infer.OpPhi {
		return false
	}
	if n, ok := s.Node.(*ast.IfExp); ok && infer.Within(s.Frame.Val(n.Cond), maxCondition, func(v *infer.Val) bool { return v.Op == infer.OpConfig }) {
		return false
	}
	var zero, one bool
	for _, v := range s.In {
		switch v.Const {
		case false, int64(0), 0.0:
			zero = true
		case true, int64(1), 1.0:
			one = true
		default:
			return false
		}
	}
	return zero && one
}

// ends are the kinds of flags at the end of an episode.
const ends = domain.Done | domain.Terminated | domain.Truncated

// isEndName reports whether a value of which nothing else is known is read under the name of such a flag.
func isEndName(x Seen) bool {
	if x.Q.Kind.Known() {
		return false
	}
	key, ok := x.keyName()
	return ok && nameIs(key, ends|domain.Mask)
}

// BootstrapOf reads a value as a discounted value of what comes next, as it stands in a target that counts no rewards.
func BootstrapOf(s Seen) (Bootstrap, bool) {
	x := s.Strip()
	if !x.Known() {
		return Bootstrap{}, false
	}
	return bootstrapOf(Term{Seen: s, Sign: 1}, x.Val)
}
