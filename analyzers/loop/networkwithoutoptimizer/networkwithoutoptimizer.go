// Package networkwithoutoptimizer is rule LOOP025, network-without-optimizer; rule.md says what it finds.
package networkwithoutoptimizer

import (
	_ "embed"
	"slices"

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

// Analyzer reports the second of two optimizers of one network, where another network of a loss has none.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	opts := p.Roles.Optimizers
	if p.Source.IsTest() || len(opts) < 2 || slices.ContainsFunc(opts, func(o *roles.Optimizer) bool { return !o.Complete }) {
		return
	}
	for i, o := range opts {
		j := slices.IndexFunc(opts[:i], func(first *roles.Optimizer) bool { return isTwin(first, o) })
		if j < 0 {
			continue
		}
		if n := untrained(p); n != nil {
			f := pass.At(o.Val)
			f.Evidence = domain.Derived
			f.Related = append(p.Here(opts[j].Val, "this optimizer has the same parameters"), p.Here(n.Val, "a loss sends gradients into this network, and no optimizer has it")...)
			p.Report(f)
		}
	}
}

// isTwin reports whether two optimizers hold the same networks, and one run may make both.
func isTwin(a, b *roles.Optimizer) bool {
	return a.Val.Node != b.Val.Node && !isChoice(a) && !isChoice(b) && !infer.Exclusive(a.Val, b.Val) && !wraps(a, b) && !wraps(b, a) && len(a.Networks) == len(b.Networks) &&
		!slices.ContainsFunc(a.Networks, func(n *roles.Network) bool { return !slices.Contains(b.Networks, n) })
}

// isChoice reports whether a lambda makes an optimizer, and nobody is seen to call it: a setting chooses one lambda of a table.
func isChoice(o *roles.Optimizer) bool {
	f := o.Val.Frame
	return f != nil && f.Func != nil && f.Func.Lambda != nil && (f.Entry || f.Call != nil && isTable(f.Call.Node))
}

// isTable reports whether a call calls an element of something.
func isTable(n ast.Node) bool {
	call, ok := n.(*ast.Call)
	if !ok {
		return false
	}
	_, element := call.Fun.(*ast.Subscript)
	return element
}

// wraps reports whether an optimizer was made of another one, as Lookahead is, or makes the other one itself.
func wraps(outer, inner *roles.Optimizer) bool {
	if self := inner.Val.Frame; self != nil && self.Func != nil && self.Func.Self != nil && self.Func.Self.Ref == outer.Val.Ref {
		return true
	}
	return slices.ContainsFunc(outer.Val.In, func(v *infer.Val) bool { return v != nil && infer.MadeAlike(v, inner.Val) })
}

// untrained returns a network that a loss sends gradients into and that nothing trains, freezes or loads.
func untrained(p *pass.Pass) *roles.Network {
	loaded := p.Made("load_state_dict", "add_param_group", "from_pretrained", "load")
	for _, b := range p.Roles.Backwards {
		for _, n := range p.Roles.Reached(b.Loss) {
			fresh := !slices.ContainsFunc(loaded, func(v *infer.Val) bool { return len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref == n.Ref })
			if r, ours := n.Ref.(*infer.Instance); ours && fresh && !holdsStatistics(r) && !p.Roles.IsHeld(n) && !n.Frozen && n.CopyOf == nil && query.PlaceOf(n.Val).Known() && !p.Roles.IsLayer(n) {
				return n
			}
		}
	}
	return nil
}

// holdsStatistics reports whether all that a network holds are parameters that were made without gradients, as the running mean of a
// normalisation is: there is nothing to train.
func holdsStatistics(r *infer.Instance) bool {
	found := false
	for _, v := range r.Attrs {
		switch {
		case v == nil:
		case v.Is(domain.Module), v.Q.Grad == domain.Attached:
			return false
		case v.Ref != nil:
			if infer.Within(v, nearField, func(x *infer.Val) bool { return x != v && x.Is(domain.Module) }) {
				return false
			}
		case infer.Within(v, nearField, func(x *infer.Val) bool { return x.IsOp("Parameter") }):
			found = true
		}
	}
	return found
}

// nearField bounds the way from a field back to how it was made.
const nearField = 12
