// Package gaewithgrad is rule ADV017, gae-with-grad; rule.md says what it finds.
package gaewithgrad

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

// Analyzer reports advantages that are accumulated with gradients and reach a loss
// with them.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if len(p.Roles.Losses()) == 0 {
		return
	}
	for _, r := range p.Recurrences() {
		if !estimates(r) || fixed(p, r) {
			continue
		}
		if loss, ok := lossOf(p, r.Sum); ok {
			p.Report(finding(p, r.Sum, loss))
		}
	}
}

// estimates reports whether gradients flow into both values of delta = r + g * V(next) - V, which a
// recurrence sums up.
func estimates(r query.Recurrence) bool {
	next, own := false, false
	for _, t := range r.Added {
		switch {
		case t.Cut().Known():
		case t.Sign < 0:
			own = own || carries(t.Val, 8)
		case len(query.FactorsOf(t.Seen).List) > 1:
			next = next || carries(t.Val, 8)
		}
	}
	return next && own
}

// fixed reports whether no optimizer trains the networks that said the values.
func fixed(p *pass.Pass, r query.Recurrence) bool {
	networks := p.Roles.Reached(r.Sum)
	return len(networks) > 0 && !slices.ContainsFunc(networks, p.Roles.Learns)
}

// carries reports whether gradients flow into a value, or into what is kept in a
// buffer of which it is an element.
func carries(v *infer.Val, depth int) bool {
	switch {
	case v == nil || depth == 0 || v.NoGrad || v.Q.Grad == domain.Detached || v.IsOp("detach"):
		return false
	case v.Q.Grad == domain.Attached:
		return !v.Is(domain.LogProb | domain.Entropy)
	case v.Op == infer.OpPhi, v.Op == infer.OpStore, v.IsOp("mul"):
		return carries(v.In[0], depth-1) || len(v.In) > 1 && carries(v.In[1], depth-1)
	case v.IsOp("stack", "cat") && len(v.In) > 0 && v.In[0] != nil:
		if seq, ok := v.In[0].Ref.(*infer.SeqRef); ok {
			return carries(seq.Elem, depth-1)
		}
	case len(v.In) > 0 && (v.Op == infer.OpItem || v.Op == infer.OpIterate || infer.Through(v) != nil):
		return carries(v.In[0], depth-1)
	}
	return false
}

// lossOf returns a loss that v reaches with its gradient, which is not set to zero before a step.
func lossOf(p *pass.Pass, v *infer.Val) (roles.Loss, bool) {
	for _, l := range p.Roles.Losses() {
		found := false
		infer.Walk(l.Value.Val, 4000, func(x *infer.Val) bool {
			if x.Q.Grad == domain.Detached || x.IsOp("detach") {
				return false
			}
			found = found || infer.MadeAlike(x, v)
			return !found
		})
		if found && p.Roles.HasEffect(l, p.See(v)) {
			return l, true
		}
	}
	return roles.Loss{}, false
}

func finding(p *pass.Pass, v *infer.Val, loss roles.Loss) pass.Finding {
	f := pass.At(v)
	f.Evidence = domain.Derived
	if loss.Backward.Known() {
		f.Related = p.Here(loss.Backward.Val, "the gradient of this loss is computed here")
	}
	return f
}
