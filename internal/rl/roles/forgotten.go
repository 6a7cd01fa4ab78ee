package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Forgotten is a KL that is computed with its gradient and dropped: a penalty that
// was meant for the loss. The reference's log-probabilities may come from anywhere, a
// batch or another process.
type Forgotten struct {
	KL query.Seen
	// At is where it is computed, or where the function is called that computes it.
	At query.Place
	// Formula computes it, here or in a function that is called.
	Formula *infer.Val
	// LogProb is the side that the loss improves; no value for the KL of latent variables.
	LogProb query.Seen
	// Watched says that people read the KL: it is logged.
	Watched bool
	// Denominator says that it is to something else that the loss is made of, as the denominator
	// of the ratio: it tells how far the policy moved.
	Denominator bool
}

// ForgottenDivergences returns the KLs with a gradient of which nothing reaches a loss, though
// the loss is made of what they are made of. The KL of latent variables is a part of their loss
// and of nothing else. That of a policy may be there to be watched; the program has to say
// that it was not.
func (m *Model) ForgottenDivergences() []Forgotten {
	if len(m.Losses()) == 0 {
		return nil
	}
	var out []Forgotten
	var losses []*lossParts
	done, live := map[*infer.Val]bool{}, map[*infer.Frame]bool{}
	for _, v := range m.g.Made("add", "sub", "kl_div", "kl_divergence", "pow", "square", "abs") {
		if v.Q.Grad == domain.Detached || v.NoGrad || v.Node == nil || !isWholeDivergence(m.g, v) {
			continue
		}
		if losses == nil {
			losses = m.partsOfLosses()
			for f := range m.g.EachFrame {
				live[f] = true
			}
		}
		for _, at := range yielded(m.g, v, live) {
			kl := m.g.See(at.Frame.Val(at.Node))
			if done[kl.Val] {
				continue
			}
			done[kl.Val] = true
			if f, ok := m.forgotten(at, v, losses); ok {
				f.At = m.calledFrom(f.At, live)
				out = append(out, f)
			}
		}
	}
	return out
}

// forgotten reports whether a KL, which v computes or a call of the function that v stands in, is dropped.
func (m *Model) forgotten(at query.Place, v *infer.Val, losses []*lossParts) (Forgotten, bool) {
	kl := m.g.See(at.Frame.Val(at.Node))
	var lp query.Seen
	latent := m.g.See(v).GaussianKL() != 0
	denominator, clipped, improves, ok := false, false, false, false
	switch {
	case latent:
		ok = slices.ContainsFunc(losses, func(l *lossParts) bool { return l.frames[kl.Frame] })
	default:
		for root := range kl.EachRoot {
			if root.Val != v {
				continue
			}
			for _, l := range losses {
				if lp, denominator, ok = m.comparesWith(root, l); ok {
					improves, clipped = l.improves, m.clipsRatio(root)
					break
				}
			}
		}
	}
	if !ok || clipped {
		return Forgotten{}, false
	}
	fate := m.FateOf(kl.Val)
	if fate.Differentiated || fate.Lost || slices.ContainsFunc(m.Losses(), func(l Loss) bool { return fate.Vals[l.Value.Val] }) || slices.ContainsFunc(fate.Returned, func(f *infer.Frame) bool { return !m.isForPeople(f) }) {
		return Forgotten{}, false
	}
	watched := fate.Shown || len(fate.Returned) > 0
	switch {
	case watched && (denominator || m.penalises() || m.minimisesKL()), !watched && (isReturned(fate, at.Frame) || !latent && !improves || kl.Val != v): // its callers may not have been followed
		return Forgotten{}, false
	}
	return Forgotten{KL: kl, At: at, Formula: v, LogProb: lp, Watched: watched, Denominator: denominator}, true
}

// calledFrom is the call in the module at hand by which the program came to a place in another: there
// it drops what is computed. It is the place where several calls lead there.
func (m *Model) calledFrom(at query.Place, live map[*infer.Frame]bool) query.Place {
	for range maxYields {
		var from []query.Place
		for site := range at.Frame.Sites {
			if p := (query.Place{Frame: site.Caller, Node: site.Node}); live[site.Caller] && !slices.ContainsFunc(from, func(q query.Place) bool { return q.Node == p.Node }) {
				from = append(from, p)
			}
		}
		if at.Frame.Module == m.g.Values.Module || len(from) != 1 {
			break
		}
		at = from[0]
	}
	return at
}

// isReturned reports whether a function yields some of what was made of the values.
func isReturned(fate *Fate, f *infer.Frame) bool {
	return slices.ContainsFunc(nested(f.Result), func(v *infer.Val) bool { return fate.Vals[v] })
}

// penalises reports whether a KL is taken from a reward.
func (m *Model) penalises() bool {
	return slices.ContainsFunc(m.g.Values.OfKind(domain.Reward), func(v *infer.Val) bool {
		return v.IsOp("add", "sub") && slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x.Is(domain.KL | domain.LogRatio) })
	})
}

