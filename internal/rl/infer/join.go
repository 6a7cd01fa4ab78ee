package infer

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// join returns the value where two control flows meet.
func (in *interp) join(a, b *Val) *Val {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.Op == OpPhi && in.phiCovers(a, b), in.same(a, b) && !madeApart(a, b):
		in.absorb(a, b)
		return a
	}
	if v := in.laterRound(a, b); v != nil {
		return v
	}
	return in.phi(a, b)
}

// laterRound is the join a of a buffer before a loop and after a round of it, with b in the place of what the same statement
// stored in an earlier round: that is in b too, and of a first round less may be known, as of one that starts from 0. Nil where
// there is no such store, or the join is none the wiser.
func (in *interp) laterRound(a, b *Val) *Val {
	if a.Op != OpPhi || b.Op != OpStore {
		return nil
	}
	var out *Val
	replaced := false
	for _, x := range a.In {
		if x.Op == OpStore && x.Node == b.Node && x.Frame == b.Frame {
			x, replaced = b, true
		}
		switch {
		case out == nil:
			out = x
		case x != out:
			out = in.phi(out, x)
		}
	}
	if !replaced || out.Q == a.Q {
		return nil
	}
	return out
}

// madeApart reports whether two tensors of one quantity, of which nothing tells what it is, are the
// results of different operations: which one it was is all that is known of either.
func madeApart(a, b *Val) bool {
	return !a.Q.Kind.Known() && a.Ref == nil && b.Ref == nil && a.Const == nil && b.Const == nil &&
		(computes(a) && computes(b) && BaseOp(a.Op) != BaseOp(b.Op) || isLibraryCall(a) && isLibraryCall(b) && a.Op != b.Op)
}

// isLibraryCall reports whether v is the result of a function of a library of which no more than its name is known, as PPO.load.
func isLibraryCall(v *Val) bool { return v.Fn == nil && strings.HasPrefix(v.Op, OpCall+".") }

// computes reports whether v is the result of an operation on tensors, or one of several.
func computes(v *Val) bool { return v.Op == OpPhi || v.Fn != nil || arithmetic[v.Op] }

var arithmetic = map[string]bool{"add": true, "sub": true, "mul": true, "div": true, "pow": true, "neg": true}

// oneOf is what one of several calls yields, nil of none. Results of one quantity that were
// made in different ways are kept apart, as join does not.
func (in *interp) oneOf(results []*Val) *Val {
	var out *Val
	for i, v := range results {
		switch {
		case out == nil:
			out = v
		case v == nil || v == out:
		case i >= maxElems:
			out = in.join(out, v)
		default:
			out = in.phi(out, v)
		}
	}
	return out
}

// phi is the join of two values that are not the same.
func (in *interp) phi(a, b *Val) *Val {
	q := a.Q.Join(b.Q)
	switch {
	case narrowed(b, a) && q == a.Q:
		return a // what a condition told of a on one branch no longer holds
	case narrowed(a, b) && q == b.Q:
		return b
	case a.IsNone():
		q = b.Q
	case b.IsNone():
		q = a.Q
	case isNeutral(a):
		q.Kind, q.Evidence, q.Grad = b.Q.Kind, b.Q.Evidence, b.Q.Grad
	case isNeutral(b):
		q.Kind, q.Evidence, q.Grad = a.Q.Kind, a.Q.Evidence, a.Q.Grad
	case a.Is(domain.Reward) && isPaid(b), b.Is(domain.Reward) && isPaid(a):
		q.Kind = domain.Reward
	}
	if flag, ok := flagOf(in.chosenBy, a, b); ok {
		q = flag
	}
	v := Val{Q: q, Op: OpPhi, Lib: a.Lib, In: []*Val{a, b}, Node: b.Node, Frame: b.Frame, Guard: b.Guard}
	if b.Lib != a.Lib && !a.IsNone() {
		v.Lib = LibUnknown
	}
	v.Ref = in.joinRef(a, b)
	if sameConst(a.Const, b.Const) {
		v.Const = a.Const
	}
	return in.newVal(v)
}

// narrowed reports whether b is a as a condition narrowed it.
func narrowed(b, a *Val) bool { return b.Op == OpNarrow && b.In[0] == a }

// absorb notes that a stands for b from here on.
func (in *interp) absorb(a, b *Val) {
	if a == b || a == nil || b == nil || len(b.In) == 0 && b.Ref == nil {
		return
	}
	list := in.res.absorbed[b]
	for _, x := range list[max(0, len(list)-maxElems):] { // a loop comes by again; that some stand twice does no harm
		if x == a {
			return
		}
	}
	if list == nil {
		in.res.absorbedIn = append(in.res.absorbedIn, b)
	}
	in.res.absorbed[b] = append(list, a)
}

// Absorbed calls yield for pairs of values of which the second stands for the
// first as well: where control flow meets and both are of the same quantity, a
// join keeps one of them. Whoever asks what becomes of a value has to ask of what
// stands for it, too. The order is that of the joins.
func (r *Result) Absorbed(yield func(v, by *Val) bool) {
	for _, v := range r.absorbedIn {
		for _, by := range r.absorbed[v] {
			if !yield(v, by) {
				return
			}
		}
	}
}

// StandIns are the values that stand for v where control flow meets.
func (r *Result) StandIns(v *Val) []*Val { return r.absorbed[v] }

