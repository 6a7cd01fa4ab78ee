package onpolicyassumed

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// repeated returns the loop that takes several steps on one rollout.
func repeated(p *pass.Pass, loss roles.Loss, g gradient) (query.Loop, bool) {
	samples := sampled(g.LogProb)
	if len(samples) == 0 {
		return query.Loop{}, false
	}
	return p.Roles.EpochLoop(loss, samples[0], func(l query.Loop) bool {
		samplesAnew := func(v *infer.Val) bool { return p.Roles.Inside(l, query.PlaceOf(v)) }
		return !mayBeOne(l) && !slices.ContainsFunc(samples, samplesAnew) && !stopsOnKL(p, l, g) && !refills(p, l, loss)
	})
}

// mayBeOne reports whether a loop may have a single round: range(1 if plain else epochs).
func mayBeOne(l query.Loop) bool {
	loop, ok := l.Stmt.(*ast.For)
	if !ok {
		return false
	}
	call, ok := loop.Iter.(*ast.Call)
	if !ok || len(call.Args) != 1 {
		return false
	}
	v := l.Frame.Val(call.Args[0])
	return v != nil && v.Op == infer.OpPhi && slices.ContainsFunc(v.In, func(x *infer.Val) bool {
		n, ok := x.Int()
		return ok && n == 1
	})
}

// refills reports whether a loop empties or fills a buffer that the loss is computed from: the next round finds other
// data there.
func refills(p *pass.Pass, l query.Loop, loss roles.Loss) bool {
	inside := func(at query.Place) bool { return p.Roles.Inside(l, at) }
	changed := map[*roles.Slot]bool{}
	for _, b := range p.Roles.Buffers() {
		for _, s := range b.Slots {
			if slices.ContainsFunc(s.Emptied, inside) || slices.ContainsFunc(s.Writes, func(w roles.Write) bool { return inside(w.At) }) {
				changed[s] = true
			}
		}
	}
	if len(changed) == 0 {
		return false
	}
	return infer.Within(loss.Value.Val, reach, func(v *infer.Val) bool {
		return slices.ContainsFunc(p.Roles.SlotsOf(v), func(s *roles.Slot) bool { return changed[s] && !puts(s, v) })
	})
}

// puts reports whether a value is put into a slot rather than taken out of it: losses are collected for the log.
func puts(s *roles.Slot, v *infer.Val) bool {
	return slices.ContainsFunc(s.Writes, func(w roles.Write) bool { return infer.SameSource(w.Val, v) })
}

// sampled returns where a policy sampled the actions of a log-probability: several places where one agent acts in
// several loops.
func sampled(logp query.Seen) (out []*infer.Val) {
	infer.Walk(logp.Val, reach, func(v *infer.Val) bool {
		if v.IsOp("sample", "multinomial", "rsample", "generate") && v.Node != nil {
			out = append(out, v)
		}
		return true
	})
	return out
}

// stopsOnKL reports whether a condition on how far the policy has moved ends the loop or
// skips a round. Where the ratio is of the policy to itself, so may be the KL that is made of it, which is 0.
func stopsOnKL(p *pass.Pass, l query.Loop, g gradient) bool {
	tells := func(v *infer.Val) bool { return v.May(domain.KL | domain.LogRatio | domain.Ratio | domain.LogProb) }
	if g.toItself {
		tells = func(v *infer.Val) bool { return comparesPolicies(p, v) }
	}
	stops := false
	ast.Walk(l.Stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.If:
			stops = stops || moved(l.Frame.Val(n.Cond), tells)
		case *ast.While:
			stops = stops || moved(l.Frame.Val(n.Cond), tells)
		}
		return !stops
	})
	return stops
}

func moved(cond *infer.Val, tells func(*infer.Val) bool) bool {
	found := false
	infer.Walk(cond, 200, func(v *infer.Val) bool {
		found = found || tells(v)
		return !found
	})
	return found
}

// comparesPolicies reports whether v may say how far two policies are apart, and not one from itself.
func comparesPolicies(p *pass.Pass, v *infer.Val) bool {
	switch {
	case v.IsOp("kl_divergence", "kl_div"), len(v.In) == 0 && v.Is(domain.KL|domain.LogRatio|domain.Ratio):
		return true
	case v.IsOp("sub") && v.Is(domain.LogRatio):
		_, own := fromItself(p.See(v))
		return !own
	}
	return false
}
