package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Bootstraps that are discounted once
//
// A discounted sum of n rewards reaches n steps ahead, and what the state there is worth is discounted by gamma to the power
// of n; or the sum begins with it. A target that adds the sum and gamma times a value takes a state far ahead for the next one.

// DiscountedOnce is a target that adds a discounted sum of several rewards to a value that is discounted by the same factor, once.
type DiscountedOnce struct {
	At    Seen
	Sum   *infer.Val // where a loop adds the rewards up
	Value Bootstrap
}

// BootstrapsOnce are those of the module.
func (g *Graph) BootstrapsOnce() []DiscountedOnce {
	sums := g.discountedSums()
	if len(sums) == 0 {
		return nil
	}
	var out []DiscountedOnce
	for _, b := range g.Bellmans() {
		for _, reward := range b.Rewards {
			sum := g.heldSum(reward.Val, func(v *infer.Val) bool { return v.Node != nil && len(sums[v.Node]) > 0 })
			if sum == nil || sum.Node == b.At.Node {
				continue
			}
			for _, n := range b.Next {
				if !n.Carried && len(n.Unknown) == 0 && sameDiscount(n, sums[sum.Node]) {
					out = append(out, DiscountedOnce{At: b.At, Sum: sum, Value: n})
				}
			}
		}
	}
	return out
}

// discountedSums are the sums of rewards of several steps, each with the factors among which is what discounts one step: what a loop
// carries on from round to round, R = r + gamma * R, or what it raises to the number of the round, R += gamma ** k * r, which a
// comprehension may do as well.
func (g *Graph) discountedSums() map[ast.Node][]Seen {
	out := map[ast.Node][]Seen{}
	for _, r := range g.Recurrences() {
		if r.Sum.Node != nil && r.OfRewards() && len(r.Added) == 1 {
			out[r.Sum.Node] = FactorsOf(r.Carried.Seen).List
		}
	}
	for _, v := range g.Ops("torch.add") {
		if v.Node == nil || len(Around(Place{v.Frame, v.Node})) == 0 {
			continue
		}
		terms := TermsOf(g.See(v), 1)
		for i, t := range terms {
			if len(terms) == 2 && isCarried(terms[1-i].Seen, v) {
				if of := discountIn(t.Seen); of.Known() {
					out[v.Node] = []Seen{of}
				}
			}
		}
	}
	for v := range g.Each {
		if call, ok := v.Node.(*ast.Call); ok && CalleeName(call) == "sum" && len(call.Args) > 0 && v.Frame != nil {
			if comp, ok := call.Args[0].(*ast.Comp); ok {
				if of := discountIn(g.See(v.Frame.Val(comp.Elt))); of.Known() {
					out[call] = []Seen{of}
				}
			}
		}
	}
	return out
}

// discountIn is what a term of a sum raises to the number of a step: gamma in gamma ** k * r.
func discountIn(s Seen) Seen {
	factors := FactorsOf(s).List
	for _, f := range factors {
		x := f.Strip()
		if x.Known() && x.IsOp("pow") && len(x.In) > 1 && len(factors) > 1 && isDiscount(x.Input(0)) && x.Input(1).Known() && x.Input(1).Const == nil {
			return x.Input(0)
		}
		if of := runningProduct(x); of.Known() && len(factors) > 1 {
			return of
		}
	}
	return Seen{}
}

// runningProduct is the discount by which a loop multiplies in each round what s is: it begins with 1 and is then its powers.
func runningProduct(s Seen) Seen {
	if !s.Known() || s.Op != infer.OpPhi {
		return Seen{}
	}
	for i, x := range s.In {
		if !x.IsOp("mul") || !infer.Reaches(x, s.Val, 8) {
			continue
		}
		for _, f := range FactorsOf(s.Input(i)).List {
			if y := f.Strip(); y.Known() && y.Op != infer.OpPhi && isDiscount(y) {
				return y
			}
		}
	}
	return Seen{}
}

