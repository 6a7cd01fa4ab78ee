package query

import (
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
	sums := map[any]Recurrence{}
	for _, r := range g.Recurrences() {
		if r.Sum.Node != nil && r.OfRewards() && len(r.Added) == 1 {
			sums[r.Sum.Node] = r
		}
	}
	if len(sums) == 0 {
		return nil
	}
	var out []DiscountedOnce
	for _, b := range g.Bellmans() {
		for _, reward := range b.Rewards {
			sum := heldSum(reward.Val, func(v *infer.Val) bool { _, ok := sums[v.Node]; return ok && v.Node != nil })
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

// sameDiscount reports whether a value is scaled by the factor that a sum is carried on with, and by no other.
func sameDiscount(n Bootstrap, r Recurrence) bool {
	if len(n.Discount) != 1 {
		return false
	}
	once := n.Discount[0].Strip()
	for _, f := range FactorsOf(r.Carried.Seen).List {
		x := f.Strip()
		if !x.Known() || !once.Known() || once.IsOp("pow") || isOne(x) {
			continue
		}
		if infer.SameSource(x.Val, once.Val) || x.Const != nil && x.Const == once.Const || fieldPath(x) != "" && fieldPath(x) == fieldPath(once) {
			return true
		}
	}
	return false
}

// heldSum is the sum that a value is, or of which a list or tensor has one for each step; nil for anything else.
func heldSum(v *infer.Val, is func(*infer.Val) bool) *infer.Val {
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
		case v.Op == infer.OpStore && len(v.In) > 1:
			v = v.In[1]
		case len(v.In) > 0 && (v.Op == infer.OpNarrow || v.Op == infer.OpItem || v.IsOp("tensor", "as_tensor", "FloatTensor", "Tensor", "array", "asarray", "from_numpy", "stack", "cat")):
			v = v.In[0]
		default:
			return nil
		}
	}
	return nil
}

// fieldPath is how a setting of an object is read, as "self.gamma"; "" for anything else.
func fieldPath(s Seen) string {
	at, ok := s.Node.(*ast.Attribute)
	if !ok {
		return ""
	}
	return Path(at)
}
