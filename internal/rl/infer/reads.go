package infer

// What a body reads beyond its arguments is part of its calling context: the
// attributes of objects and the variables of the frames around it. An earlier
// evaluation answers a call only where all of it is still as it was.

// maxReads bounds the reads that are remembered of a frame.
const maxReads = 256

// read is one attribute of an object, or one variable of a frame that was still
// being evaluated.
type read struct {
	obj   *Instance
	frame *Frame
	name  string
	val   *Val
	grown int // of the list that was read
}

// grownOf is how often a list came to hold something else until now; 0 of what is no list.
func grownOf(v *Val) int {
	if v == nil {
		return 0
	}
	if l, ok := v.Ref.(*SeqRef); ok {
		return l.grown
	}
	return 0
}

func (f *Frame) noteRead(r read) {
	if len(f.reads) < maxReads {
		r.grown = grownOf(r.val)
		f.reads = append(f.reads, r)
	}
}

// inheritReads makes what a callee read part of the caller's context.
func (f *Frame) inheritReads(g *Frame) {
	if room := maxReads - len(f.reads); room > 0 {
		f.reads = append(f.reads, g.reads[:min(room, len(g.reads))]...)
	}
}

// fresh reports whether what a frame read is still what it was. A variable that a
// loop binds again holds a new value of the same quantity, which counts as equal.
func (in *interp) fresh(f *Frame) bool {
	for _, r := range f.reads {
		switch {
		case r.obj != nil && in.field(r.obj, r.name) != r.val:
			return false
		case r.frame != nil && !unchanged(r.frame.lookupFinal(r.name), r.val):
			return false
		}
	}
	return true
}

// settled reports whether a frame would be the same if it were evaluated again: it is fresh,
// and read no container, which may hold other things by now.
func (in *interp) settled(f *Frame) bool {
	if len(f.reads) == maxReads || !in.fresh(f) {
		return false
	}
	for _, r := range f.reads {
		if r.val == nil {
			continue
		}
		switch r.val.Ref.(type) {
		case *SeqRef, *DictRef:
			return false
		}
	}
	return true
}

func unchanged(a, b *Val) bool {
	return a == b || a != nil && b != nil && a.Q == b.Q && a.Ref == b.Ref && sameConst(a.Const, b.Const)
}

// varies reports whether a variable that holds v is one that programs bind again:
// imports, functions and classes are not.
func (v *Val) varies() bool {
	return v.Op != OpModule && v.Op != OpFunction && v.Op != OpClass
}

// assignOuter joins a value into the variable of an outer frame that a body
// declared global or nonlocal. It joins, since nobody can tell at how many calls
// the assignment happens.
func (in *interp) assignOuter(f *Frame, name string, v *Val) {
	global, ok := f.code.outer[name]
	if !ok {
		return
	}
	o := f.outer()
	for o != nil && o.outer() != nil && (global || o.class != nil || !o.code.isLocal(name)) {
		o = o.outer()
	}
	if o == nil || o.Module != in.cfg.Module {
		return
	}
	slot := o.code.slot(name)
	env := &o.final
	if o.running() {
		env = &o.cur.env
	}
	env.set(slot, in.join(env.get(slot), v))
}

// resultSoFar is what a function that is being evaluated has returned up to the
// recursive call: the base case, where it stands first. It is nil for a call with
// other kinds of arguments.
func (in *interp) resultSoFar(fn *FuncRef, args []*Val) *Val {
	c := in.codeOf(fn)
	for _, g := range in.stack {
		if g.code != c || !in.alike(g.Params, args) {
			continue
		}
		var out *Val
		for _, r := range g.returns {
			out = in.join(out, r)
		}
		return out
	}
	return nil
}

// alike reports whether arguments are of the same kinds, whatever their numbers.
func (in *interp) alike(a, b []*Val) bool {
	for i, x := range a {
		y := b[i]
		if x == nil || y == nil || x.Q.Kind != y.Q.Kind || !in.sameRef(x.Ref, y.Ref, maxSameDepth, in.parts()) {
			return false
		}
	}
	return true
}
