package roles

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Buffers
//
// What a rollout collects is kept in a container, one part a quantity, and the update reads it from there. Programs
// write that in many ways; a Slot is one such part in all of them:
//
//	buf = {"obs": [], "logp": []};  buf["logp"].append(lp)     slot ["logp"] of the dict
//	self.logps = [];  self.logps.append(lp)                    slot .logps of the object
//	logps = [];  logps.append(lp)                              slot "" of the list
//	steps.append((s, a, lp))                                   slots [0], [1], [2] of the list
//	steps.append(Step(state=s, logp=lp))                       slots .state, .logp of the list
//	logps = torch.zeros(T, N);  logps[t] = lp                  slot "" of the tensor
//	self.buf.logps[t] = lp                                     slot .logps of the object
//
// What is written is what one step yields, before it is stacked: its shape has no axis of time yet, that of a
// preallocated tensor has it in front. A rule asks Buffers for all, SlotsOf for those that a value of the
// update was read from. A container whose parts are not told apart (keys or positions that are computed) has one slot
// for all of them, with no kind.

// Buffer is a container that the program fills.
type Buffer struct {
	// Ref is the list, dict or object; nil for a tensor that was allocated, which is Made.
	Ref   infer.Ref
	Made  *infer.Val
	Slots []*Slot
}

// Slot is one part of a buffer.
type Slot struct {
	Buffer *Buffer
	// Name is its path from the buffer, as Python writes it: `["logp"]`, `.logps`, `[2]`, "".
	Name   string
	Writes []Write
	// Emptied are the places at which it is cleared, shortened, or replaced by another container. There are
	// none where it only ever grows.
	Emptied []query.Place
}

// Write is one place at which a slot is filled.
type Write struct {
	// Val is what is stored: its Q says quantity, shape and range.
	Val *infer.Val
	At  query.Place
	// Collected says that it is stored in a loop that steps an environment or samples text.
	Collected bool
	// NoGrad says that what is stored carries no gradient: it was computed without, or detached.
	NoGrad bool
}

// Kind is the quantity that all writes store; unknown where they differ.
func (s *Slot) Kind() domain.Kind {
	var out domain.Kind
	for _, w := range s.Writes {
		out |= w.Val.Q.Kind
	}
	return out
}

// Collected reports whether a slot is filled while data is collected.
func (s *Slot) Collected() bool {
	return slices.ContainsFunc(s.Writes, func(w Write) bool { return w.Collected })
}

// NoGrad reports whether nothing in a slot carries a gradient.
func (s *Slot) NoGrad() bool {
	return !slices.ContainsFunc(s.Writes, func(w Write) bool { return !w.NoGrad })
}

// Buffers returns the containers that the program fills, in the order in which they are.
func (m *Model) Buffers() []*Buffer { return m.filled().list }

