package savedtensormisused

import (
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// changesInBackward reports writes of backward into tensors that others hold: inputs and
// outputs of forward, and the incoming gradient. A buffer that forward made for itself
// is its own to write into.
func changesInBackward(p *pass.Pass, fn *infer.Function) {
	for v := range fn.Backward.Each {
		if !query.ChangesMemory(v) || v.Node == nil {
			continue
		}
		from, saved := query.KeptFrom(v.In[0])
		switch {
		case slices.Contains(fn.GradOutputs, from):
			report(p, fn.Backward, v, "writes into the incoming gradient, which other branches of the graph share: their gradients change with it, or not, "+
				"depending on the order in which they are computed; write into a clone")
		case saved && slices.Contains(fn.Inputs, from) && !undone(fn.Backward, v):
			report(p, fn.Backward, v, fmt.Sprintf("writes into `%s`, an input of forward that was saved: the caller's tensor changes during the backward, "+
				"and a second backward is wrong; write into a clone", p.Text(from)))
		}
	}
}

var inverse = map[string]string{"add": "sub", "sub": "add", "mul": "div", "div": "mul"}

// undone reports whether the change v is taken back in the same body, or takes one back:
// x.sub_(y) and later x.add_(y).
func undone(f *infer.Frame, v *infer.Val) bool {
	back := inverse[infer.BaseOp(v.Op)]
	if back == "" || len(v.In) < 2 {
		return false
	}
	for u := range f.Each {
		if u != v && query.ChangesMemory(u) && u.IsOp(back) && len(u.In) > 1 && infer.SameSource(u.In[1], v.In[1]) && kept(u.In[0]) == kept(v.In[0]) {
			return true
		}
	}
	return false
}

func kept(v *infer.Val) *infer.Val {
	from, _ := query.KeptFrom(v)
	return from
}

// changesAfterSaving reports writes of forward into what it saved before: autograd notes
// the state of a saved tensor only when forward is over.
func changesAfterSaving(p *pass.Pass, fn *infer.Function) {
	for v := range fn.Forward.Each {
		if query.ChangesMemory(v) && v.Node != nil && savedBefore(fn, kept(v.In[0]), v.Seq) {
			report(p, fn.Forward, v, "writes into what was saved for backward, which then computes its gradient from the changed numbers, and autograd "+
				"does not notice; save a clone, or write into one")
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

func report(p *pass.Pass, f *infer.Frame, v *infer.Val, what string) {
	p.Report(pass.Finding{
		At: v.Node, Frame: f, Values: []*infer.Val{v}, Evidence: domain.Derived,
		Message: fmt.Sprintf("%s %s", p.In(f).Short(v.Node), what),
	})
}
