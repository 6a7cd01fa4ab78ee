package roles

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # What is kept and then overwritten
//
// A list keeps an object, and not what it holds. An environment that hands out its own array, and writes into it at the next step, changes
// all observations that were kept: they are one array. Whether two values are one object is asked of the graph (query.Objects), so that it
// does not matter through how many methods an array comes; whether it was made anew between two steps is asked of the order of calls in
// the loop around both.

// Overwritten is an array that is put into a list, and that later rounds of a loop write into.
type Overwritten struct {
	// Kept is where it is put into the list, as what.
	Kept Write
	// Object made the array; Writer changes it.
	Object, Writer *infer.Val
}

// Overwritten returns the arrays that the program keeps in lists and overwrites, one for each place at which one is kept.
func (m *Model) Overwritten() []Overwritten { return m.overwritten.get(m.findOverwritten) }

func (m *Model) findOverwritten() (out []Overwritten) {
	if !m.writesInPlace() { // buffers are dear
		return nil
	}
	known := map[*infer.Val][]*infer.Val{}
	writers := func(o *infer.Val) []*infer.Val {
		if _, asked := known[o]; !asked {
			known[o] = m.writers(o)
		}
		return known[o]
	}
	for s, w := range m.kept {
		if x, ok := m.overwrites(s, w, writers); ok {
			out = append(out, x)
		}
	}
	return out
}

// kept yields what is put into lists, with the part of the list.
func (m *Model) kept(yield func(*Slot, Write) bool) {
	for _, b := range m.Buffers() {
		for _, s := range b.Slots {
			for _, w := range s.Writes {
				if b.Ref != nil && keeps(w) && !yield(s, w) {
					return
				}
			}
		}
	}
}

// Cleared is a list that is put into another one, and that later rounds of a loop clear: all that was kept is the list of the last round.
type Cleared struct {
	Kept Write
	At   query.Place
}

// Cleared returns the lists that the program keeps and clears.
func (m *Model) Cleared() (out []Cleared) {
	if !m.clearsLists() { // buffers are dear
		return nil
	}
	for s, w := range m.kept {
		if w.Val.Ref == s.Buffer.Ref || !keepsList(w) {
			continue
		}
		for _, own := range m.filled().byLeaf[w.Val.Ref] {
			if at, ok := m.clears(s, own, w.At); ok {
				out = append(out, Cleared{w, at})
				break
			}
		}
	}
	return out
}

// clearsLists reports whether the program takes all out of a list at all.
func (m *Model) clearsLists() bool {
	for f := range m.g.EachFrame {
		if slices.ContainsFunc(f.Nodes(), isClear) {
			return true
		}
	}
	return false
}

// keepsList reports whether what is put into a list is a list as a whole, no record that holds one.
func keepsList(w Write) bool {
	args := w.At.Node.(*ast.Call).Args
	if len(args) == 0 {
		return false
	}
	r, ok := infer.RefOf(w.At.Frame.Val(args[len(args)-1])).(*infer.SeqRef)
	return ok && r.List && w.Val.Ref == infer.Ref(r)
}

// clears is where a loop that keeps a list clears it; ok is false where the loop makes another list as well, or lets go of those it kept.
func (m *Model) clears(keeping, list *Slot, kept query.Place) (at query.Place, ok bool) {
	nest := m.Nest(kept)
	for i := len(nest) - 1; i >= 0; i-- {
		inside := func(at query.Place) bool { return m.Inside(nest[i], at) }
		at := slices.IndexFunc(list.Emptied, func(at query.Place) bool { return isClear(at.Node) && inside(at) })
		if at < 0 {
			continue
		}
		anew := slices.ContainsFunc(list.Emptied, func(at query.Place) bool { return !isClear(at.Node) && inside(at) })
		return list.Emptied[at], !anew && !slices.ContainsFunc(keeping.Emptied, inside)
	}
	return query.Place{}, false
}

// isClear reports whether a node takes all out of a list, which stays the same one.
func isClear(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Call:
		return query.CalleeName(n) == "clear"
	case *ast.Delete:
		sub, ok := n.Targets[0].(*ast.Subscript)
		if !ok {
			return false
		}
		part, ok := sub.Index.(*ast.Slice)
		return ok && part.Low == nil && part.High == nil
	}
	return false
}

