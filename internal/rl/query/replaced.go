package query

import "github.com/rlvet/rlvet/internal/rl/infer"

// Replaced reports whether the elements of v that are not finite are replaced later:
// x[isnan(x)] = 0, or another tensor where any of x is NaN. A condition on what v was computed
// from counts too: x[std == 0] = 0.
func (g *Graph) Replaced(v *infer.Val) bool { return g.replaced(v, v, 8) }

func (g *Graph) replaced(v, at *infer.Val, depth int) bool {
	for _, u := range g.UsesOf(at) {
		switch {
		case u.Op == infer.OpStore && len(u.In) > 2 && u.In[0] == at && tests(u.In[2], v):
			return true
		case u.Op == infer.OpPhi && g.otherwise(u, v):
			return true
		case depth > 0 && infer.Strip(u) == infer.Strip(v) && u != at && g.replaced(v, u, depth-1):
			return true
		}
	}
	return false
}

// otherwise reports whether one of the values that meet in phi takes v's place under a test of v.
func (g *Graph) otherwise(phi, v *infer.Val) bool {
	for _, in := range phi.In {
		if in != nil && !infer.SameSource(in, v) && in.Guarded(func(g *infer.Guard) bool { return tests(g.Cond, v) }) {
			return true
		}
	}
	return false
}

// tests reports whether a mask or condition asks of v whether it is finite, or compares what v
// was computed from.
func tests(mask, v *infer.Val) bool {
	found := false
	infer.Walk(mask, 60, func(c *infer.Val) bool {
		switch {
		case len(c.In) == 0 || c.In[0] == nil:
		case c.IsOp("isnan", "isinf", "isfinite"):
			found = found || infer.SameSource(c.In[0], v)
		case c.IsOp("eq", "ne", "lt", "le", "gt", "ge", "isclose"):
			for _, in := range v.In {
				found = found || infer.SameSource(c.In[0], in)
			}
			found = found || len(c.In) > 1 && infer.SameSource(c.In[0], v) && infer.SameSource(c.In[1], v) // x != x
		}
		return !found
	})
	return found
}
