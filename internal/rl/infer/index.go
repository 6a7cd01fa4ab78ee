package infer

import "slices"

// index lists the values of a result by the operation that made them. Every rule
// asks for the values of a few operations, so they are sorted once for all rules.
type index struct {
	all   []*Val // in the order of frames and of the source, each once
	ops   map[string]*opIndex
	bases map[string][]*opIndex // by base name
}

// opIndex holds the values of one operation, as positions in all.
type opIndex struct{ at []int32 }

// apart marks, in place of a position, a value that does not stand at its own
// syntax: an element of a tuple, what a call of the program returned.
const apart = 1 << 30

// index builds the index when it is first asked for. Evaluations that were
// superseded are left out.
func (r *Result) index() *index {
	if r.idx == nil {
		r.idx = &index{ops: map[string]*opIndex{}, bases: map[string][]*opIndex{}}
		r.idx.list(r.Frames)
		r.idx.sort()
	}
	return r.idx
}

// list collects the values.
func (x *index) list(frames []*Frame) {
	n := 0
	for _, f := range frames {
		n += len(f.vals)
	}
	x.all = make([]*Val, 0, n/2)
	for _, f := range frames {
		if f.stale {
			continue
		}
		for _, v := range f.vals {
			if v != nil && v.Frame == f && !v.listed { // an assigned value stands at its variable too
				v.listed = true
				x.all = append(x.all, v)
			}
		}
	}
}

// sort files the values under their operations. It counts first, so that the lists
// are cut out of one piece.
func (x *index) sort() {
	of := make([]*opIndex, len(x.all))
	counts := map[*opIndex]int{}
	for i, v := range x.all {
		if i > 0 && v.Op == x.all[i-1].Op {
			of[i] = of[i-1]
		} else {
			of[i] = x.op(v.Op)
		}
		counts[of[i]]++
	}
	room := make([]int32, len(x.all))
	for op, n := range counts {
		op.at, room = room[:0:n], room[n:]
	}
	for i, v := range x.all {
		at := int32(i)
		if v.Node == nil || v.Frame.Val(v.Node) != v {
			at |= apart
		}
		of[i].at = append(of[i].at, at)
	}
}

func (x *index) op(name string) *opIndex {
	op := x.ops[name]
	if op == nil {
		op = &opIndex{}
		x.ops[name] = op
		base := BaseOp(name)
		x.bases[base] = append(x.bases[base], op)
	}
	return op
}

// Values returns every value that was computed, once each, in the order of frames
// and of the source. The slice is not to be changed.
func (r *Result) Values() []*Val { return r.index().all }

// Ops returns the values produced by operations of that canonical name, in the
// order of frames and of the source.
func (r *Result) Ops(name string) []*Val {
	x := r.index()
	op := x.ops[name]
	if op == nil {
		return nil
	}
	out := make([]*Val, 0, len(op.at))
	for _, k := range op.at {
		if k&apart == 0 {
			out = append(out, x.all[k])
		}
	}
	return out
}

// Made returns the values that operations of these base names produced, whichever
// library and spelling: those for which IsOp(names...) is true, in the order of
// Values.
func (r *Result) Made(names ...string) []*Val {
	x := r.index()
	var at []int32
	for _, name := range names {
		for _, op := range x.bases[name] {
			for _, k := range op.at {
				at = append(at, k&^apart)
			}
		}
	}
	slices.Sort(at)
	out := make([]*Val, len(at))
	for i, k := range at {
		out[i] = x.all[k]
	}
	return out
}