// minimisesKL reports whether a loss has a KL of a policy among its terms: the one that the settings are about.
func (m *Model) minimisesKL() bool {
	return slices.ContainsFunc(m.Losses(), func(l Loss) bool {
		return slices.ContainsFunc(l.Terms, func(t Term) bool { return t.Kind == KLTerm && !t.Gaussian })
	})
}

// isForPeople reports whether what a function that nobody calls returns is there to be read: it has taken
// gradients, which frees the graph, or returns beside the loss what the loss is made of.
func (m *Model) isForPeople(f *infer.Frame) bool {
	if slices.ContainsFunc(m.Backwards, func(b *Backward) bool { return m.calledWith().calledFrom(b.Call.Frame, f) }) {
		return true
	}
	loss := m.returnsLoss(f)
	if !loss.Known() {
		return false
	}
	parts, shown := map[*infer.Val]bool{}, false
	for _, v := range nested(f.Result) {
		parts[v], parts[infer.Strip(v)] = true, true
	}
	infer.Walk(loss.Val, 1000, func(v *infer.Val) bool {
		shown = shown || v != loss.Val && parts[v] && v.Op != infer.OpParam
		return !shown
	})
	return shown
}

// returnsLoss is the loss that a function that nobody calls returns; no value where it returns none.
func (m *Model) returnsLoss(f *infer.Frame) query.Seen {
	for _, l := range m.Losses() {
		if !l.Backward.Known() && l.Value.Known() && (l.Value.Frame == f || l.Value.Op == infer.OpPhi) && slices.Contains(nested(f.Result), l.Value.Val) {
			return l.Value
		}
	}
	return query.Seen{}
}

// maxYields bounds the functions, one within another, through which a divergence is returned.
const maxYields = 3

// yielded returns where v is computed, or where the calls stand of the function that v is computed in
// and that yields it, but for a choice of the estimate, masks and means.
func yielded(g *query.Graph, v *infer.Val, live map[*infer.Frame]bool) []query.Place {
	at := []query.Place{query.PlaceOf(v)}
	for range maxYields {
		var next []query.Place
		for _, x := range at {
			f := x.Frame
			if f == nil || f.Func == nil || f.Result == nil || query.IsContainer(f.Result) || !isRootOf(v, g.See(f.Result)) {
				continue
			}
			for site := range f.Sites {
				p := query.Place{Frame: site.Caller, Node: site.Node}
				if live[site.Caller] && site.Caller.Val(site.Node) != nil && !slices.Contains(next, p) {
					next = append(next, p)
				}
			}
		}
		if len(next) == 0 {
			break
		}
		at = next
	}
	return at
}

func isRootOf(v *infer.Val, s query.Seen) bool {
	for root := range s.EachRoot {
		if root.Val == v {
			return true
		}
	}
	return false
}

// isWholeDivergence reports whether v is a KL by its form, and no part of the
// expression of one.
func isWholeDivergence(g *query.Graph, v *infer.Val) bool {
	is := func(v *infer.Val) bool {
		s := g.See(v)
		switch {
		case v.IsOp("kl_div", "kl_divergence"):
			return v.Fn != nil
		case v.IsOp("pow", "square", "abs"):
			return s.IsDivergence()
		}
		return s.IsK3() || s.GaussianKL() != 0
	}
	return is(v) && !slices.ContainsFunc(g.UsesOf(v), func(u *infer.Val) bool { return u.IsOp("add", "sub") && is(u) })
}

// maxParts bounds the values of all losses, of which each may be made of those before.
const maxParts = 1 << 18

// lossParts is what a loss is made of.
type lossParts struct {
	improves bool
	vals     map[*infer.Val]bool
	reads    []*infer.Val          // items and attributes, of which each read is a value of its own
	frames   map[*infer.Frame]bool // where its terms are added
}

func (m *Model) partsOfLosses() []*lossParts {
	out := []*lossParts{}
	room := maxParts
	for _, l := range m.Losses() {
		if room <= 0 || !l.Value.Known() {
			continue
		}
		parts := &lossParts{improves: l.Improves(), vals: map[*infer.Val]bool{}, frames: map[*infer.Frame]bool{l.Value.Frame: true}}
		batches := map[*infer.Val]bool{}
		infer.Walk(l.Value.Val, 20000, func(v *infer.Val) bool {
			if batches[v] {
				return false
			}
			parts.vals[v] = true
			if m.g.Values.SiteOf(v) != nil {
				for _, x := range v.In[1:] { // what the callee reads of them is there already
					if x != nil && x.Ref != nil {
						_, dict := x.Ref.(*infer.DictRef)
						batches[x] = dict
					}
				}
			}
			if !isRead(v) {
				return true
			}
			parts.reads = append(parts.reads, v)
			of := v.In[0]
			return of == nil || of.Op != infer.OpParam && !query.IsContainer(of) // what else a batch holds is no part
		})
		for _, t := range l.Terms {
			if t.Sum.Known() {
				parts.frames[t.Sum.Frame] = true
			}
		}
		room -= len(parts.vals)
		out = append(out, parts)
	}
	return out
}

