// Package targethasgrad is rule VAL007, target-has-grad; rule.md says what it finds.
package targethasgrad

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets through which the loss of a critic sends gradients into the critic.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	bellmans := slices.DeleteFunc(slices.Clone(p.Bellmans()), func(b query.Bellman) bool { return !attached(b) })
	if len(bellmans) == 0 {
		return
	}
	losses := p.Roles.Losses()
	for _, b := range bellmans {
		for _, l := range losses {
			if fits(p, l, b) && !residual(p, b.At.Frame) && !mixes(p, l, b) {
				p.Report(finding(p, b, l))
				break
			}
		}
	}
}

// attached reports whether gradients flow into the value of what comes next.
func attached(b query.Bellman) bool {
	return !b.At.NoGrad && slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool {
		return !n.Carried && n.Value.Q.Grad == domain.Attached && !n.Cut().Known() && !n.Value.Cut().Known()
	})
}

// fits reports whether a loss is the error of a prediction against a target, goes back through the target into the
// network that predicts, and is stepped with.
func fits(p *pass.Pass, l roles.Loss, b query.Bellman) bool {
	if !l.Backward.Known() || !query.GraphHolds(l.Value.Val, b.At.Val) {
		return false
	}
	found := false
	query.InGraph(l.Value.Val, func(e *infer.Val) bool {
		for _, side := range query.ErrorsOf(p.See(e)) {
			found = found || side.Known() && query.GraphHolds(side.Val, b.At.Val) && predicts(p, p.See(e), b)
		}
		return !found
	})
	return found
}

// predicts reports whether an error compares a target with an output of the network that the target goes back into.
func predicts(p *pass.Pass, e query.Seen, b query.Bellman) bool {
	var into []*roles.Network
	for _, n := range b.Next {
		into = append(into, p.Roles.Reached(n.Value.Val)...)
	}
	reached := slices.Clone(into)
	into = slices.DeleteFunc(into, func(n *roles.Network) bool {
		// Of a module that holds a frozen part, the part alone is asked for the target.
		frozen := slices.ContainsFunc(reached, func(part *roles.Network) bool { return part.Frozen && p.Roles.Holds(n.Ref, part.Ref) })
		return frozen || !p.Roles.Learns(n) || idle(p, n)
	})
	for _, side := range query.ErrorsOf(e) {
		for _, t := range query.TermsOf(side, 1) {
			if query.GraphHolds(t.Val, b.At.Val) || slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool { return n.Val == t.Val }) {
				continue
			}
			if t.Q.Grad == domain.Attached && slices.ContainsFunc(p.Roles.Reached(t.Val), func(n *roles.Network) bool { return p.Roles.OverlapsAny(n, into) }) {
				return true
			}
		}
	}
	return false
}

// idle reports whether the optimizers that hold a network never step: each critic of a class may have one, the target's too.
func idle(p *pass.Pass, n *roles.Network) bool {
	held := false
	for _, o := range p.Roles.Optimizers {
		if p.Roles.Overlap(o.Networks, []*roles.Network{n}) {
			if len(p.Roles.StepsOf(o)) > 0 {
				return false
			}
			held = true
		}
	}
	return held
}

// mixes reports whether a loss holds the error of a target that is cut off beside that of one that is not: the program weighs the residual
// gradient against the usual one, so the gradient through the target is meant.
func mixes(p *pass.Pass, l roles.Loss, b query.Bellman) bool {
	return slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool {
		return slices.ContainsFunc(p.UsesOf(n.Value.Val), func(u *infer.Val) bool {
			return u.IsOp("detach") && slices.ContainsFunc(p.Bellmans(), func(twin query.Bellman) bool {
				return infer.Reaches(u, twin.At.Val, near) && infer.Reaches(twin.At.Val, l.Value.Val, far)
			})
		})
	})
}

// near bounds the way from a value to the target that it is part of, far that from a target to a loss.
const near, far = 8, 64

// residual reports whether the program says that it follows the residual gradient: by the name of a setting, or of a
// function or class around the target.
func residual(p *pass.Pass, f *infer.Frame) bool {
	for range 4 {
		if f == nil {
			break
		}
		if f.Func != nil && (query.NamesResidual(f.Func.Name()) || f.Func.Class != nil && query.NamesResidual(f.Func.Class.Def.Name)) {
			return true
		}
		f = f.Caller
	}
	return len(p.Mentions(residualWords)) > 0
}

// residualWords are names by which a program says that the gradient through its target is meant.
var residualWords = pass.Matching(query.NamesResidual)

func finding(p *pass.Pass, b query.Bellman, l roles.Loss) pass.Finding {
	f := pass.At(b.At.Val, b.Next[0].Value.Val)
	f.Evidence = domain.Derived
	f.Related = p.Here(l.Backward.Val, "the gradient of this loss goes through the target")
	return f
}
