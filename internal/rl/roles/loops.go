package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Nest returns the loops around a place, outermost first: those of its own body and,
// through the calls that led there first, those of its callers.
func (m *Model) Nest(at query.Place) []query.Loop {
	var out []query.Loop
	for range 16 {
		if !at.Known() {
			break
		}
		out = append(query.Around(at), out...)
		at = query.PlaceOf(at.Frame.Call)
	}
	return out
}

// Inside reports whether a place may be reached in a loop: it stands in its body, or in
// a function that is called from there.
func (m *Model) Inside(l query.Loop, at query.Place) bool {
	return at.Known() && inside(l, at, map[*infer.Frame]bool{})
}

func inside(l query.Loop, at query.Place, seen map[*infer.Frame]bool) bool {
	if at.Frame == l.Frame {
		return slices.Contains(query.Around(at), l)
	}
	if seen[at.Frame] {
		return false
	}
	seen[at.Frame] = true
	for site := range at.Frame.Sites {
		if inside(l, query.Place{Frame: site.Caller, Node: site.Node}, seen) {
			return true
		}
	}
	return false
}

// Fresh reports whether new data is collected inside the loop.
func (m *Model) Fresh(l query.Loop) bool {
	return slices.ContainsFunc(m.EnvSteps, func(v *infer.Val) bool { return m.Inside(l, query.PlaceOf(v)) })
}

// Updates reports whether an optimizer steps inside the loop.
func (m *Model) Updates(l query.Loop) bool {
	return slices.ContainsFunc(m.Steps, func(v *infer.Val) bool { return m.Inside(l, query.PlaceOf(v)) })
}

// EpochLoop returns the innermost loop that satisfies hold and takes several steps on the same data: what the loss is
// computed from was sampled outside of it, it steps an optimizer, and its variable selects nothing. ok is
// false where each round brings other data.
func (m *Model) EpochLoop(loss Loss, sample *infer.Val, hold func(query.Loop) bool) (loop query.Loop, ok bool) {
	loops := loss.Backward.Loops()
	for i := len(loops) - 1; i >= 0; i-- {
		l := loops[i]
		if m.Inside(l, query.PlaceOf(sample)) || m.Fresh(l) {
			break
		}
		if repeats(l, loss.Value) && m.Updates(l) && hold(l) {
			return l, true
		}
	}
	return query.Loop{}, false
}

// epochReach bounds the walk from a loss back to the variable of a loop.
const epochReach = 4000

// repeats reports whether a loop uses the same data in every round: it runs more than
// once, and the loss does not depend on the loop's variable.
func repeats(l query.Loop, loss query.Seen) bool {
	if n, _, ok := l.Rounds(); ok && n <= 1 {
		return false
	}
	st, ok := l.Stmt.(*ast.For)
	if !ok {
		return true
	}
	target := st.Target
	if pair, ok := target.(*ast.Tuple); ok {
		all := l.Frame.Val(st.Iter) // of all pairs: the first counts the epochs
		if !all.IsOp("product") || len(pair.Elts) == 0 {
			return false
		}
		target = pair.Elts[0]
	}
	v := l.Frame.Val(target)
	return v == nil || !infer.Reaches(v, loss.Val, epochReach) && !isTakenApart(st.Body, target)
}

// isTakenApart reports whether a loop reads fields or elements of its variable: then it is a batch, and no number of an epoch, even
// where it is not known how the fields got there.
func isTakenApart(body []ast.Stmt, target ast.Expr) bool {
	x, ok := target.(*ast.Name)
	found := false
	ast.WalkStmts(body, func(n ast.Node) bool {
		var of ast.Expr
		switch n := n.(type) {
		case *ast.Attribute:
			of = n.X
		case *ast.Subscript:
			of = n.X
		}
		y, is := of.(*ast.Name)
		found = found || ok && is && x.Ident == y.Ident
		return !found
	})
	return found
}
