package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// maxFeeds bounds what is made of a value before it reaches a layer.
const maxFeeds = 96

// Feeds reports whether a network takes v as its input: v, a view or a part of it, or what
// it is joined to, is the argument of a known layer. Criteria such as MSELoss are no layers.
func (m *Model) Feeds(v *infer.Val) bool {
	calls := m.calledWith()
	seen := []*infer.Val{v} // few: a map would cost more than to look through them
	for i := 0; i < len(seen) && len(seen) < maxFeeds; i++ {
		x := seen[i]
		next := m.g.UsesOf(x)
		if slices.ContainsFunc(next, appliesLayer) {
			return true
		}
		for _, u := range next {
			if hands(x, u) && !slices.Contains(seen, u) {
				seen = append(seen, u)
			}
		}
		for _, a := range calls.args[x] {
			if !slices.Contains(seen, a.param) {
				seen = append(seen, a.param)
			}
		}
	}
	return false
}

// appliesLayer reports whether v is what a layer yields: one of a library, or an attribute of a
// network that is called and not known (its methods are).
func appliesLayer(v *infer.Val) bool {
	if v.Is(domain.Loss) {
		return false
	}
	if strings.HasPrefix(v.Op, infer.OpCall+".") && v.In[0].Is(domain.Module) {
		return true
	}
	return slices.ContainsFunc(v.In, func(x *infer.Val) bool {
		if x == nil {
			return false
		}
		o, ok := x.Ref.(*infer.LibObject)
		return ok && (x.Is(domain.Module) || strings.HasPrefix(o.Name, "torch.nn.") && !strings.HasSuffix(o.Name, "Loss"))
	})
}

// hands reports whether u carries the numbers of x on: all or some of them, scaled or among others.
func hands(x, u *infer.Val) bool {
	switch {
	case infer.Through(u) == x, u.Op == infer.OpPhi, u.Op == infer.OpIterate, u.Op == infer.OpCall && u.In[0] == x:
		return true
	case u.IsOp("cat", "stack", "concat", "permute", "transpose", "repeat", "tile", "expand", infer.OpItem):
		return true
	case u.IsOp("sub", "div"):
		return u.In[0] == x
	}
	return query.IsContainer(u) && !strings.HasPrefix(u.Op, infer.OpAttr) // its shape is none of its numbers
}
