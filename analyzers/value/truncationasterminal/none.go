package truncationasterminal

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # No next state
//
// Some programs keep None for the next state where an episode ended, and fill in the values of those that have one:
//
//	ahead = None if terminated else obs
//	values = torch.zeros(n); values[has_next] = net(states that are not None)

// withoutNext reports conditions by which the next state is None where an episode was only cut off, if a target fills in next values.
func withoutNext(p *pass.Pass) {
	if !fillsIn(p) {
		return
	}
	report := func(f *infer.Frame, cond ast.Expr) {
		v := f.Val(cond)
		if v == nil {
			return
		}
		if either := eitherEnd(p, p.See(v)); either.Known() && !p.CutsAreEnds() {
			p.Report(pass.Finding{
				At: cond, Frame: f, Evidence: domain.Derived, Values: []*infer.Val{v}, Related: p.Here(either.Val, "a limit of time counts like the end of the task here"),
				Message: "a step cut off by the time limit is kept without its next state",
				Help:    "keep None where `terminated` alone; end the episode with either",
			})
		}
	}
	for f, choice := range query.Everywhere[*ast.IfExp](p.Graph) {
		if query.IsNone(choice.Then) && isState(f, choice.Else) || query.IsNone(choice.Else) && isState(f, choice.Then) {
			report(f, choice.Cond)
		}
	}
	for f, choice := range query.Everywhere[*ast.If](p.Graph) {
		a, x := onlyAssigned(choice.Then)
		b, y := onlyAssigned(choice.Else)
		if a != "" && a == b && (query.IsNone(x) && isState(f, y) || query.IsNone(y) && isState(f, x)) {
			report(f, choice.Cond)
		}
	}
}

// fillsIn reports whether the next value of a target was stored into zeros, for some of the transitions.
func fillsIn(p *pass.Pass) bool {
	return slices.ContainsFunc(p.Bellmans(), func(b query.Bellman) bool {
		return !p.AddedUp(b) && slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool {
			v := n.Value.Strip()
			return !n.Carried && v.IsOp(infer.OpStore) && infer.Blank(v.In[0])
		})
	})
}

// isState reports whether an expression is what the environment shows.
func isState(f *infer.Frame, e ast.Expr) bool { return f.Val(e).Is(domain.Observation) }

// onlyAssigned is the variable that a branch of one statement assigns, and what to it.
func onlyAssigned(body []ast.Stmt) (to string, value ast.Expr) {
	as := query.OnlyAssignment(body)
	if as == nil {
		return "", nil
	}
	return query.Path(as.Targets[0]), as.Value
}