// overwrites is how what a slot keeps is overwritten; ok is false where one of the arrays that it may be is not.
func (m *Model) overwrites(s *Slot, w Write, writers func(object *infer.Val) []*infer.Val) (out Overwritten, ok bool) {
	objects, known := query.Objects(w.Val)
	if !known {
		return Overwritten{}, false
	}
	for _, o := range slices.Backward(objects) { // the first is told
		all := writers(o)
		i := slices.IndexFunc(all, func(u *infer.Val) bool { return m.lasts(o, s, w.At, query.PlaceOf(u)) })
		if i < 0 {
			return Overwritten{}, false
		}
		out = Overwritten{Kept: w, Object: o, Writer: all[i]}
	}
	return out, !m.madeBefore(objects, w.At, writers)
}

// madeBefore reports whether each run that goes on from where an array was kept makes another before it writes into one: then what
// was kept stays as it was. It is false where the order is not known.
func (m *Model) madeBefore(objects []*infer.Val, kept query.Place, writers func(object *infer.Val) []*infer.Val) bool {
	made, writes := map[query.Place]bool{}, map[query.Place]bool{}
	for _, o := range objects {
		for _, u := range writers(o) {
			writes[query.PlaceOf(u)] = true
		}
		at, ok := o.Node.(ast.Expr)
		if !ok {
			return false
		}
		for f := range m.g.EachFrame { // the array of the first call of reset() is another one than that of the next
			if v := f.Val(at); v != nil && v.Op == o.Op {
				made[query.Place{Frame: f, Node: at}] = true
			}
		}
	}
	places := slices.AppendSeq([]query.Place{kept}, maps.Keys(made))
	anew := false
	for order := range m.Orders(slices.AppendSeq(places, maps.Keys(writes))) {
		for _, e := range order.Events {
			if e.Place != kept {
				continue
			}
			for _, next := range e.After(func(x *Event) bool { return made[x.Place] || writes[x.Place] }) {
				if writes[next.Place] {
					return false
				}
				anew = anew || made[next.Place]
			}
		}
	}
	return anew
}

// writesInPlace reports whether the program writes into an array at all.
func (m *Model) writesInPlace() bool {
	for u := range m.g.Each {
		if query.Writes(u) {
			return true
		}
	}
	return false
}

// keeps reports whether a write puts something into a list: an element of a tensor is a copy.
func keeps(w Write) bool {
	call, ok := w.At.Node.(*ast.Call)
	return ok && slices.Contains([]string{"append", "appendleft", "insert", "extend"}, query.CalleeName(call))
}

// writers are what writes into an array, under whatever name.
func (m *Model) writers(object *infer.Val) (out []*infer.Val) {
	seen := map[*infer.Val]bool{object: true}
	for work := []*infer.Val{object}; len(work) > 0 && len(seen) < maxTraced; work = work[1:] {
		for _, u := range m.g.UsesOf(work[0]) {
			if seen[u] || !query.IsSameMemory(u, work[0]) {
				continue
			}
			seen[u] = true
			work = append(work, u)
			if query.Writes(u) {
				out = append(out, u)
			}
		}
	}
	return out
}

// lasts reports whether rounds of a loop keep an object and write into it without making it, or emptying the list, anew: where it is made in
// the loop too, as by reset(), another call leads there.
func (m *Model) lasts(object *infer.Val, s *Slot, kept, write query.Place) bool {
	nest := m.Nest(kept)
	for i := len(nest) - 1; i >= 0; i-- {
		writing := leading(nest[i], write)
		if len(writing) == 0 {
			continue
		}
		if slices.ContainsFunc(s.Emptied, func(at query.Place) bool { return m.Inside(nest[i], at) }) {
			return false
		}
		made := leading(nest[i], query.PlaceOf(object))
		return !slices.ContainsFunc(writing, func(n ast.Node) bool { return slices.Contains(made, n) })
	}
	return false
}

// leading are the nodes of a loop's body that lead to a place: itself, or the calls through which a run comes there.
func leading(l query.Loop, at query.Place) []ast.Node {
	var out []ast.Node
	seen := map[*infer.Frame]bool{}
	for work := []query.Place{at}; len(work) > 0 && len(seen) < maxTraced; work = work[1:] {
		switch at := work[0]; {
		case !at.Known():
		case at.Frame == l.Frame:
			if slices.Contains(query.Around(at), l) {
				out = append(out, at.Node)
			}
		case !seen[at.Frame]:
			seen[at.Frame] = true
			for site := range at.Frame.Sites {
				work = append(work, query.Place{Frame: site.Caller, Node: site.Node})
			}
		}
	}
	return out
}
