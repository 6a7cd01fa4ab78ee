package noisewrongshape

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// ofOneRow returns x[i], the one row of a batch that noise takes its shape from,
// where what the noise is added to is the batch or was computed from the same one.
func ofOneRow(draw, other query.Seen) *infer.Val {
	if !draw.IsOp("randn_like") {
		return nil
	}
	row := draw.Input(0).SameShape()
	if !row.Known() || row.Op != infer.OpItem || len(row.In) < 2 || row.In[1] == nil {
		return nil
	}
	if _, ok := row.In[1].Int(); !ok || !wholeBatch(row.Input(0), other, 8) {
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
