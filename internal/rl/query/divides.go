package query

import "github.com/rlvet/rlvet/internal/rl/infer"

// maxDividing bounds the values that are looked at on the way to a division.
const maxDividing = 60

// Divides reports whether something is divided by v, or by what operations for which through holds made of it, other than
// under a condition on the size of v's data. Values that stand for v, or for one of those, where branches meet count too.
func (g *Graph) Divides(v *infer.Val, through func(*infer.Val) bool) bool {
	seen := map[*infer.Val]bool{v: true}
	work := []*infer.Val{v}
	add := func(u *infer.Val) {
		if !seen[u] && len(seen) < maxDividing {
			seen[u] = true
			work = append(work, u)
		}
	}
	for len(work) > 0 {
		x := work[0]
		work = work[1:]
		for _, u := range g.UsesOf(x) {
			switch {
			case isDividedBy(u, x):
				if !asksSizeOf(u, v) {
					return true
				}
			case through(u):
				add(u)
				g.within(u, x, add)
			}
		}
		for _, u := range g.takenIn(x) {
			add(u)
		}
		for _, u := range g.Values.StandIns(x) {
			add(u)
		}
	}
	return false
}

// asksSizeOf reports whether u is computed under a condition on the size of what v was computed from.
func asksSizeOf(u, v *infer.Val) bool {
	return len(v.In) > 0 && u.Guarded(func(guard *infer.Guard) bool {
		return asksSize(guard.Cond, func(c *infer.Val) bool {
			return c.IsOp(SizeOps...) && len(c.In) > 0 && infer.SameSource(c.In[0], v.In[0])
		})
	})
}

func isDividedBy(u, x *infer.Val) bool {
	if u.IsOp("div", "divide", "true_divide") {
		return len(u.In) > 1 && u.In[1] == x
	}
	return u.IsOp("rsqrt", "reciprocal")
}

// within adds the parameters that x is for a function whose evaluation for an earlier call answers u.
func (g *Graph) within(u, x *infer.Val, add func(*infer.Val)) {
	site := g.Values.SiteOf(u)
	if site == nil {
		return
	}
	for i, arg := range site.Args {
		if arg == x && i < len(site.Callee.Params) {
			add(site.Callee.Params[i])
		}
	}
}

// takenIn are the joins of x that another join took in: nothing reads them, but what stands for them.
func (g *Graph) takenIn(x *infer.Val) []*infer.Val {
	g.taken.once.Do(func() {
		g.taken.by = map[*infer.Val][]*infer.Val{}
		done := map[*infer.Val]bool{}
		for v := range g.Values.Absorbed {
			infer.Walk(v, maxDividing, func(v *infer.Val) bool {
				if done[v] || v.Op != infer.OpPhi && v.Op != infer.OpNarrow && v.Op != infer.OpStore {
					return false
				}
				done[v] = true
				for _, in := range v.In {
					g.taken.by[in] = append(g.taken.by[in], v)
				}
				return true
			})
		}
	})
	return g.taken.by[x]
}