// SlotsOf returns the slots that a value was read from, by index, iteration, stacking or batching; none
// where it did not come out of a container. An element of a list is the very value that was written, so what is
// kept in a slot counts as read from it, and a value that is kept twice as read from either.
func (m *Model) SlotsOf(v *infer.Val) []*Slot {
	x := m.filled()
	var out []*Slot
	seen := map[*infer.Val]bool{}
	var trace func(v *infer.Val)
	trace = func(v *infer.Val) {
		v = infer.Strip(v)
		if v == nil || seen[v] || len(seen) > maxTraced {
			return
		}
		seen[v] = true
		found := x.byVal[v]
		if v.Ref != nil {
			found = append(slices.Clone(found), x.byLeaf[v.Ref]...)
		} else if tensor := allocation(v, 8); tensor != nil {
			found = append(slices.Clone(found), x.byLeaf[tensor]...)
		}
		for _, s := range found {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		if len(found) > 0 {
			return
		}
		switch {
		case v.Op == infer.OpPhi:
			for _, in := range v.In {
				trace(in)
			}
		case len(v.In) > 0 && v.IsOp(infer.OpItem, infer.OpIterate, "stack", "cat", "concatenate", "concat", "vstack", "hstack", "index_select"):
			trace(v.In[0])
		case v.Ref != nil:
			eachPart(v, trace)
		}
	}
	trace(v)
	return out
}

// maxTraced bounds the values on the way back from a read.
const maxTraced = 200

// allocation is the tensor, allocated without content, that a value is after some writes into it; nil for
// anything else.
func allocation(v *infer.Val, depth int) *infer.Val {
	v = infer.Strip(v)
	switch {
	case v == nil || depth == 0:
		return nil
	case v.Op == infer.OpStore:
		return allocation(v.In[0], depth-1)
	case v.Op == infer.OpPhi:
		for _, x := range v.In {
			if a := allocation(x, depth-1); a != nil {
				return a
			}
		}
	case v.Fn != nil && v.IsOp("zeros", "empty", "ones", "full", "zeros_like", "empty_like", "new_zeros", "new_empty"):
		return v
	}
	return nil
}

// bufferIndex holds the buffers of a program.
type bufferIndex struct {
	m       *Model
	list    []*Buffer
	byOwner map[any]*Buffer             // by list, dict or object, or by allocation
	byLeaf  map[any][]*Slot             // by what holds the elements
	byVal   map[*infer.Val][]*Slot      // by what was written
	parents map[any]parent              // of lists, dicts and allocations
	places  map[binding]map[*Slot]bool  // variables and attributes that stand for a slot's list
	bound   map[*Slot]map[ast.Node]bool // assignments of these
	slots   map[slotName]*Slot
	linked  map[held]bool
	fresh   map[query.Loop]bool // loops that collect
}

// slotName identifies a slot.
type slotName struct {
	buffer *Buffer
	name   string
}

// held is a slot and what holds its elements, one of perhaps several.
type held struct {
	leaf any
	slot *Slot
}

// parent is where a container is kept: in a dict or an object, under a name.
type parent struct {
	owner infer.Ref
	name  string
}

// binding is a variable of a frame, or an attribute of an object.
type binding struct {
	scope any
	name  string
}

func (m *Model) filled() *bufferIndex {
	return m.buffers.get(func() *bufferIndex {
		x := &bufferIndex{
			m: m, byOwner: map[any]*Buffer{}, byLeaf: map[any][]*Slot{}, byVal: map[*infer.Val][]*Slot{}, parents: map[any]parent{},
			places: map[binding]map[*Slot]bool{}, bound: map[*Slot]map[ast.Node]bool{},
			slots: map[slotName]*Slot{}, linked: map[held]bool{}, fresh: map[query.Loop]bool{},
		}
		x.findParents()
		for f := range m.g.EachFrame {
			for _, n := range f.Nodes() {
				x.fill(f, n)
			}
		}
		for f := range m.g.EachFrame {
			for _, n := range f.Nodes() {
				x.empty(f, n)
			}
		}
		return x
	})
}

// findParents notes in which objects and dicts containers are kept.
func (x *bufferIndex) findParents() {
	keep := func(owner infer.Ref, name string, v *infer.Val) {
		var key any
		switch {
		case v == nil || v.Ref == owner:
			return
		case v.Ref != nil:
			key = v.Ref
		default:
			if a := allocation(v, 8); a != nil {
				key = a
			}
		}
		if _, known := x.parents[key]; key != nil && !known {
			x.parents[key] = parent{owner, name}
		}
	}
	for _, o := range x.m.g.Values.Instances {
		for _, name := range slices.Sorted(maps.Keys(o.Attrs)) {
			keep(o, "."+name, o.Attrs[name])
		}
	}
	for v := range x.m.g.Each {
		if d, ok := v.Ref.(*infer.DictRef); ok {
			for _, key := range slices.Sorted(maps.Keys(d.Fields)) {
				keep(d, keyed(key), d.Fields[key])
			}
		}
	}
}

func keyed(key string) string { return "[" + strconv.Quote(key) + "]" }

// fill notes what a node writes into a container.
func (x *bufferIndex) fill(f *infer.Frame, n ast.Node) {
	switch n := n.(type) {
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		if !ok || len(n.Args) == 0 {
			return
		}
		list, v := f.Val(at.X), f.Val(n.Args[len(n.Args)-1])
		if list == nil || v == nil {
			return
		}
		if a := allocation(list, 8); a != nil && list.Ref == nil && at.Attr == "copy_" {
			x.write(f, at.X, a, a, v, n)
		}
		if _, is := list.Ref.(*infer.SeqRef); !is {
			return
		}
		switch at.Attr {
		case "append", "appendleft", "insert":
			x.write(f, at.X, list.Ref, list, v, n)
		case "extend":
			if from, ok := v.Ref.(*infer.SeqRef); ok {
				for _, e := range append([]*infer.Val{from.Elem}, from.Elems...) {
					if e != nil {
						x.write(f, at.X, list.Ref, list, e, n)
					}
				}
			}
		}
	case *ast.Assign:
		for _, t := range targetsOf(n) {
			x.fillItem(f, t, f.Val(t))
		}
	}
}

// targetsOf are what an assignment binds, each for itself.
func targetsOf(n *ast.Assign) []ast.Expr {
	var out []ast.Expr
	for _, t := range n.Targets {
		if pair, ok := t.(*ast.Tuple); ok {
			out = append(out, pair.Elts...)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// fillItem notes X[i] = v.
func (x *bufferIndex) fillItem(f *infer.Frame, target ast.Expr, v *infer.Val) {
	t, ok := target.(*ast.Subscript)
	if !ok || v == nil {
		return
	}
	base := f.Val(t.X)
	if base == nil {
		return
	}
	switch r := base.Ref.(type) {
	case *infer.DictRef:
		if key, ok := f.Val(t.Index).Str(); ok {
			buffer, name := x.owner(r, base)
			x.add(buffer, name+keyed(key), parent{r, key}, v, query.Place{Frame: f, Node: t})
		}
	case *infer.SeqRef:
		x.write(f, t.X, r, base, v, t)
	case nil:
		if a := allocation(base, 8); a != nil {
			x.write(f, t.X, a, a, v, t)
		}
	}
}

// write notes that v, or each of its parts, is put into a container, which is read as expression e.
func (x *bufferIndex) write(f *infer.Frame, e ast.Expr, leaf any, made, v *infer.Val, n ast.Node) {
	buffer, name := x.owner(leaf, made)
	if sub, ok := e.(*ast.Subscript); ok { // one list may stand for those of all keys
		if of := f.Val(sub.X); of != nil {
			if d, isDict := of.Ref.(*infer.DictRef); isDict {
				if key, ok := f.Val(sub.Index).Str(); ok {
					buffer, name = x.owner(d, of)
					name += keyed(key)
				}
			}
		}
	}
	at := query.Place{Frame: f, Node: n}
	for _, p := range partsOf(v) {
		s := x.add(buffer, name+p.name, leaf, p.val, at)
		if place, ok := bindingOf(f, e); ok {
			if x.places[place] == nil {
				x.places[place] = map[*Slot]bool{}
			}
			x.places[place][s] = true
		}
	}
}

// add notes one write into a slot.
func (x *bufferIndex) add(b *Buffer, name string, leaf any, v *infer.Val, at query.Place) *Slot {
	s := x.slots[slotName{b, name}]
	if s == nil {
		s = &Slot{Buffer: b, Name: name}
		x.slots[slotName{b, name}] = s
		b.Slots = append(b.Slots, s)
	}
	if in := (held{leaf, s}); !x.linked[in] {
		x.linked[in] = true
		x.byLeaf[leaf] = append(x.byLeaf[leaf], s)
	}
	s.Writes = append(s.Writes, Write{Val: v, At: at, Collected: x.collects(at), NoGrad: v.Q.Grad == domain.Detached})
	if v.Const == nil { // a constant is one value for all that use it
		own := infer.Strip(v)
		for _, w := range append([]*infer.Val{own, v}, x.m.calledWith().absorbed[v]...) {
			if !slices.Contains(x.byVal[w], s) {
				x.byVal[w] = append(x.byVal[w], s)
			}
		}
	}
	return s
}

// collects reports whether a place is in a loop that brings new data.
func (x *bufferIndex) collects(at query.Place) bool {
	return slices.ContainsFunc(x.m.Nest(at), func(l query.Loop) bool {
		fresh, known := x.fresh[l]
		if !known {
			fresh = x.m.Fresh(l)
			x.fresh[l] = fresh
		}
		return fresh
	})
}

// owner returns the buffer that a container belongs to, and its path from there.
func (x *bufferIndex) owner(container any, made *infer.Val) (*Buffer, string) {
	name := ""
	for range 4 {
		p, ok := x.parents[container]
		if !ok {
			break
		}
		container, name = p.owner, p.name+name
	}
	b := x.byOwner[container]
	if b == nil {
		b = &Buffer{Made: made}
		b.Ref, _ = container.(infer.Ref)
		x.byOwner[container] = b
		x.list = append(x.list, b)
	}
	return b, name
}

// named is a part of a value and its path.
type named struct {
	name string
	val  *infer.Val
}

// partsOf are the parts of a tuple, dict or record, by position, key or field; the value itself for anything else.
func partsOf(v *infer.Val) []named {
	var out []named
	switch r := v.Ref.(type) {
	case *infer.SeqRef:
		for i, e := range r.Elems {
			name := "[" + strconv.Itoa(i) + "]"
			if i < len(r.Names) && r.Names[i] != "" {
				name = "." + r.Names[i]
			}
			if !r.List && e != nil {
				out = append(out, named{name, e})
			}
		}
	case *infer.DictRef:
		for _, key := range slices.Sorted(maps.Keys(r.Fields)) {
			out = append(out, named{keyed(key), r.Fields[key]})
		}
	case *infer.Instance:
		for _, x := range r.Class.Fields {
			if e := r.Attrs[x.Name]; e != nil {
				out = append(out, named{"." + x.Name, e})
			}
		}
	}
	if len(out) == 0 {
		return []named{{"", v}}
	}
	return out
}

// bindingOf is the variable or attribute that an expression reads.
func bindingOf(f *infer.Frame, e ast.Expr) (binding, bool) {
	switch e := e.(type) {
	case *ast.Name:
		return binding{f, e.Ident}, true
	case *ast.Attribute:
		if of := f.Val(e.X); of != nil && of.Ref != nil {
			return binding{of.Ref, e.Attr}, true
		}
	}
	return binding{}, false
}

// empty notes where containers are cleared, shortened or replaced.
func (x *bufferIndex) empty(f *infer.Frame, n ast.Node) {
	switch n := n.(type) {
	case *ast.Call:
		if at, ok := n.Fun.(*ast.Attribute); ok && shortening[at.Attr] {
			x.emptied(x.slotsHeld(f, at.X), f, n)
		}
	case *ast.Delete:
		for _, t := range n.Targets {
			if sub, ok := t.(*ast.Subscript); ok {
				x.emptied(x.slotsHeld(f, sub.X), f, n)
			} else {
				x.emptied(x.standing(f, t), f, n)
			}
		}
	case *ast.Assign:
		for _, t := range targetsOf(n) {
			if sub, ok := t.(*ast.Subscript); ok {
				if base := f.Val(sub.X); base != nil && base.Ref != nil {
					x.assigned(x.slotsHeld(f, sub.X), f, n)
				}
			} else {
				x.assigned(x.standing(f, t), f, n)
			}
		}
	}
}

// shortening are methods of lists and deques that take elements out.
var shortening = query.Words("clear pop popleft remove")

// slotsHeld are the slots of the list that an expression is, or of those that a loop's variable is one after the other.
func (x *bufferIndex) slotsHeld(f *infer.Frame, e ast.Expr) (out []*Slot) {
	v := f.Val(e)
	switch {
	case v == nil:
	case v.Ref != nil:
		return x.byLeaf[v.Ref]
	case v.Op == infer.OpIterate && v.In[0] != nil && v.In[0].Ref != nil:
		eachPart(v.In[0], func(part *infer.Val) {
			if part != nil && part.Ref != nil {
				out = append(out, x.byLeaf[part.Ref]...)
			}
		})
	}
	return out
}

// standing are the slots for whose list a variable or attribute stands.
func (x *bufferIndex) standing(f *infer.Frame, e ast.Expr) []*Slot {
	place, ok := bindingOf(f, e)
	if !ok {
		return nil
	}
	return slices.SortedFunc(maps.Keys(x.places[place]), func(a, b *Slot) int { return cmp.Compare(a.Name, b.Name) })
}

// assigned notes an assignment to a container or its place. The first makes it.
func (x *bufferIndex) assigned(slots []*Slot, f *infer.Frame, n ast.Node) {
	for _, s := range slots {
		if x.bound[s] == nil {
			x.bound[s] = map[ast.Node]bool{}
		}
		x.bound[s][n] = true
		if len(x.bound[s]) > 1 || f.Shared() { // the first call makes what the others empty
			x.emptied([]*Slot{s}, f, n)
		}
	}
}

func (x *bufferIndex) emptied(slots []*Slot, f *infer.Frame, n ast.Node) {
	for _, s := range slots {
		s.Emptied = append(s.Emptied, query.Place{Frame: f, Node: n})
	}
}
