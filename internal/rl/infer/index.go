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
	x.ops = fileBy(x.all, func(v *Val) string { return v.Op })
	x.kinds = fileBy(x.all, func(v *Val) domain.Kind { return v.Q.Kind })
	x.rows = fileBy(x.all, func(v *Val) *library.Func { return v.Fn })
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
	x.all = make([]*Val, 0, n/2)
	for _, f := range frames {
		if f.stale {
			continue
		}
		for _, v := range f.vals {
			if v != nil && v.Frame == f && v.at == 0 { // an assigned value stands at its variable too
				x.all = append(x.all, v)
				v.at = int32(len(x.all))
			}
		}
	}
	x.apart = make([]bool, len(x.all))
	for i, v := range x.all {
		x.apart[i] = v.Node == nil || v.Frame.Val(v.Node) != v
	}
}

// fileBy files the positions of values under keys. It counts first, so that the
// lists are cut out of one piece.
func fileBy[K comparable](all []*Val, key func(*Val) K) map[K][]int32 {
	numbers := map[K]int32{}
	var counts []int
	of := make([]int32, len(all)) // the number of each value's key
	for i, v := range all {
		if i > 0 && key(v) == key(all[i-1]) {
			of[i] = of[i-1]
		} else if n, ok := numbers[key(v)]; ok {
			of[i] = n
		} else {
			of[i] = int32(len(counts))
			numbers[key(v)] = of[i]
			counts = append(counts, 0)
		}
		counts[of[i]]++
	}
	lists, room := make([][]int32, len(counts)), make([]int32, len(all))
	for n, count := range counts {
		lists[n], room = room[:0:count], room[count:]
	}
	for i, n := range of {
		lists[n] = append(lists[n], int32(i))
	}
	out := make(map[K][]int32, len(numbers))
	for k, n := range numbers {
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