// isNeutral reports whether a value is a start that says nothing of what comes:
// the zero of a sum, a buffer that is filled later.
func isNeutral(v *Val) bool {
	if c, ok := v.Float(); ok {
		return c == 0 && v.Op != OpConfig
	}
	return isBlank(v)
}

// isPaid reports whether a value is a number that the program pays in the place of a reward: -10 where the pole fell.
func isPaid(v *Val) bool { return v.Is(domain.Number) && v.Op != OpConfig && v.Ref == nil }

// phiCovers reports whether joining b again would add nothing to the phi.
func (in *interp) phiCovers(phi, b *Val) bool {
	for _, x := range phi.In {
		if x == b || in.same(x, b) {
			return true
		}
	}
	return false
}

func (in *interp) joinRef(a, b *Val) Ref {
	x, y := a.Ref, b.Ref
	switch {
	case x == nil && (a.IsNone() || a.Q.IsBottom()):
		return y
	case y == nil && (b.IsNone() || b.Q.IsBottom()):
		return x
	case x == nil || y == nil:
		return nil
	}
	if in.joining == 0 {
		in.effort.room = in.parts()
	}
	if in.sameRef(x, y, maxSameDepth, in.effort.room) {
		return x
	}
	room := in.effort.room
	in.effort.room /= max(size(x)+size(y), 1)
	if in.joining == maxJoinDepth || in.effort.room == 0 {
		in.effort.room = room
		return nil
	}
	in.joining++
	defer func() { in.joining, in.effort.room = in.joining-1, room }()
	switch p := x.(type) {
	case *SeqRef:
		if q, ok := y.(*SeqRef); ok {
			return in.joinSeq(p, q)
		}
	case *DictRef:
		if q, ok := y.(*DictRef); ok {
			return in.joinDict(p, q)
		}
	case *Instance:
		if q, ok := y.(*Instance); ok && p.Class == q.Class && p.Class.Record && p.owner == in && q.owner == in {
			return in.joinRecord(p, q)
		}
	}
	return nil
}

// joinRecord is a record whose fields are those of either: where it was made does not matter, as it does of other objects.
func (in *interp) joinRecord(p, q *Instance) Ref {
	r := &Instance{Class: p.Class, Attrs: make(map[string]*Val, len(p.Attrs)), owner: in}
	for k, v := range p.Attrs {
		if w := q.Attrs[k]; w != nil {
			r.Attrs[k] = in.join(v, w)
		}
	}
	return r
}

// maxJoinDepth bounds how deep containers are joined, since they can hold
// themselves: what is in deeper ones is unknown where two flows meet. So is what is
// in very large ones.
const maxJoinDepth = 5

// size is the number of parts of a container.
func size(r Ref) int {
	switch r := r.(type) {
	case *SeqRef:
		return len(r.Elems)
	case *DictRef:
		return len(r.Fields)
	case *Instance:
		return len(r.Attrs)
	}
	return 0
}

func (in *interp) joinSeq(p, q *SeqRef) Ref {
	r := &SeqRef{List: p.List || q.List, owner: in}
	if slices.Equal(p.Names, q.Names) {
		r.Names = p.Names
	}
	if p.Elems != nil && len(p.Elems) == len(q.Elems) {
		for i := range p.Elems {
			r.Elems = append(r.Elems, in.join(p.Elems[i], q.Elems[i]))
		}
		return r
	}
	r.Elem = in.join(in.seqElem(p), in.seqElem(q))
	return r
}

func (in *interp) joinDict(p, q *DictRef) Ref {
	r := in.newDict()
	r.Elem, r.Open = in.join(p.Elem, q.Elem), p.Open || q.Open
	if p.class == q.class {
		r.class = p.class
	}
	for _, k := range p.order {
		r.set(k, in.join(p.Fields[k], q.Fields[k]))
	}
	for _, k := range q.order {
		if r.Fields[k] == nil {
			r.set(k, q.Fields[k])
		}
	}
	return r
}

// seqElem is the join of the elements of a sequence; of one of which none is known, of those that may have been put in.
func (in *interp) seqElem(r *SeqRef) *Val {
	e := in.knownElem(r)
	if e == nil || e.IsNone() {
		return in.join(e, r.blind)
	}
	return e
}

func (in *interp) knownElem(r *SeqRef) *Val {
	e := r.Elem
	for _, x := range r.Elems {
		e = in.join(e, x)
	}
	return e
}

// joinState joins b into a at a meeting point of control flow.
func (in *interp) joinState(a, b *state) {
	switch {
	case b == nil || b.dead:
		return
	case a.dead:
		*a = *b.clone()
		return
	}
	a.differences(&b.env, func(i int, v *Val) { a.set(i, in.join(a.get(i), v)) })
	if a.guard != b.guard {
		a.guard = commonGuard(a.guard, b.guard)
	}
	a.noGrad = a.noGrad && b.noGrad
}

// commonGuard returns the longest shared tail of two guard chains.
func commonGuard(a, b *Guard) *Guard {
	for a != b {
		if a.level() >= b.level() {
			a = a.Parent
		} else {
			b = b.Parent
		}
	}
	return a
}

// level is the number of guards from g on.
func (g *Guard) level() int {
	if g == nil {
		return 0
	}
	return g.depth
}
