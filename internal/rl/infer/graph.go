package infer

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Transparent operations hand their first input through: views, copies, casts.
var transparent = map[string]bool{
	"view": true, "reshape": true, "unsqueeze": true, "squeeze": true, "flatten": true, "expand": true, "expand_as": true, "view_as": true,
	"contiguous": true, "clone": true, "detach": true, "to": true, "float": true, "double": true, "half": true, "bfloat16": true,
	"cpu": true, "cuda": true, "numpy": true, "item": true, "repeat": true, "tile": true, "repeat_interleave": true, "ravel": true,
	"transpose": true, "permute": true, "t": true, "T": true, "type_as": true, "requires_grad": true, "data": true,
	"tensor": true, "Tensor": true, "FloatTensor": true, "LongTensor": true, "as_tensor": true, "Variable": true, "from_numpy": true, "array": true, "asarray": true, "astype": true,
	"rearrange": true, "unflatten": true, "copy": true, "detach_": true, "tolist": true,
}

// BaseOp returns the last component of an operation's name: "softmax" for
// "torch.nn.functional.softmax".
func BaseOp(op string) string {
	return strings.TrimSuffix(op[strings.LastIndexByte(op, '.')+1:], "_")
}

// isOp reports whether v was produced by one of the operations, by base name. It is asked more
// than anything else, so the base name is not looked for: the name must be what comes last.
func isOp(v *Val, names ...string) bool {
	if v == nil {
		return false
	}
	op := strings.TrimSuffix(v.Op, "_")
	for _, name := range names {
		if at := len(op) - len(name); at >= 0 && (at == 0 || op[at-1] == '.') && op[at:] == name {
			return true
		}
	}
	return false
}

// IsOp reports whether v was produced by an operation of one of these base
// names, whichever library and spelling.
func (v *Val) IsOp(names ...string) bool { return isOp(v, names...) }

// Strip follows a value back through what does not change its numbers: views,
// copies, casts, detach, narrowing, returns of calls.
func Strip(v *Val) *Val {
	for range 64 {
		from := Through(v)
		if from == nil {
			break
		}
		v = from
	}
	return v
}

// Through returns the value whose numbers v hands through, one step back; nil
// where v computes something.
func Through(v *Val) *Val {
	if v == nil || len(v.In) == 0 || v.In[0] == nil {
		return nil
	}
	switch {
	case v.Op == OpNarrow, v.Op == OpRequiresGrad, v.returnsFirst(), v.Fn != nil && (transparent[BaseOp(v.Op)] || v.recasts()):
		return v.In[0]
	}
	return nil
}

// recasts reports whether v is an integer or truth value in another type: of other numbers such a cast loses something.
func (v *Val) recasts() bool {
	const whole = domain.Mask | domain.Done | domain.Terminated | domain.Truncated | domain.TokenIDs | domain.Index | domain.Count
	return isOp(v, "int", "long", "bool", "byte", "type") && v.In[0].Is(whole) && v.Is(whole)
}

// Unfollowed reports whether v is a call of which nothing is known: its inputs are what was
// called and its arguments, and no result.
func (v *Val) Unfollowed() bool { return v.Op == OpCall && v.asked }

// returnsFirst reports whether v is the result of a call that was followed, and In[0] what the
// callee returned.
func (v *Val) returnsFirst() bool {
	return v.Op == OpCall && !v.Unfollowed() && len(v.In) > 0 && v.In[0] != nil && v.In[0].Frame != nil && v.Q.Kind == v.In[0].Q.Kind
}

// SameSource reports whether two values carry the same numbers: one value, seen
// through views and copies.
func SameSource(a, b *Val) bool {
	a, b = Strip(a), Strip(b)
	if a == nil || b == nil {
		return false
	}
	return MadeAlike(a, b)
}

