package obsnotadvanced

import (
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// # What was made of the observation before the loop
//
// A policy is often given not the observation itself but a tensor that was made of it. If it was made before the loop, it is that which must be
// made anew: a loop that renews the observation alone changes nothing.

// acted is where a loop acts on the observation of a reset, or on the same numbers under another name; nil where it advances.
func (r *round) acted(obs *ast.Name, next string, step roles.EnvCall, resets []roles.EnvCall) ast.Node {
	if r.stale(obs.Ident, next, step, resets) {
		return r.last(obs.Ident)
	}
	whole := infer.Strip(step.Frame.Val(obs))
	if whole == nil {
		return nil
	}
	var at ast.Node
	query.OwnStmts(step.Frame, func(st ast.Stmt) {
		as, ok := st.(*ast.Assign)
		if !ok || at != nil || len(as.Targets) != 1 || st.Span().Start < obs.Loc.End || st.Span().End > r.loop.Stmt.Span().Start {
			return
		}
		name, ok := as.Targets[0].(*ast.Name)
		if ok && name.Ident != obs.Ident && name.Ident != next && len(r.bound[name.Ident]) == 0 && infer.Strip(step.Frame.Val(as.Value)) == whole &&
			r.stale(name.Ident, next, step, resets) {
			at = r.last(name.Ident)
		}
	})
	return at
}

// madeBefore reads a loop that renews an observation, but acts on a tensor that was made of the observation before the loop, whatever the
// methods of the environment are called:
//
//	seen = torch.cat((left, right))
//	while not over:
//	    left2, right2, reward, over = game.act(net(seen))
//	    left = left2
//
// st is the last line. It is a store that nothing reads, which is what tells that another effect was meant.
func madeBefore(r *round, st *ast.Assign) (at ast.Node, call *ast.Call) {
	renewed, next := copied(st)
	if renewed == nil || r.count(renewed.Ident) != 1 || len(r.bound[next.Ident]) != 1 {
		return nil, nil
	}
	f := r.loop.Frame
	step, ok := r.bound[next.Ident][0].(*ast.Assign)
	if !ok || !r.direct[step] {
		return nil, nil
	}
	results, ok := only(step).(*ast.Tuple)
	call, isCall := step.Value.(*ast.Call)
	if !ok || !isCall || len(results.Elts) < 3 || len(call.Args) == 0 || !unreadLater(f, query.Around(query.Place{Frame: f, Node: st}), renewed) {
		return nil, nil
	}
	from := map[string]bool{}
	for _, a := range call.Args {
		some, _ := r.sources(a)
		for name := range some {
			from[name] = true
		}
	}
	if from[next.Ident] {
		return nil, nil
	}
	query.OwnStmts(f, func(before ast.Stmt) {
		as, ok := before.(*ast.Assign)
		if !ok || before.Span().End > r.loop.Stmt.Span().Start || !query.Reads(as.Value, renewed.Ident) {
			return
		}
		made, ok := only(as).(*ast.Name)
		if ok && made.Ident != renewed.Ident && from[made.Ident] && len(r.bound[made.Ident]) == 0 && isTensor(f.Val(as.Value)) {
			at = r.last(made.Ident)
		}
	})
	return at, call
}

// copied are the two variables of an assignment of one to the other.
func copied(st *ast.Assign) (to, from *ast.Name) {
	to, isName := only(st).(*ast.Name)
	from, ok := st.Value.(*ast.Name)
	if !isName || !ok || to.Ident == from.Ident {
		return nil, nil
	}
	return to, from
}

// reportMadeBefore reports such a loop.
func reportMadeBefore(p *pass.Pass, l query.Loop, body []ast.Stmt) {
	if p.In(l.Frame) == nil {
		return
	}
	var r *round
	for _, st := range body {
		within := []ast.Stmt{st}
		if with, ok := st.(*ast.With); ok {
			within = with.Body
		}
		for _, st := range within {
			as, ok := st.(*ast.Assign)
			if !ok {
				continue
			}
			if renewed, _ := copied(as); renewed == nil {
				continue
			}
			if r == nil {
				r = newRound(l)
			}
			if at, call := madeBefore(r, as); at != nil {
				report(p, roles.EnvCall{Frame: l.Frame, Node: call}, at)
			}
		}
	}
}

// isTensor reports whether a library made a value of its arguments, and no count of them, as len does.
func isTensor(v *infer.Val) bool {
	return v != nil && v.Fn != nil && !v.Q.Kind.Is(domain.Count)
}

// only is the one target of an assignment.
func only(st *ast.Assign) ast.Expr {
	if len(st.Targets) != 1 {
		return nil
	}
	return st.Targets[0]
}

// unreadLater reports whether nothing reads what a loop leaves in a variable: it is read before the loop alone, and each round of a loop around
// binds it before that.
func unreadLater(f *infer.Frame, loops []query.Loop, name *ast.Name) bool {
	bound := map[ast.Expr]bool{}
	query.Targets(f.Body(), func(t ast.Expr, _ ast.Stmt) { bound[t] = true })
	first, outer := ast.Expr(nil), loops[0].Stmt.Span()
	for _, x := range query.Mentions(f, name.Ident) {
		if x.Loc.Start > loops[len(loops)-1].Stmt.Span().End && !bound[x] {
			return false
		}
		if outer.Covers(x.Loc) && first == nil {
			first = x
		}
	}
	return len(loops) == 1 || first != nil && bound[first]
}
