package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// index lists the values of a result by the operation that made them and by what
// they are. Every rule asks for the values of a few operations or kinds, so they
// are sorted once for all rules: what no value of a module has costs a rule nothing.
// Lists hold positions in all.
type index struct {
	all   []*Val // in the order of frames and of the source, each once
	apart []bool // the value does not stand at its own syntax: an element of a tuple, what a call of the program returned
	ops   map[string][]int32
	bases map[string][][]int32 // by base name
	kinds map[domain.Kind][]int32
	rows  map[*library.Func][]int32
}

// index builds the index when it is first asked for. Evaluations that were
// superseded are left out.
func (r *Result) index() *index {
	if r.idx == nil {
		r.idx = newIndex(r.Frames)
	}
	return r.idx
}

func newIndex(frames []*Frame) *index {
	x := &index{bases: map[string][][]int32{}}
	x.list(frames)
	n := len(x.all)
	ops, kinds, rows := newFiler[string](n), newFiler[domain.Kind](n), newFiler[*library.Func](n)
	for _, v := range x.all { // once for all three: to fetch the values is what takes time
		ops.add(v.Op)
		kinds.add(v.Q.Kind)
		rows.add(v.Fn)
	}
	x.ops, x.kinds, x.rows = ops.lists(), kinds.lists(), rows.lists()
	delete(x.rows, nil)
	for op, at := range x.ops {
		base := BaseOp(op)
		x.bases[base] = append(x.bases[base], at)
	}
	return x
}

// list collects the values.
func (x *index) list(frames []*Frame) {
	n := 0
	for _, f := range frames {
		n += len(f.vals)
	}
	x.all, x.apart = make([]*Val, 0, n/2), make([]bool, 0, n/2)
	for _, f := range frames {
		if f.stale {
			continue
		}
		first := len(x.all)
		for _, v := range f.vals {
			if v != nil && v.Frame == f && v.at <= 0 { // an assigned value stands at its variable too
				x.all = append(x.all, v)
				v.at = int32(len(x.all))
			}
		}
		for _, v := range x.all[first:] {
			x.apart = append(x.apart, v.Node == nil || f.Val(v.Node) != v)
		}
	}
}

// filer files the positions of values under keys.
type filer[K comparable] struct {
	numbers map[K]int32
	counts  []int32 // by the key's number
	of      []int32 // by position: the number of the key
	last    K
}

func newFiler[K comparable](room int) *filer[K] {
	return &filer[K]{numbers: map[K]int32{}, of: make([]int32, 0, room)}
}

// add files the next position. Neighbours often have one key.
func (x *filer[K]) add(key K) {
	n := len(x.of)
	if n > 0 && key == x.last {
		x.of = append(x.of, x.of[n-1])
		x.counts[x.of[n]]++
		return
	}
	number, ok := x.numbers[key]
	if !ok {
		number = int32(len(x.counts))
		x.numbers[key] = number
		x.counts = append(x.counts, 0)
	}
	x.counts[number]++
	x.of, x.last = append(x.of, number), key
}

// lists returns the positions by key. They are counted, so that the lists are cut out
// of one piece.
func (x *filer[K]) lists() map[K][]int32 {
	lists, room := make([][]int32, len(x.counts)), make([]int32, len(x.of))
	for n, count := range x.counts {
		lists[n], room = room[:0:count], room[count:]
	}
	for i, n := range x.of {
		lists[n] = append(lists[n], int32(i))
	}
	out := make(map[K][]int32, len(x.numbers))
	for k, n := range x.numbers {
		out[k] = lists[n]
	}
	return out
}

// Values returns every value that was computed, once each, in the order of frames
// and of the source. The slice is not to be changed.
func (r *Result) Values() []*Val { return r.index().all }

// Position returns where v stands in Values; ok is false for a value that is not
// among them: a join, one that a later round of a loop replaced, another module's.
func (r *Result) Position(v *Val) (i int, ok bool) {
	i = int(v.at) - 1
	all := r.index().all
	return i, i >= 0 && i < len(all) && all[i] == v
}

// Ops returns the values produced by operations of that canonical name, in the
// order of frames and of the source.
func (r *Result) Ops(name string) []*Val {
	x := r.index()
	at := x.ops[name]
	if len(at) == 0 {
		return nil
	}
	out := make([]*Val, 0, len(at))
	for _, i := range at {
		if !x.apart[i] {
			out = append(out, x.all[i])
		}
	}
	return out
}

// Made returns the values that operations of these base names produced, whichever
// library and spelling: those for which IsOp(names...) is true, in the order of
// Values.
func (r *Result) Made(names ...string) []*Val {
	x := r.index()
	var lists [][]int32
	for _, name := range names {
		lists = append(lists, x.bases[name]...)
	}
	return x.merge(lists)
}

// OfKind returns the values that must be one of the kinds: those for which Is(k) is
// true, in the order of Values.
func (r *Result) OfKind(k domain.Kind) []*Val {
	x := r.index()
	var lists [][]int32
	for have, at := range x.kinds {
		if have.Is(k) {
			lists = append(lists, at)
		}
	}
	return x.merge(lists)
}

// OfRow returns the values of the library's functions for whose rows hold is true,
// in the order of Values.
func (r *Result) OfRow(hold func(*library.Func) bool) []*Val {
	x := r.index()
	var lists [][]int32
	for row, at := range x.rows {
		if hold(row) {
			lists = append(lists, at)
		}
	}
	return x.merge(lists)
}

// merge returns the values of several lists in the order of Values.
func (x *index) merge(lists [][]int32) []*Val {
	at := slices.Concat(lists...)
	if len(lists) > 1 {
		slices.Sort(at)
	}
	out := make([]*Val, len(at))
	for i, k := range at {
		out[i] = x.all[k]
	}
	return out
}
