package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Which step a row is of
//
// What an environment answers is kept row by row, and row t is of step t only where it is written after that step. A flag that is
// written before it is that of the step before: it says that the observation of the row is the first of an episode. Both are in use,
//
//	dones[t] = done;  obs, reward, done = env.step(action)     row t: what step t - 1 ended
//	obs, reward, done = env.step(action);  dones[t] = done     row t: what step t ended
//
// and whoever reads the rows has to know which. The order of statements decides, not what a row is called: stepsOf looks for the last
// assignment of what is written in the round before the write. Where there is none, the value is that of the round before.

// maxBound bounds the assignments and calls between a value and the step that it is of.
const maxBound = 5

// An answer is what a value has of an environment's step.
type answer struct {
	outputs []int       // which of what step returned: 1 the reward, 2 and 3 the flags of the end
	lag     int         // of how many rounds before
	at      query.Place // where it is taken, in the body that steps
}

// stepRows says which step the rows of a slot are of.
type stepRows struct {
	answer
	index string // what the rows are counted by, as it is written; empty for a list that is appended to
	start int64  // what is added to it
}

// rowsOf says which step the rows of a slot are of; ok is false where that is not known, or they differ.
func (m *Model) rowsOf(s *Slot) (out stepRows, ok bool) {
	if b := s.Buffer.Made; b != nil {
		if list, is := b.Node.(*ast.List); is && len(list.Elts) > 0 {
			return out, false // there are rows before the first step
		}
	}
	for _, w := range s.Writes {
		row, known := m.rowAt(w)
		switch {
		case row.index == "" && known && ok, !known && row.index != "":
			return out, false
		case !known: // a row of its own, as the first
		case ok && (row.index != out.index || row.start != out.start || !sameBody(row.at.Frame, out.at.Frame)):
			return out, false
		case !ok || row.at.Node.Span().Start > out.at.Node.Span().Start: // the later one stays
			out, ok = row, true
		}
	}
	return out, ok
}

// rowAt reads one write.
func (m *Model) rowAt(w Write) (out stepRows, ok bool) {
	var value ast.Expr
	switch n := w.At.Node.(type) {
	case *ast.Call:
		if query.CalleeName(n) != "append" || len(n.Args) != 1 {
			return out, false
		}
		value = n.Args[0]
	case *ast.Subscript:
		if out.index, out.start = counted(n.Index); out.index == "" {
			return out, false
		}
		st := statementOf(w.At)
		as, is := st.(*ast.Assign)
		if !is {
			return out, false
		}
		if a, is := m.answerInto(w.At.Frame, as, n); is {
			out.answer = a
			return out, true
		}
		value = query.AssignedTo(n, as)
	}
	if value == nil {
		return out, false
	}
	out.answer, ok = m.stepsOf(query.Place{Frame: w.At.Frame, Node: value}, maxBound)
	if x, is := w.At.Node.(*ast.Subscript); is && out.lag > 0 && namesTwo(x.Index) {
		return out, false // the round before is of another environment
	}
	return out, ok
}

// namesTwo reports whether an index counts along two axes.
func namesTwo(index ast.Expr) bool {
	of, ok := index.(*ast.Tuple)
	return ok && len(of.Elts) > 1 && !slices.ContainsFunc(of.Elts, func(x ast.Expr) bool { _, whole := x.(*ast.Slice); return whole })
}

// counted reads an index of rows as a variable and a number that is added to it. It is the first axis; the others are taken whole, or by
// the number of the environment.
func counted(e ast.Expr) (base string, plus int64) {
	switch e := e.(type) {
	case *ast.Tuple:
		for _, x := range e.Elts {
			if _, whole := x.(*ast.Slice); whole {
				continue
			}
			if _, each := x.(*ast.Name); each && base != "" {
				continue // the environment, of several that are stepped one after another
			}
			if base != "" {
				return "", 0
			}
			if base, plus = counted(x); base == "" {
				return "", 0
			}
		}
	case *ast.Name, *ast.Attribute:
		return query.Path(e), 0
	case *ast.BinOp:
		if n, ok := smallInt(e.Y); ok && (e.Op == ast.Add || e.Op == ast.Sub) {
			if base, plus = counted(e.X); e.Op == ast.Sub {
				n = -n
			}
			return base, plus + n
		}
	}
	return base, plus
}

func smallInt(e ast.Expr) (int64, bool) {
	n, ok := e.(*ast.Number)
	if !ok || len(n.Text) != 1 {
		return 0, false
	}
	return int64(n.Text[0] - '0'), true
}

// statementOf is the innermost statement around a place.
func statementOf(at query.Place) (out ast.Stmt) {
	query.OwnStmts(at.Frame, func(st ast.Stmt) {
		if st.Span().Covers(at.Node.Span()) {
			out = st
		}
	})
	return out
}

// answerInto is what a statement that steps an environment puts into a target.
func (m *Model) answerInto(f *infer.Frame, st ast.Stmt, target ast.Expr) (answer, bool) {
	steps, _ := m.EnvCalls()
	for _, c := range steps {
		if i := slices.Index(c.Into, target); c.Frame == f && c.Stmt == st && c.Unpacked && i >= 0 {
			return answer{outputs: []int{i}, at: query.Place{Frame: f, Node: target}}, true
		}
	}
	return answer{}, false
}

