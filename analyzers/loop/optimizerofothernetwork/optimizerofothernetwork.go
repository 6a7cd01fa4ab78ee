// Package optimizerofothernetwork is rule LOOP070, optimizer-of-other-network; rule.md says what it finds.
package optimizerofothernetwork

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports optimizers of networks that no loss reaches, where the network that the losses train has none.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() || len(p.Roles.Backwards) == 0 || !seesAll(p) || handsGradients(p) {
		return
	}
	var reached []*roles.Network
	for _, b := range p.Roles.Backwards {
		here := p.Roles.Reached(b.Loss)
		if len(here) == 0 && !ofLeaves(b.Loss) {
			return // a loss of which not all is seen
		}
		reached = append(reached, here...)
	}
	for _, o := range p.Roles.Optimizers {
		if len(p.Roles.StepsOf(o)) == 0 || p.Roles.Overlap(o.Networks, reached) || p.In(o.Val.Frame) == nil {
			continue
		}
		if i := slices.IndexFunc(reached, func(n *roles.Network) bool { return !p.Roles.IsLayer(n) && isTwin(p, n, o) && untrained(p, n) }); i >= 0 {
			f := pass.At(o.Val)
			f.Evidence = domain.Derived
			f.Related = p.Here(reached[i].Val, "the loss sends gradients into this network, and no optimizer has it")
			p.Report(f)
		}
	}
}

// maxLeaves bounds the values of a loss among which a network is sought.
const maxLeaves = 200

// ofLeaves reports whether a loss, or what an optimizer holds, is made of tensors alone that the program makes itself, as a temperature,
// and of what carries no gradient: it has to do with no network.
func ofLeaves(loss *infer.Val) bool {
	n, all := 0, true
	infer.Walk(loss, maxLeaves, func(v *infer.Val) bool {
		n++
		switch {
		case v.Q.Grad == domain.Detached, v.Const != nil && v.Op != infer.OpPhi:
			return false
		case len(v.In) == 0 || v.Unfollowed() || v.Fn == nil && !v.IsOp("add", "sub", "mul", "div", "neg", "pow", infer.OpPhi, infer.OpNarrow, infer.OpCall, infer.OpRequiresGrad, infer.OpDisplay):
			all = false
		case v.IsOp("zeros", "ones", "full", "tensor", "rand", "randn", "empty", "Parameter"):
			return false
		}
		return all
	})
	return all && n < maxLeaves
}

// seesAll reports whether the whole file was understood, and of each optimizer all networks that it holds.
func seesAll(p *pass.Pass) bool {
	return len(p.Source.AST.Errors) == 0 && !slices.ContainsFunc(p.Roles.Optimizers, func(o *roles.Optimizer) bool {
		return (!o.Complete || o.Open) && (len(o.Val.In) == 0 || !ofLeaves(o.Val.In[0]))
	})
}

// isTwin reports whether a network is of the kind of one that an optimizer holds: taken for it, or the other way round.
func isTwin(p *pass.Pass, n *roles.Network, o *roles.Optimizer) bool {
	return slices.ContainsFunc(o.Networks, func(held *roles.Network) bool {
		x, ok := n.Ref.(*infer.LibObject)
		y, ok2 := held.Ref.(*infer.LibObject)
		return held != n && isKnown(n) && isKnown(held) && (p.Roles.SameKind(held, n) || n.CopyOf == held || held.CopyOf == n || ok && ok2 && x.Name == y.Name)
	})
}

// isKnown reports whether the layers of a network are in sight: else a loss may reach others than it seems to.
func isKnown(n *roles.Network) bool {
	o, ok := n.Ref.(*infer.LibObject)
	return !ok || strings.HasPrefix(o.Name, "torch.nn.")
}

// untrained reports whether nothing that the program makes changes a network that gradients reach.
func untrained(p *pass.Pass, n *roles.Network) bool {
	return !p.Roles.IsHeld(n) && !n.Frozen && !n.Switched && query.PlaceOf(n.Val).Known() && len(p.Made("add_param_group")) == 0
}

// handsGradients reports whether the program sets gradients itself: those of one network are then perhaps given to another.
func handsGradients(p *pass.Pass) bool {
	for _, as := range query.Everywhere[*ast.Assign](p.Graph) {
		if slices.ContainsFunc(as.Targets, isGrad) {
			return true
		}
	}
	return false
}

func isGrad(t ast.Expr) bool {
	at, ok := t.(*ast.Attribute)
	return ok && roles.IsGrad(at.Attr)
}
