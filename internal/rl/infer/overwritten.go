package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// # What a body leaves in a field
//
// What is stored in a field is joined, since whoever reads it may see any of it. But what a body stores and then overwrites itself is
// seen by nobody else, unless something that it calls meanwhile reads the field:
//
//	self.std = returns.std(0)
//	self.std[self.std < 1e-6] = 1
//
// So when a body ends, the field loses what the body put there and no way out leaves. What a function leaves that is called in between
// stays, but where the body surely stores anew behind it. A generator hands control out wherever it yields, so what it stores stays.

// written is what one evaluation stored in a field.
type written struct {
	obj  *Instance
	name string
	slot int    // of the field in the body; -1 where only what it calls stores there
	put  []*Val // what the body stored, and what those left that it called before it surely stored anew
	from []*Val // what those left that it called since
	seen *Val   // what those that it calls may have read
	left *Val   // what is there at the ways out
	sure bool   // some store is on every way
	gone bool   // what is there at one of the ways out is not known
}

// maxWritten bounds the fields that are followed in one evaluation.
const maxWritten = 64

// writtenTo is the entry of a field, made where there is none; nil where nothing is followed.
func (f *Frame) writtenTo(obj *Instance, name string) *written {
	for _, w := range f.written {
		if w.obj == obj && w.name == name {
			return w
		}
	}
	if f.Func == nil || f.code.isGen || len(f.written) == maxWritten {
		return nil
	}
	w := &written{obj: obj, name: name, slot: -1}
	f.written = append(f.written, w)
	return w
}

// noteWritten notes that a statement of the body stored v in a field, at the target t.
func (in *interp) noteWritten(f *Frame, s *state, t *ast.Attribute, obj, v *Val) {
	r, ok := obj.Ref.(*Instance)
	slot := f.code.slotOf(t)
	if !ok || r.owner != in || slot < 0 {
		return
	}
	if w := f.writtenTo(r, t.Attr); w != nil {
		w.slot = slot
		if f.always(s, t) {
			w.sure, w.put, w.from = true, append(w.put, w.from...), nil
		}
		if !slices.Contains(w.put, v) {
			w.put = append(w.put, v)
		}
	}
}

// changedIn gives the fields in which the body put old, which it has now changed in place into v under another name, that value, too.
func (in *interp) changedIn(f *Frame, s *state, old, v *Val) {
	for _, w := range f.written {
		if old != nil && w.now(s) == old {
			in.setAttr(&Val{Ref: w.obj}, w.name, v)
			s.set(w.slot, v)
			w.put = append(w.put, v)
		}
	}
}

// always reports whether each run of the body comes to n: it stands in a statement of the body itself, behind no condition.
func (f *Frame) always(s *state, n ast.Node) bool {
	return s.guard == nil && slices.ContainsFunc(f.code.body, func(st ast.Stmt) bool {
		switch st.(type) {
		case *ast.Assign, *ast.AugAssign, *ast.AnnAssign, *ast.ExprStmt, *ast.Return:
			return st.Span().Covers(n.Span())
		}
		return false
	})
}

// takeWritten notes what a function that f called read of the fields that f stores in, and left in fields.
func (in *interp) takeWritten(f *Frame, s *state, g *Frame) {
	for _, w := range f.written {
		read := slices.ContainsFunc(g.reads, func(r read) bool { return r.obj == w.obj && r.name == w.name })
		if read && !slices.ContainsFunc(g.written, func(x *written) bool { return x.obj == w.obj && x.name == w.name && x.sure }) {
			w.seen = in.join(w.seen, w.now(s))
		}
	}
	for _, x := range g.written {
		w := f.writtenTo(x.obj, x.name)
		if w == nil || x.left == nil {
			continue
		}
		for v := range alternatives(x.left) {
			if !slices.Contains(w.from, v) {
				w.from = append(w.from, v)
			}
		}
	}
}

// now is what the body itself knows a field to hold; nil where it does not.
func (w *written) now(s *state) *Val {
	if w.slot < 0 {
		return nil
	}
	return s.get(w.slot)
}

// leave notes what fields hold where control leaves the body.
func (in *interp) leave(f *Frame, s *state) {
	for _, w := range f.written {
		if v := w.now(s); v != nil {
			w.left = in.join(w.left, v)
		} else {
			w.gone = true
		}
	}
}

// forgetOverwritten takes out of fields what f put there and does not leave.
func (in *interp) forgetOverwritten(f *Frame) {
	for _, w := range f.written {
		if w.gone || w.left == nil {
			continue
		}
		stays := slices.Collect(alternatives(w.left))
		if w.seen != nil {
			stays = slices.AppendSeq(stays, alternatives(w.seen))
		}
		stay := func(v *Val) bool { return slices.Contains(stays, v) }
		over := func(v *Val) bool { // where branches meet, another value may stand for v
			return slices.Contains(w.put, v) && !stay(v) && !slices.ContainsFunc(in.res.StandIns(v), stay)
		}
		held := slices.Collect(alternatives(w.obj.Attrs[w.name]))
		if !slices.ContainsFunc(held, over) {
			continue
		}
		var now *Val
		for _, v := range slices.Backward(held) {
			if !over(v) {
				now = in.join(now, v)
			}
		}
		w.obj.Attrs[w.name] = in.join(in.join(now, w.seen), w.left)
		f.stores = slices.DeleteFunc(f.stores, func(st stored) bool { return st.obj == w.obj && st.name == w.name && over(st.val) })
		if over(w.obj.last[w.name].val) {
			delete(w.obj.last, w.name)
		}
		in.attrsVer++
	}
}
