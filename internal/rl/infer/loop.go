package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

// loopExits collects the states in which a loop's body is left early.
type loopExits struct {
	breaks, continues []*state
}

func (in *interp) forStmt(f *Frame, s *state, st *ast.For) {
	iter := in.expr(f, s, st.Iter)
	if elems := in.labelled(iter); elems != nil {
		in.unroll(f, s, st, elems, 0)
		in.block(f, s, st.Else)
		return
	}
	if in.stacking(f, s, st, iter) {
		in.block(f, s, st.Else)
		return
	}
	elem := in.element(f, s, st.Iter, iter)
	if in.inTurn(f, s, st, iter, elem) {
		in.block(f, s, st.Else)
		return
	}
	f.unbind(s, st.Target)
	in.loop(f, s, st, hasElements(iter), func(b *state) {
		in.assign(f, b, st.Target, elem)
	}, st.Body)
	in.block(f, s, st.Else)
}

// hasElements reports whether a loop over v surely runs: over elements that are known, or over the
// layers of a network, which nobody makes without any.
func hasElements(v *Val) bool {
	switch r := v.Ref.(type) {
	case *SeqRef:
		return len(r.Elems) > 0
	case *LibObject:
		return r.Name == sequentialName || r.Name == moduleListName
	case *Instance:
		return r.Class.Derives(sequentialName) || r.Class.Derives(moduleListName)
	}
	return false
}

// unbind forgets what the names of a loop's target held before the loop: no one means
// that by them, and it would be taken for one of the loop's own.
func (f *Frame) unbind(s *state, target ast.Expr) {
	switch t := target.(type) {
	case *ast.Name:
		f.assign(s, f.code.slotOf(t), nil)
	case *ast.Tuple:
		for _, e := range t.Elts {
			f.unbind(s, e)
		}
	}
}

// labelled returns the elements of a loop over the items or names of a known
// record: ("obs", x) pairs or strings. Such a loop treats each differently.
func (in *interp) labelled(iter *Val) []*Val {
	if d, ok := iter.Ref.(*DictRef); ok && d.isExact() {
		return in.keysOf(d)
	}
	r, ok := iter.Ref.(*SeqRef)
	if !ok || len(r.Elems) == 0 || len(r.Elems) > maxElems {
		return nil
	}
	for _, e := range r.Elems {
		if p, ok := e.Ref.(*SeqRef); ok && len(p.Elems) > 0 {
			e = p.Elems[0]
		}
		if _, ok := e.Str(); !ok {
			return nil
		}
	}
	return r.Elems
}

// unroll runs a loop's body once for each element, in order, behind the rounds that it was run before.
func (in *interp) unroll(f *Frame, s *state, st *ast.For, elems []*Val, before int) {
	guard := s.guard
	out := s.clone()
	out.dead = true
	outer := f.turn
	for i, e := range elems {
		if s.dead {
			break
		}
		f.turn = within(outer, before+i+1)
		var exits loopExits
		f.forget(st.Body)
		in.assign(f, s, st.Target, e)
		f.exits = append(f.exits, &exits)
		in.block(f, s, st.Body)
		f.exits = f.exits[:len(f.exits)-1]
		for _, c := range exits.continues {
			in.joinState(s, c)
		}
		for _, b := range exits.breaks {
			in.joinState(out, b)
		}
	}
	f.turn = outer
	in.joinState(s, out)
	s.guard = guard
}

// forget drops where the loops of an unrolled body ended: for another element they
// start anew, else each would see the names of the elements before.
func (f *Frame) forget(body []ast.Stmt) {
	if len(f.loops) == 0 {
		return
	}
	for _, st := range body {
		ast.Walk(st, func(n ast.Node) bool {
			delete(f.loops, n.NodeID())
			return true
		})
	}
}

func (in *interp) whileStmt(f *Frame, s *state, st *ast.While) {
	var cond *Val
	in.loop(f, s, st, false, func(b *state) {
		cond = in.expr(f, b, st.Cond)
		in.assume(f, b, st.Cond, cond, true)
	}, st.Body)
	if t, known := Truth(cond); known && t && cond.Op == OpConst && !in.broke(f, st) {
		s.dead = true // while True without break
		return
	}
	in.block(f, s, st.Else)
}

// broke reports whether a break left the loop the last time it was run.
func (in *interp) broke(f *Frame, st ast.Stmt) bool { return f.brk[st.NodeID()] }

// loop runs head and body until the state at the loop's entry no longer
// changes, and leaves in s the state after the loop: that of the body's end where it surely
// runs, else joined with that before. The entry state of an
// earlier visit (of an enclosing loop's round) is where it starts from: a nested
// loop then converges at once, at the price of a join.
func (in *interp) loop(f *Frame, s *state, st ast.Stmt, runs bool, head func(*state), body []ast.Stmt) {
	entry := s.clone()
	if old, ok := f.loops[st.NodeID()]; ok {
		in.joinEnv(f, entry, &old)
	}
	guard := s.guard
	var exits loopExits
	var b *state
	for round := 1; ; round++ {
		exits = loopExits{}
		b = entry.clone()
		f.cur = b
		head(b)
		f.exits = append(f.exits, &exits)
		in.block(f, b, body)
		f.exits = f.exits[:len(f.exits)-1]
		for _, c := range exits.continues {
			in.joinState(b, c)
		}
		if b.dead || !in.joinEnv(f, entry, &b.env) {
			break
		}
		if round == maxRounds {
			in.res.Stats.RoundHits++
			break
		}
	}
	if f.loops == nil {
		f.loops = map[ast.NodeID]env{}
		f.brk = map[ast.NodeID]bool{}
	}
	f.loops[st.NodeID()] = entry.env.clone()
	f.brk[st.NodeID()] = len(exits.breaks) > 0
	out := entry
	if runs {
		out = b
	}
	for _, b := range exits.breaks {
		in.joinState(out, b)
	}
	*s = *out
	s.guard = guard
}

// joinEnv joins env into s and reports whether anything changed.
func (in *interp) joinEnv(f *Frame, s *state, from *env) bool {
	changed := false
	s.differences(from, func(i int, v *Val) {
		old := s.get(i)
		j := in.join(old, v)
		if old == nil && j != nil {
			// Bound in the body only: another round tells nothing new, unless
			// the body reads it before it binds it.
			s.set(i, j)
			changed = changed || f.missed[i]
			return
		}
		switch {
		case j == old:
		case in.same(j, old):
			in.absorb(old, v)
		default:
			s.set(i, j)
			changed = true
		}
	})
	return changed
}

// jump records the state at a break or continue.
func (in *interp) jump(f *Frame, s *state, brk bool) {
	if n := len(f.exits); n > 0 {
		e := f.exits[n-1]
		if brk {
			e.breaks = append(e.breaks, s.clone())
		} else {
			e.continues = append(e.continues, s.clone())
		}
	}
	s.dead = true
}
