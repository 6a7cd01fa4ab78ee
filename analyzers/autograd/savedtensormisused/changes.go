package savedtensormisused

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// changesInBackward reports writes of backward into tensors that others hold: inputs and
// outputs of forward, and the incoming gradient. A buffer that forward made for itself
// is its own to write into.
func changesInBackward(p *pass.Pass, fn *infer.Function) {
	for v := range fn.Backward.Each {
		if !changesMemory(v) || v.Node == nil || continues(v) {
			continue
		}
		from, saved := keptFrom(v.In[0])
		switch {
		case slices.Contains(fn.GradOutputs, from):
			report(p, fn.Backward, v, "incoming gradient modified in place in `backward`",
				"other branches of the graph share it, so their gradients change too, depending on the order of computation", "modify a clone instead")
		case saved && slices.Contains(fn.Inputs, from) && !undone(fn.Backward, v):
			report(p, fn.Backward, v, "saved input modified in place in `backward`",
				"the caller's tensor changes during the backward pass, and a second backward pass is wrong", "modify a clone instead")
		}
	}
}

// continues reports whether v is a later link of x.mul_(2).add_(1), of which the first is reported.
func continues(v *infer.Val) bool {
	call, ok := v.Node.(*ast.Call)
	if !ok || !changesMemory(v.In[0]) {
		return false
	}
	method, ok := call.Fun.(*ast.Attribute)
	return ok && method.X == v.In[0].Node
}

var inverse = map[string]string{"add": "sub", "sub": "add", "mul": "div", "div": "mul"}

// undone reports whether the change v is undone in the same body, or undoes one: x.sub_(y)
// and later x.add_(y).
func undone(f *infer.Frame, v *infer.Val) bool {
	back := inverse[infer.BaseOp(v.Op)]
	if back == "" || len(v.In) < 2 {
		return false
	}
	for u := range f.Each {
		if u != v && changesMemory(u) && u.IsOp(back) && len(u.In) > 1 && infer.SameSource(u.In[1], v.In[1]) && kept(u.In[0]) == kept(v.In[0]) {
			return true
		}
	}
	return false
}

func kept(v *infer.Val) *infer.Val {
	from, _ := keptFrom(v)
	return from
}

// changesAfterSaving reports writes of forward into tensors it saved before: autograd records
// the version of a saved tensor only when forward returns.
func changesAfterSaving(p *pass.Pass, fn *infer.Function) {
	for v := range fn.Forward.Each {
		if changesMemory(v) && v.Node != nil && savedBefore(fn, kept(v.In[0]), v.Seq) {
			report(p, fn.Forward, v, "tensor modified in place after it was saved for `backward`",
				"`backward` computes its gradient from the modified values, and autograd does not notice", "save a clone, or modify a clone")
		}
	}
}

// savedBefore reports whether a tensor was saved before a time.
func savedBefore(fn *infer.Function, x *infer.Val, time int) bool {
	ctx, ok := fn.Forward.Params[0].Ref.(*infer.LibObject)
	if !ok || ctx.Attrs["saved_tensors"] == nil {
		return false
	}
	seq, ok := ctx.Attrs["saved_tensors"].Ref.(*infer.SeqRef)
	return ok && slices.ContainsFunc(seq.Elems, func(s *infer.Val) bool {
		return s.Op == infer.OpSaved && s.Seq < time && kept(s.In[0]) == x
	})
}

func report(p *pass.Pass, f *infer.Frame, v *infer.Val, message, why, help string) {
	p.Report(pass.Finding{
		At: v.Node, Frame: f, Values: []*infer.Val{v}, Evidence: domain.Derived,
		Message: message, Why: why, Help: help,
	})
}