func isRead(v *infer.Val) bool {
	return len(v.In) > 0 && (v.Op == infer.OpItem || strings.HasPrefix(v.Op, infer.OpAttr+"."))
}

// holds reports whether a value is part of the loss.
func (m *Model) holds(l *lossParts, s query.Seen) bool {
	x := s.Strip()
	switch {
	case !x.Known():
		return false
	case l.vals[s.Val] || l.vals[x.Val]:
		return true
	}
	return isRead(x.Val) && slices.ContainsFunc(l.reads, func(r *infer.Val) bool {
		return r.Op == x.Op && r.Node != x.Node && m.g.See(r).Same(x) // at one place are the items of a comprehension
	})
}

// sharesLayers reports whether a value was computed from activations of which the loss was, too: two
// heads of one network.
func sharesLayers(l *lossParts, s query.Seen) bool {
	if s.Q.Grad != domain.Attached {
		return false
	}
	shared := false
	infer.Walk(s.Val, 2000, func(v *infer.Val) bool {
		shared = shared || v.Q.Grad == domain.Attached && l.vals[v] && len(v.In) > 0 && !v.Is(domain.Module) && v.Ref == nil
		return !shared
	})
	return shared
}

// comparesWith reports whether a divergence is one of the log-probabilities of a loss to
// others, and returns the former. The others may be part of the loss too.
func (m *Model) comparesWith(kl query.Seen, l *lossParts) (lp query.Seen, denominator, ok bool) {
	foreign := false
	var others []query.Seen
	for _, s := range m.sidesOf(kl) {
		for _, s := range s.Callers() {
			if !s.Known() { // the call lacks an argument
				return query.Seen{}, false, false
			}
			switch in := m.holds(l, s) || sharesLayers(l, s); {
			case in && s.Q.Grad != domain.Detached && s.Q.Whose&domain.Current != 0 && !lp.Known():
				lp = s
			case in, s.Q.Whose.Known() && s.Q.Whose&(domain.Reference|domain.Current) == 0:
				denominator, foreign = true, true
			default:
				foreign, others = true, append(others, s)
			}
		}
	}
	// Near a mixture of both, as the divergence of Jensen and Shannon takes it, no policy is kept.
	isMixed := func(o query.Seen) bool { return infer.Reaches(lp.Strip().Val, o.Val, 200) }
	return lp, denominator, foreign && lp.Known() && !slices.ContainsFunc(others, isMixed)
}

// formulaOf bounds the values of a divergence's formula.
const formulaOf = 40

// clipsRatio reports whether the program clips the ratio of the two that a divergence compares: then the clip keeps the policy near, and the
// divergence tells how far it went. The ratio may be a part of the formula, or be computed beside it of the same two.
func (m *Model) clipsRatio(kl query.Seen) bool {
	found := false
	infer.Walk(kl.Val, formulaOf, func(v *infer.Val) bool {
		switch {
		case v.IsOp("exp"):
			found = found || m.isClipped(v)
		case v.IsOp("sub") && len(v.In) == 2 && v.In[0] != nil:
			found = found || slices.ContainsFunc(m.g.UsesOf(v.In[0]), func(d *infer.Val) bool {
				same := d.IsOp("sub") && len(d.In) == 2 && (d.In[0] == v.In[0] && d.In[1] == v.In[1] || d.In[0] == v.In[1] && d.In[1] == v.In[0])
				return same && slices.ContainsFunc(m.g.UsesOf(d), func(u *infer.Val) bool { return u.IsOp("exp") && m.isClipped(u) })
			})
		}
		return !found
	})
	return found
}

// isClipped reports whether a value is held between bounds.
func (m *Model) isClipped(v *infer.Val) bool {
	return slices.ContainsFunc(m.g.UsesOf(v), func(u *infer.Val) bool { return u.IsOp("clamp", "clip") })
}

// sidesOf are the two that a divergence compares, masks aside.
func (m *Model) sidesOf(kl query.Seen) []query.Seen {
	kl = kl.Strip()
	difference := kl.Input(0)
	switch {
	case kl.IsOp("kl_div", "kl_divergence"):
		return []query.Seen{kl.Input(0), kl.Input(1)}
	case !kl.IsOp("pow", "square", "abs"):
		difference = query.Seen{}
		for _, t := range query.TermsOf(kl, 1) {
			if x := t.Strip(); x.Known() && x.IsOp("exp", "expm1") {
				difference = x.Input(0)
			}
		}
	}
	var out []query.Seen
	for root := range difference.EachRoot {
		for _, f := range query.FactorsOf(root).List {
			if _, weight := query.WeightOf(f); weight || f.Val != root.Val && !f.Strip().IsOp("sub", "add", "neg") {
				continue
			}
			for _, side := range query.TermsOf(f, 1) {
				out = append(out, side.Seen)
			}
		}
	}
	return out
}