// sameDiscount reports whether a value is scaled by one of the factors, and by nothing else.
func sameDiscount(n Bootstrap, factors []Seen) bool {
	if len(n.Discount) != 1 {
		return false
	}
	once := n.Discount[0].Strip()
	for _, f := range factors {
		x := f.Strip()
		if !x.Known() || !once.Known() || isPower(once) || isOne(x) {
			continue
		}
		if infer.SameSource(x.Val, once.Val) || x.Const != nil && x.Const == once.Const || fieldPath(x) != "" && fieldPath(x) == fieldPath(once) {
			return true
		}
	}
	return false
}

// isPower reports whether a value is raised to a number, also where both are settings: those stay settings, whatever is computed of them.
func isPower(s Seen) bool {
	n, ok := s.Node.(*ast.BinOp)
	return s.IsOp("pow") || ok && n.Op == ast.Pow
}

// heldSum is the sum that a value is, or of which a list or tensor has one for each step; nil for anything else.
func (g *Graph) heldSum(v *infer.Val, is func(*infer.Val) bool) *infer.Val {
	for range 12 {
		v = infer.Strip(v)
		switch {
		case v == nil:
			return nil
		case is(v):
			return v
		case v.Ref != nil:
			seq, ok := v.Ref.(*infer.SeqRef)
			switch {
			case !ok:
				return nil
			case seq.Elems == nil:
				v = seq.Elem
			case len(seq.Elems) == 1:
				v = seq.Elems[0]
			default:
				return nil
			}
		case v.Op == infer.OpPhi:
			if v = g.filledOrSummed(v, is); v == nil {
				return nil
			}
		case v.Op == infer.OpStore && len(v.In) > 1:
			v = v.In[1]
		case len(v.In) > 0 && (v.Op == infer.OpNarrow || v.Op == infer.OpItem || v.IsOp("tensor", "as_tensor", "FloatTensor", "Tensor", "array", "asarray", "from_numpy", "stack", "cat", "reshape", "view", "unsqueeze", "squeeze")):
			v = v.In[0]
		default:
			return nil
		}
	}
	return nil
}

// filledOrSummed is what a value is that differs by the branch: the write into a tensor that was allocated, or the sum that is 0, or the
// reward of the last step, where no step came before. Nil for anything else: a sum that begins with a value is discounted rightly.
func (g *Graph) filledOrSummed(v *infer.Val, is func(*infer.Val) bool) *infer.Val {
	var from *infer.Val
	starts := 0
	for _, x := range sourcesOf(v, 4) {
		switch {
		case x == nil:
			return nil
		case x.Node != nil && x.IsOp("add") && is(x), x.Op == infer.OpStore:
			if from != nil && from != x {
				return nil
			}
			from = x
		case x.Const != nil, x.IsOp("zeros", "empty", "ones", "full"), g.See(x).IsReward():
			starts++
		default:
			return nil
		}
	}
	if from == nil || starts == 0 && !hasPower(from) {
		return nil
	}
	return from
}

// sourcesOf are the values that one is on some branch, or in some round.
func sourcesOf(v *infer.Val, depth int) (out []*infer.Val) {
	for _, x := range v.In {
		switch {
		case x == v:
		case x != nil && x.Op == infer.OpPhi && depth > 0:
			out = append(out, sourcesOf(x, depth-1)...)
		case x == nil || !slices.Contains(out, x):
			out = append(out, x)
		}
	}
	return out
}

// hasPower reports whether a sum raises its discount itself: then it begins with no value of what comes behind.
func hasPower(v *infer.Val) bool {
	return slices.ContainsFunc(v.In, func(x *infer.Val) bool { return infer.Within(x, 8, func(y *infer.Val) bool { return y.IsOp("pow") }) })
}

// fieldPath is how a setting of an object is read, as "self.gamma"; "" for anything else.
func fieldPath(s Seen) string {
	at, ok := s.Node.(*ast.Attribute)
	if !ok {
		return ""
	}
	return Path(at)
}
