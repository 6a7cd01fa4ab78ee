package infer

import "slices"

// index lists the values of a result by the operation that made them. Every rule
// asks for the values of a few operations, so they are sorted once for all rules.
type index struct {
	all   []*Val // in the order of frames and of the source, each once
	ops   map[string]*opIndex
	bases map[string][]*opIndex // by base name
}

// opIndex holds the values of one operation.
type opIndex struct {
	vals []*Val  // that stand at their own syntax
	at   []int32 // positions in all
}

// index builds the index when it is first asked for. Evaluations that were
// superseded are left out.
func (r *Result) index() *index {
	if r.idx != nil {
		return r.idx
	}
	x := &index{ops: map[string]*opIndex{}, bases: map[string][]*opIndex{}}
	for _, f := range r.Frames {
		if f.stale {
			continue
		}
		for i, v := range f.vals {
			if v == nil || v.Frame != f {
				continue
			}
			x.add(v, v.Node != nil && int(v.Node.NodeID()) == int(f.code.base)+i)
		}
	}
	r.idx = x
	return x
}

// add lists a value that stands somewhere; own says that it stands at its own syntax.
func (x *index) add(v *Val, own bool) {
	if v.listed && !own {
		return
	}
	op := x.ops[v.Op]
	if op == nil {
		op = &opIndex{}
		x.ops[v.Op] = op
		base := BaseOp(v.Op)
		x.bases[base] = append(x.bases[base], op)
	}
	if own {
		op.vals = append(op.vals, v)
	}
	if !v.listed { // an assigned value stands at its variable too
		v.listed = true
		op.at = append(op.at, int32(len(x.all)))
		x.all = append(x.all, v)
	}
}

// Values returns every value that was computed, once each, in the order of frames
// and of the source. The slice is not to be changed.
func (r *Result) Values() []*Val { return r.index().all }

// Ops returns the values produced by operations of that canonical name, in the
// order of frames and of the source.
func (r *Result) Ops(name string) []*Val {
	if op := r.index().ops[name]; op != nil {
		return op.vals
	}
	return nil
}

// Made returns the values that operations of these base names produced, whichever
// library and spelling: those for which IsOp(names...) is true, in the order of
// Values.
func (r *Result) Made(names ...string) []*Val {
	x := r.index()
	var at []int32
	for _, name := range names {
		for _, op := range x.bases[name] {
			at = append(at, op.at...)
		}
	}
	slices.Sort(at)
	out := make([]*Val, len(at))
	for i, k := range at {
		out[i] = x.all[k]
	}
	return out
}
