// Package backwardinsidefunction is rule GRAD004, backward-inside-function; rule.md says
// what it finds.
package backwardinsidefunction

import (
	_ "embed"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports Functions whose inner backward() accumulates gradients that they also
// return.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, fn := range p.Values.Functions {
		if query.HasSetupContext(fn) {
			continue
		}
		call := innerBackward(fn)
		if call == nil {
			continue
		}
		for _, r := range query.GradReturns(fn) {
			for i, g := range r.Grads {
				if i < len(fn.Inputs) {
					check(p, fn, call, g, i)
				}
			}
		}
	}
}

// check reports the gradient g of the i-th input if, on one of the paths to it, it is what
// the inner backward() accumulated.
func check(p *pass.Pass, fn *infer.Function, call, g *infer.Val, i int) {
	for _, one := range waysTo(g) {
		if x := accumulated(one); x != nil && infer.SameSource(x, fn.Inputs[i]) {
			report(p, fn, call, one)
			return
		}
	}
}

// waysTo are the values that meet in v: x.grad if wanted else None.
func waysTo(v *infer.Val) []*infer.Val {
	if v != nil && v.Op == infer.OpPhi {
		return v.In
	}
	return []*infer.Val{v}
}

// innerBackward returns the call of backward() in the backward of a Function, or nil.
func innerBackward(fn *infer.Function) (call *infer.Val) {
	for v := range fn.Backward.Each {
		if v.Op == infer.OpDelegate || strings.HasSuffix(v.Op, "torch.autograd.backward") {
			call = v
		}
	}
	return call
}

// accumulated returns the input of forward whose .grad v is, if it was not detached: the
// inner backward() then reached the graph around it.
func accumulated(v *infer.Val) *infer.Val {
	if v == nil || len(v.In) == 0 || !strings.HasSuffix(v.Op, ".grad") {
		return nil
	}
	x := v.In[0]
	for range 8 {
		if (x.Op == infer.OpSaved || x.Op == infer.OpNarrow || x.IsOp("requires_grad")) && len(x.In) > 0 {
			x = x.In[0]
		}
	}
	if x.Op != infer.OpParam {
		return nil
	}
	return x
}

func report(p *pass.Pass, fn *infer.Function, call, grad *infer.Val) {
	src := p.In(fn.Backward)
	if src == nil || grad.Node == nil || call.Node == nil {
		return
	}
	f := pass.Finding{
		At: call.Node, Frame: fn.Backward, Evidence: domain.Derived,
		Related: []pass.Related{{Source: src, Node: grad.Node, Message: "this `.grad` is returned here"}},
	}
	p.Report(f)
}