// stepsOf says which step a value is of, as it stands in a body: what it was made of since, or, where that is an argument, what callers hand in.
func (m *Model) stepsOf(at query.Place, depth int) (out answer, ok bool) {
	if depth == 0 || at.Frame == nil {
		return out, false
	}
	round, steps := m.roundOf(at)
	bound := bindings(round)
	failed := false
	merge := func(a answer, known bool) {
		switch {
		case !known || ok && a.lag != out.lag:
			failed = true
		case !ok:
			out, ok = a, true
		}
		for _, i := range a.outputs {
			if !slices.Contains(out.outputs, i) {
				out.outputs = append(out.outputs, i)
			}
		}
	}
	ast.Walk(at.Node, func(n ast.Node) bool {
		e, is := n.(ast.Expr)
		if !is {
			return true
		}
		path := query.Path(e)
		if path == "" {
			return true
		}
		defs := bound[path]
		switch {
		case len(defs) > 0:
			a, found, known := m.lastOf(at, defs, steps, depth)
			if found {
				merge(a, known)
			}
			return false
		case !steps:
			if a, found, known := m.handedIn(at, e, depth); found {
				merge(a, known)
			}
		}
		return true
	})
	return out, ok && !failed
}

// roundOf is the body in which a place stands that is run anew for each step: that of the loop around an environment's step. steps is
// false where the environment is stepped elsewhere.
func (m *Model) roundOf(at query.Place) (body []ast.Stmt, steps bool) {
	calls, _ := m.EnvCalls()
	for _, c := range calls {
		if c.Frame != at.Frame {
			continue
		}
		loops := query.Around(c.Place())
		if len(loops) == 0 {
			return at.Frame.Body(), true
		}
		if l := loops[len(loops)-1]; l.Stmt.Span().Covers(at.Node.Span()) {
			return l.Body(), true
		}
	}
	return at.Frame.Body(), false
}

// A bound is a target and the statement that binds it.
type boundBy struct {
	target ast.Expr
	by     ast.Stmt
}

// bindings are what some statements bind, by variable or attribute, in their order.
func bindings(body []ast.Stmt) map[string][]boundBy {
	out := map[string][]boundBy{}
	query.Targets(body, func(t ast.Expr, by ast.Stmt) {
		if path := query.Path(t); path != "" {
			out[path] = append(out[path], boundBy{t, by})
		}
	})
	return out
}

// lastOf says which step a variable is of at a place: its last binding before, or, where the round has none, the last of the round before.
// found is false where it has nothing to do with a step.
func (m *Model) lastOf(at query.Place, defs []boundBy, steps bool, depth int) (out answer, found, known bool) {
	here := statementOf(at)
	if here == nil {
		return out, false, false
	}
	before := slices.DeleteFunc(slices.Clone(defs), func(d boundBy) bool { return d.by.Span().Start >= here.Span().Start })
	carried := len(before) == 0
	if carried {
		if before = defs; !steps {
			return out, false, false
		}
	}
	known = true
	for i := len(before) - 1; i >= 0; i-- {
		d := before[i]
		a, some, sure := m.boundTo(at.Frame, d, depth)
		if some {
			known = known && sure && (!found || a.lag == out.lag)
			if !found {
				out = a
			}
			found = true
		}
		if !some && isFalse(d) { // nothing is left of the flag
			return out, true, false
		}
		if _, adds := d.by.(*ast.AugAssign); !adds && always(at.Frame, d.by, here, carried) {
			break
		}
	}
	if carried {
		out.lag++
	}
	if steps {
		out.at = at
	}
	return out, found, known
}

// always reports whether a statement is run whenever another is that stands behind it in the same round; where the value is carried to the next
// round, whether it stands in no branch.
func always(f *infer.Frame, st, here ast.Stmt, carried bool) bool {
	free := true
	query.OwnStmts(f, func(x ast.Stmt) {
		branch, is := x.(*ast.If)
		if is && branch != st && branch.Span().Covers(st.Span()) && (carried || !branch.Span().Covers(here.Span())) {
			free = false
		}
	})
	return free
}

// isFalse reports whether a binding sets a flag back.
func isFalse(d boundBy) bool {
	c, ok := query.AssignedTo(d.target, d.by).(*ast.Constant)
	return ok && c.Kind == ast.False
}

// boundTo says which step a binding's value is of.
func (m *Model) boundTo(f *infer.Frame, d boundBy, depth int) (out answer, found, known bool) {
	if a, ok := m.answerInto(f, d.by, d.target); ok {
		return a, true, true
	}
	var value ast.Expr
	switch st := d.by.(type) {
	case *ast.Assign:
		if value = query.AssignedTo(d.target, st); value == nil {
			_, found = m.stepsOf(query.Place{Frame: f, Node: st.Value}, depth-1) // several values at once, perhaps of what a step returned
			return out, found, false
		}
	case *ast.AugAssign:
		value = st.Value
	case *ast.AnnAssign:
		value = st.Value
	default:
		return out, false, false
	}
	out, known = m.stepsOf(query.Place{Frame: f, Node: value}, depth-1)
	return out, known, known
}

// handedIn says which step an argument is of at the calls of its function.
func (m *Model) handedIn(at query.Place, e ast.Expr, depth int) (out answer, found, known bool) {
	name, ok := e.(*ast.Name)
	if !ok || at.Frame.Func == nil || at.Frame.Func.Def == nil {
		return out, false, false
	}
	known = true
	for site := range at.Frame.Sites {
		call, ok := site.Node.(*ast.Call)
		if !ok {
			continue
		}
		arg := query.ArgumentFor(call, site.Callee.Func, name.Ident)
		if arg == nil {
			continue
		}
		a, sure := m.stepsOf(query.Place{Frame: site.Caller, Node: arg}, depth-1)
		known = known && sure && (!found || a.lag == out.lag)
		out, found = a, true
	}
	return out, found, known
}

// sameBody reports whether two frames are of one module's or one function's code.
func sameBody(a, b *infer.Frame) bool { return a == b || query.SameBody(a, b) }