// MadeAlike reports whether two values are one, or what one expression yields in one evaluation of a function: a loop makes
// several there. Elements at different positions of a sequence are not alike.
func MadeAlike(a, b *Val) bool {
	return a == b || a.Node != nil && a.Node == b.Node && a.Frame == b.Frame && a.nth == b.nth
}

// within numbers what an expression makes of the i-th element of a sequence, in what is made of one of another.
func within(outer int64, i int) int64 { return outer*1000 + int64(i) }

// Apart reports whether two values are elements at different positions of a sequence, made by one expression.
func Apart(a, b *Val) bool { return a.nth != b.nth && a.Node == b.Node && a.Frame == b.Frame }

// Walk visits v and everything it was computed from, nearest first, each value
// once; visit returns false to go no further back there. At most limit values
// are visited.
func Walk(v *Val, limit int, visit func(*Val) bool) {
	var seen map[*Val]bool // none for the first few, which are looked through sooner
	queue := append(make([]*Val, 0, fewSeen), v)
	for i := 0; i < min(len(queue), limit); i++ {
		v := queue[i]
		if v == nil || !visit(v) {
			continue
		}
		for x := range v.Sources {
			switch {
			case seen == nil && slices.Contains(queue, x), seen[x]:
				continue
			case seen != nil:
				seen[x] = true
			case len(queue) == fewSeen:
				seen = make(map[*Val]bool, 4*fewSeen)
				for _, v := range queue {
					seen[v] = true
				}
				seen[x] = true
			}
			queue = append(queue, x)
		}
	}
}

// fewSeen is how many values a walk looks through before it makes a map of them.
const fewSeen = 16

// Sources calls yield for the values that v was made of: its inputs and, for a
// container, its elements.
func (v *Val) Sources(yield func(*Val) bool) {
	if !each(v.In, yield) {
		return
	}
	switch r := v.Ref.(type) {
	case *SeqRef:
		if each(r.Elems, yield) && r.Elem != nil {
			yield(r.Elem)
		}
	case *DictRef:
		if each(inOrder(r), yield) && r.Elem != nil {
			yield(r.Elem)
		}
	}
}

// each calls yield for the values of a list, and reports whether it went on to the end.
func each(list []*Val, yield func(*Val) bool) bool {
	for _, v := range list {
		if v != nil && !yield(v) {
			return false
		}
	}
	return true
}

// Reaches reports whether a value computed at the same place as from went into
// to. Loops make several values at one place, so places are compared.
func Reaches(from, to *Val, limit int) bool {
	return Within(to, limit, func(v *Val) bool { return MadeAlike(v, from) })
}

// Within reports whether something holds of a value, or of one that it was made of; limit bounds how many are asked.
func Within(v *Val, limit int, holds func(*Val) bool) bool {
	found := false
	Walk(v, limit, func(v *Val) bool {
		found = found || holds(v)
		return !found
	})
	return found
}

// Exclusive reports whether no run computes both values: one condition has to be true on the way to the one, and false on the way
// to the other.
func Exclusive(a, b *Val) bool {
	return a.Guarded(func(g *Guard) bool {
		return g.Cond != nil && b.Guarded(func(h *Guard) bool {
			return h.Cond != nil && h.Sense != g.Sense && (h.Cond == g.Cond || h.Cond.Node != nil && h.Cond.Node == g.Cond.Node && h.Cond.Frame == g.Cond.Frame)
		})
	})
}

// maxGuards bounds the conditions that are asked on the way to a value: a chain of
// thousands of elifs has as many at its end.
const maxGuards = 256

// Guarded reports whether a condition on the way to v, in its frame or at the
// calls that led there, satisfies the predicate. Only the nearest ones are asked.
func (v *Val) Guarded(hold func(*Guard) bool) bool {
	room := maxGuards
	for range maxDepth + 2 {
		if v == nil {
			return false
		}
		for g := v.Guard; g != nil && room > 0; g = g.Parent {
			room--
			if hold(g) {
				return true
			}
		}
		if v.Frame == nil {
			return false
		}
		v = v.Frame.Call
	}
	return false
}
