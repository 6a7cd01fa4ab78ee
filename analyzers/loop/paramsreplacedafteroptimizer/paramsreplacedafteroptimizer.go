// Package paramsreplacedafteroptimizer is rule LOOP020, params-replaced-after-optimizer;
// rule.md says what it finds.
package paramsreplacedafteroptimizer

import (
	_ "embed"
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
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
	for _, s := range p.Values.Stores {
		o := lastOptimizer(p, s)
		if o == nil || !learns(s.Val, 4) || !inOneRun(p, o, s) || !steppedAfter(p, o, s) || extended(p, o, s) {
			continue
		}
		p.Report(pass.Finding{
			At: s.Target, Frame: s.Frame, Values: []*infer.Val{s.Val},
			Related: []pass.Related{{Source: p.In(o.Val.Frame), Node: o.Val.Node, Message: "the optimizer is built here"}},
		})
	}
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

// lastOptimizer returns the last optimizer that holds the network into which s
// puts a layer, if it was built before s; nil where one is built afterwards.
func lastOptimizer(p *pass.Pass, s infer.Store) *roles.Optimizer {
	var last *roles.Optimizer
	for _, o := range p.Roles.Optimizers {
		for _, n := range o.Networks {
			if roles.Holds(n.Ref, s.Object.Ref, 4) && (last == nil || o.Val.Seq > last.Val.Seq) {
				last = o
			}
		}
	}
	if last == nil || last.Val.Seq > s.Seq {
		return nil
	}
	return last
}

// inOneRun reports whether the order of evaluation is the order of execution:
// both happen in what one entry of the program does, and no loop puts the
// optimizer of its next round behind the layer.
func inOneRun(p *pass.Pass, o *roles.Optimizer, s infer.Store) bool {
	if root(o.Val.Frame) != root(s.Frame) {
		return false
	}
	at := query.Place{Frame: s.Frame, Node: s.Target}
	for _, l := range p.Roles.Nest(at) {
		if p.Roles.Inside(l, query.PlaceOf(o.Val)) {
			return false
		}
	}
	return true
}

func root(f *infer.Frame) *infer.Frame {
	for f != nil && f.Caller != nil {
		f = f.Caller
	}
	return f
}

// steppedAfter reports whether the optimizer is used once the layer is in.
func steppedAfter(p *pass.Pass, o *roles.Optimizer, s infer.Store) bool {
	for _, step := range p.Roles.Steps {
		if step.In[0] != nil && step.In[0].Ref == o.Val.Ref && (lastTime(step) > s.Seq || sharesLoop(p, s, step)) {
			return true
		}
	}
	return false
}

// lastTime is when a value was computed last, or a call around it answered.
func lastTime(v *infer.Val) int {
	last := v.Seq
	for f := v.Frame; f != nil; f = f.Caller {
		last = max(last, f.LastCall)
	}
	return last
}

func sharesLoop(p *pass.Pass, s infer.Store, step *infer.Val) bool {
	at := query.Place{Frame: s.Frame, Node: s.Target}
	return slices.ContainsFunc(p.Roles.Nest(at), func(l query.Loop) bool { return p.Roles.Inside(l, query.PlaceOf(step)) })
}

// extended reports whether the optimizer is given further parameters.
func extended(p *pass.Pass, o *roles.Optimizer, s infer.Store) bool {
	for _, v := range p.Made("add_param_group") {
		if len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref == o.Val.Ref {
			return true
		}
	}
	return false
}
