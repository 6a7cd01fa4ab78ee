// Package paramsreplacedafteroptimizer is rule LOOP020, params-replaced-after-optimizer;
// rule.md says what it finds.
package paramsreplacedafteroptimizer

import (
	_ "embed"
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports layers that are put into a network after the optimizer took
// its parameters.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	stores := map[query.Place][]infer.Store{}
	var places []query.Place
	holders := holders(p)
	for _, s := range p.Values.Stores {
		if len(holders[s.Object.Ref]) > 0 && learns(s.Val, 4) {
			stores[placeOf(s)] = append(stores[placeOf(s)], s)
			places = append(places, placeOf(s))
		}
	}
	if len(stores) == 0 || writesGroups(p) {
		return
	}
	for _, o := range p.Roles.Optimizers {
		places = append(append(places, query.PlaceOf(o.Val)), p.Roles.StepsOf(o)...)
	}
	for order := range p.Roles.Orders(places) {
		told := map[query.Place]bool{}
		for _, e := range order.Events {
			if told[e.Place] {
				continue
			}
			for _, s := range stores[e.Place] {
				if o := outdated(p, e, holders[s.Object.Ref]); o != nil && !makesAnother(s, o) && !isAsideOfLosses(p, s.Val) && !heldApart(p, s.Val, o) {
					told[e.Place] = true
					if !extended(p, o) {
						report(p, s, o)
					}
				}
			}
		}
	}
}

func placeOf(s infer.Store) query.Place { return query.Place{Frame: s.Frame, Node: s.Target} }

// holders are the optimizers by the networks and layers that they hold.
func holders(p *pass.Pass) map[infer.Ref][]*roles.Optimizer {
	out := map[infer.Ref][]*roles.Optimizer{}
	for _, o := range p.Roles.Optimizers {
		for _, n := range o.Networks {
			for r := range p.Roles.Holdings(n.Ref) {
				if list := out[r]; len(list) == 0 || list[len(list)-1] != o {
					out[r] = append(list, o)
				}
			}
		}
	}
	return out
}

// outdated returns the one of the holders of a network that was built last on every way to a
// layer's store and that steps afterwards, before one of them is built anew; nil where there
// is none.
func outdated(p *pass.Pass, store *roles.Event, holders []*roles.Optimizer) *roles.Optimizer {
	builds := map[query.Place]*roles.Optimizer{}
	for _, o := range holders {
		if at := query.PlaceOf(o.Val); at.Known() {
			builds[at] = o
		}
	}
	isBuild := func(e *roles.Event) bool { return builds[e.Place] != nil }
	before := store.Before(isBuild)
	if len(before) == 0 || slices.ContainsFunc(before, func(x *roles.Event) bool { return x.Place != before[0].Place }) {
		return nil
	}
	o := builds[before[0].Place]
	if o == nil {
		return nil
	}
	steps := p.Roles.StepsOf(o)
	isStep := func(x *roles.Event) bool { return slices.Contains(steps, x.Place) }
	if slices.ContainsFunc(store.After(func(x *roles.Event) bool { return isBuild(x) || isStep(x) }), isStep) {
		return o
	}
	return nil
}

// makesAnother reports whether a store is a part of the making of its object, and the
// optimizer is not: what it took is an object that was made before at the same place.
func makesAnother(s infer.Store, o *roles.Optimizer) bool {
	return s.Making != nil && o.Val.Frame != s.Making && !o.Val.Frame.CalledFrom(s.Making)
}

func report(p *pass.Pass, s infer.Store, o *roles.Optimizer) {
	p.Report(pass.Finding{
		At: s.Target, Frame: s.Frame, Values: []*infer.Val{s.Val},
		Related: []pass.Related{{Source: p.In(o.Val.Frame), Node: o.Val.Node, Message: "the optimizer is built here"}},
	})
}

// layers are the library's modules that hold parameters, by base name.
var layers = []string{
	"Parameter", "Linear", "LazyLinear", "Bilinear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
	"Embedding", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "LayerNorm", "BatchNorm1d", "BatchNorm2d", "GroupNorm",
	"MultiheadAttention", "Transformer", "TransformerEncoder", "TransformerEncoderLayer", "TransformerDecoder", "TransformerDecoderLayer",
}

// learns reports whether a module is known to hold parameters: a loss or an
// activation has none to lose.
func learns(v *infer.Val, depth int) bool {
	if v.IsOp(layers...) {
		return true
	}
	if depth == 0 {
		return false
	}
	parts := func(vals []*infer.Val) bool {
		return slices.ContainsFunc(vals, func(x *infer.Val) bool { return learns(x, depth-1) })
	}
	switch r := v.Ref.(type) {
	case *infer.Instance:
		return parts(slices.Collect(maps.Values(r.Attrs)))
	case *infer.LibObject:
		return parts(r.Pos)
	}
	return false
}

// isAsideOfLosses reports whether a layer is called where no gradients flow, and nowhere else: a target network, or features
// that stay random, are not to be trained.
func isAsideOfLosses(p *pass.Pass, layer *infer.Val) bool {
	n := p.Roles.Network(layer)
	if n == nil {
		return false
	}
	calls := p.Roles.Calls(n)
	return len(calls) > 0 && !slices.ContainsFunc(calls, p.Roles.Differentiates)
}

// maxList bounds how far an optimizer's list of parameters is followed back.
const maxList = 200

// heldApart reports whether another optimizer was given a layer by itself, or a part of it.
func heldApart(p *pass.Pass, layer *infer.Val, than *roles.Optimizer) bool {
	return slices.ContainsFunc(p.Roles.Optimizers, func(o *roles.Optimizer) bool {
		if o == than {
			return false
		}
		return layer.IsOp("Parameter") && infer.Reaches(layer, o.Val, maxList) ||
			slices.ContainsFunc(o.Networks, func(n *roles.Network) bool { return p.Roles.Holds(layer.Ref, n.Ref) })
	})
}

// writesGroups reports whether the program may put other parameters into the groups of an optimizer: it looks up those of a
// group, or changes the list of groups.
func writesGroups(p *pass.Pass) bool {
	return slices.ContainsFunc(p.MentionsOf("params"), func(x pass.Mention) bool {
		_, looksUp := x.Parent().(*ast.Subscript)
		return looksUp && x.How == pass.Key
	}) || slices.ContainsFunc(p.MentionsOf("param_groups"), func(x pass.Mention) bool {
		_, asks := x.Parent().(*ast.Attribute)
		return asks || x.How == pass.AttrSet
	})
}

// extended reports whether the optimizer is given further parameters, or may be: something that is not known takes it beside
// the network.
func extended(p *pass.Pass, o *roles.Optimizer) bool {
	given := slices.ContainsFunc(p.Made("add_param_group"), func(v *infer.Val) bool {
		return len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref == o.Val.Ref
	})
	held := func(x *infer.Val) bool {
		return x != nil && slices.ContainsFunc(o.Networks, func(n *roles.Network) bool { return n.Ref == x.Ref })
	}
	return given || slices.ContainsFunc(p.UsesOf(o.Val), func(v *infer.Val) bool { return p.IsOpaque(v) && slices.ContainsFunc(v.In, held) })
}
