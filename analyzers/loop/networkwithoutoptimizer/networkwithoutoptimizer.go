// Package networkwithoutoptimizer is rule LOOP025, network-without-optimizer; rule.md says what it finds.
package networkwithoutoptimizer

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
		if len(p.Roles.StepsOf(o)) == 0 || len(p.Roles.StepsOf(opts[j])) == 0 {
			continue
		}
		if n := untrained(p, o); n != nil {
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

// untrained returns a network that a loss sends gradients into and that nothing trains, freezes or loads, though one of the twins
// steps by that loss: the optimizer that ought to be the network's.
func untrained(p *pass.Pass, twin *roles.Optimizer) *roles.Network {
	loaded := p.Made("load_state_dict", "add_param_group", "from_pretrained", "load")
	for _, b := range p.Roles.Backwards {
		next := p.Roles.SteppedNext(roles.Loss{Backward: p.See(b.Call)})
		if len(next) != len(twin.Networks) || slices.ContainsFunc(next, func(n *roles.Network) bool { return !slices.Contains(twin.Networks, n) }) {
			continue
		}
		for _, n := range p.Roles.Reached(b.Loss) {
			fresh := !slices.ContainsFunc(loaded, func(v *infer.Val) bool { return len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref == n.Ref })
			if r, ours := n.Ref.(*infer.Instance); ours && fresh && holdsWeights(r) && !p.Roles.IsHeld(n) && !n.Frozen && n.CopyOf == nil && query.PlaceOf(n.Val).Known() && !p.Roles.IsLayer(n) {
				return n
			}
		}
	}
	return nil
}

// holdsWeights reports whether a network is seen to hold a layer, or parameters that gradients are taken of. A loss that is written as a
// module holds none, and a normalisation none but statistics.
func holdsWeights(r *infer.Instance) bool {
	for _, v := range r.Attrs {
		switch {
		case v == nil:
		case hasWeights(v), v.Ref != nil && infer.Within(v, nearField, func(x *infer.Val) bool { return x != v && hasWeights(x) }):
			return true
		}
	}
	return false
}

// hasWeights reports whether a value is a layer that is more than a function of the library, as ReLU and MSELoss are, or requires gradients.
func hasWeights(v *infer.Val) bool {
	layer, ok := v.Ref.(*infer.LibObject)
	plain := ok && layer.Class != nil && layer.Class.Call != nil && !strings.HasPrefix(layer.Class.Call.Name, layer.Class.Name)
	return v.Is(domain.Module) && !plain || v.Q.Grad == domain.Attached
}

// nearField bounds the way from a field back to the layers in it.
const nearField = 12
