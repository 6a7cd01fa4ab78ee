package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # What a field holds now
//
// What the program stores in a field of an object is joined: any of it may be what is read. But an
// object is often used as a register: one method evaluates the network and keeps the distribution,
// another asks that for log-probabilities. In a rollout both run without gradients, in an update
// with them. So of what one expression yielded with gradients and without them, the field holds
// what was stored last, in the order of evaluation, which is that of the program; all else is
// joined as ever. A call that an earlier evaluation answers stores again what that one stored. Where two
// branches meet in which something was stored, and where an entry begins, nobody knows what was the
// last, and all is joined.

// stored is one store in a field.
type stored struct {
	obj  *Instance
	name string
	val  *Val
}

// lastStore is the last store in a field; at counts them.
type lastStore struct {
	val *Val
	at  int
}

// maxStored bounds the stores that are remembered of a frame.
const maxStored = 32

// storedIn notes that v was stored in a field of which j is the join with it.
func (in *interp) storedIn(r *Instance, name string, v, j *Val) {
	if !isRegistered(v) {
		return
	}
	for x := range alternatives(j) { // of those that are the same, the first stands for all
		if in.same(x, v) {
			v = x
			break
		}
	}
	in.noteStored(in.stack[len(in.stack)-1], stored{r, name, v})
}

func (in *interp) noteStored(f *Frame, st stored) {
	in.storing++
	if st.obj.last == nil {
		st.obj.last = map[string]lastStore{}
	}
	st.obj.last[st.name] = lastStore{st.val, in.storing}
	if len(f.stores) <= maxStored && !slices.Contains(f.stores, st) {
		f.stores = append(f.stores, st)
	}
}

// isRegistered reports whether v is what programs keep for the next call: a tensor, a distribution,
// a list of such. What may be changed where it is kept is joined.
func isRegistered(v *Val) bool {
	if v.Node == nil || v.Const != nil || v.Is(domain.Module|domain.Text) {
		return false
	}
	r := v.Ref
	if list, ok := r.(*SeqRef); ok && list.Elem != nil {
		r = list.Elem.Ref
	}
	o, ok := r.(*LibObject)
	return v.Ref == nil || ok && o.Class != nil && o.Class.Kind == domain.Distribution
}

// storesAgain notes what the frame that answers a call of f stored.
func (in *interp) storesAgain(f, hit *Frame) {
	if len(hit.stores) > maxStored {
		in.forgetStores()
		return
	}
	for _, st := range hit.stores {
		in.noteStored(f, st)
	}
}

// inheritStores makes what a callee stored part of what its caller did.
func (f *Frame) inheritStores(g *Frame) {
	for _, st := range g.stores {
		if len(f.stores) <= maxStored && !slices.Contains(f.stores, st) {
			f.stores = append(f.stores, st)
		}
	}
}

// forgetStores forgets which stores were the last.
func (in *interp) forgetStores() { in.forgotten = in.storing }

// field is what a field of an object holds, nil where nothing was stored.
func (in *interp) field(r *Instance, name string) *Val {
	v := r.Attrs[name]
	if v == nil && r.behind != nil {
		return r.behind.Attrs[name]
	}
	last := r.last[name]
	if v == nil || v.Op != OpPhi || r.owner != in || last.at <= in.forgotten {
		return v
	}
	key := [2]*Val{v, last.val}
	now, ok := in.held[key]
	if !ok {
		now = in.withLast(v, last.val)
		if in.held == nil {
			in.held = map[[2]*Val]*Val{}
		}
		in.held[key] = now
	}
	return now
}

// withLast is a join without what the expression of last yielded in other calls, with gradients
// where last has none or the other way round.
func (in *interp) withLast(v, last *Val) *Val {
	out, other := last, false
	for x := range alternatives(v) {
		if x.Node == last.Node && x.Q.Grad != last.Q.Grad {
			other = true
		} else {
			out = in.join(out, x)
		}
	}
	if !other {
		return v
	}
	return out
}

// alternatives calls yield for the values that v is a join of, as stores in a field join them.
func alternatives(v *Val) func(func(*Val) bool) {
	return func(yield func(*Val) bool) {
		for range maxElems {
			if v.Op != OpPhi || len(v.In) != 2 || v.Frame != v.In[1].Frame || v.Node != v.In[1].Node {
				break
			}
			if !yield(v.In[1]) {
				return
			}
			v = v.In[0]
		}
		yield(v)
	}
}
