package noisewrongshape

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// ofOneRow returns x[i], the one row of a batch that noise takes its shape from,
// where what the noise is added to is the batch or was computed from the same one, or where the row is what one environment is
// given to do and the noise is added to what a network makes of a batch that was sampled.
func ofOneRow(p *pass.Pass, draw, other query.Seen) *infer.Val {
	if !draw.IsOp("randn_like") {
		return nil
	}
	row := draw.Input(0).SameShape()
	for row.Known() && row.IsOp("Tensor", "FloatTensor", "tensor", "as_tensor", "from_numpy") && len(row.In) > 0 {
		row = row.Input(0).SameShape()
	}
	switch {
	case !row.Known():
		return nil
	case isStepped(p, draw.Input(0)) && !infer.SameSource(row.Val, other.Val) && ofSample(p, other, 8):
		return row.Val // the action of one environment is a row itself
	case row.Op != infer.OpItem || len(row.In) < 2 || row.In[1] == nil:
		return nil
	}
	if _, ok := row.In[1].Int(); !ok || !wholeBatch(row.Input(0), other, 8) && !(isStepped(p, row.Input(0)) && ofSample(p, other, 8)) {
		return nil
	}
	return row.Val
}

// wholeBatch reports whether v is the batch, or was computed by a network from another
// field of the record that the batch is a field of, without taking rows.
func wholeBatch(batch, v query.Seen, depth int) bool {
	v, batch = v.SameShape(), batch.SameShape()
	switch {
	case !v.Known() || !batch.Known() || depth == 0:
		return false
	case v.Val == batch.Val || sameRecord(batch.Val, v.Val):
		return true
	case v.Op == infer.OpItem || v.Op == infer.OpIterate || v.Op == infer.OpPhi:
		return false
	}
	for i := range v.In {
		if wholeBatch(batch, v.Input(i), depth-1) {
			return true
		}
	}
	return false
}

// sameRecord reports whether both are fields of one object: data.obs, data.actions.
func sameRecord(a, b *infer.Val) bool {
	record := func(v *infer.Val) *infer.Val {
		if len(v.In) == 0 || v.In[0] == nil || len(v.Op) <= len(infer.OpAttr) || v.Op[:len(infer.OpAttr)+1] != infer.OpAttr+"." {
			return nil
		}
		return v.In[0]
	}
	x, y := record(a), record(b)
	return x != nil && x == y && !x.Is(domain.Module) && x.Ref == nil
}

// isStepped reports whether a value is what an environment is given to do.
func isStepped(p *pass.Pass, s query.Seen) bool {
	x := s.SameShape()
	if x.Known() && slices.ContainsFunc(x.Uses(), func(u *infer.Val) bool { return u.IsOp("step") }) {
		return true
	}
	steps, _ := p.Roles.EnvCalls()
	return s.Known() && slices.ContainsFunc(steps, func(c roles.EnvCall) bool {
		return len(c.Node.Args) > 0 && infer.SameSource(c.Frame.Val(c.Node.Args[0]), s.Val)
	})
}

// ofSample reports whether a network computed s from a part of what a memory yields, without taking rows.
func ofSample(p *pass.Pass, s query.Seen, depth int) bool {
	for ; depth > 0; depth-- {
		if call, ok := s.Node.(*ast.Call); ok && s.Frame != nil && len(call.Args) > 0 && (len(s.YieldedBy()) > 0 || s.Frame.Val(call.Fun).Is(domain.Module)) {
			return isPart(p, s.Frame.Val(call.Args[0]))
		}
		s = s.SameShape()
		switch {
		case !s.Known() || len(s.In) == 0:
			return false
		case !s.IsOp("tanh", "clamp", "clip", "mul", "add"):
			return false
		}
		s = s.Input(0)
	}
	return false
}

// isPart reports whether v is a field of, or an entry in, what a memory yields when it is sampled.
func isPart(p *pass.Pass, v *infer.Val) bool {
	v = infer.Strip(v)
	if len(p.Roles.SlotsOf(v)) > 0 {
		return true
	}
	if v == nil || len(v.In) == 0 || v.In[0] == nil || v.Op != infer.OpItem && !strings.HasPrefix(v.Op, infer.OpAttr+".") {
		return false
	}
	return v.In[0].IsOp("sample")
}
