package onpolicyassumed

import (
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// repeated returns the loop that takes several steps on one rollout: the actions were
// sampled outside it, it steps an optimizer, and its variable selects nothing.
func repeated(p *pass.Pass, loss roles.Loss, g roles.PolicyGradient) (query.Loop, bool) {
	sample := sampled(g.LogProb)
	if sample == nil {
		return query.Loop{}, false
	}
	loops := loss.Backward.Loops()
	for i := len(loops) - 1; i >= 0; i-- {
		l := loops[i]
		if p.Roles.Inside(l, query.PlaceOf(sample)) || p.Roles.Fresh(l) {
			break
		}
		if again(l, loss.Value) && steps(p, l) && !stopsOnKL(l) {
			return l, true
		}
	}
	return query.Loop{}, false
}

// sampled returns where a policy sampled the actions of a log-probability.
func sampled(logp query.Seen) *infer.Val {
	var out *infer.Val
	infer.Walk(logp.Val, reach, func(v *infer.Val) bool {
		if out == nil && v.IsOp("sample", "multinomial", "rsample", "generate") && v.Node != nil {
			out = v
		}
		return out == nil
	})
	return out
}

// again reports whether a loop uses the same data in every round: it runs more than
// once, and the loss does not depend on the loop's variable.
func again(l query.Loop, loss query.Seen) bool {
	if n, _, ok := l.Rounds(); ok && n <= 1 {
		return false
	}
	st, ok := l.Stmt.(*ast.For)
	if !ok {
		return true
	}
	target := st.Target
	if pair, ok := target.(*ast.Tuple); ok {
		if !isProduct(l.Frame.Val(st.Iter)) || len(pair.Elts) == 0 {
			return false
		}
		target = pair.Elts[0]
	}
	v := l.Frame.Val(target)
	return v == nil || !infer.Reaches(v, loss.Val, reach)
}

// isProduct reports whether a loop runs over all pairs: the first of the pair counts
// the epochs.
func isProduct(v *infer.Val) bool { return v.IsOp("product") }

func steps(p *pass.Pass, l query.Loop) bool {
	for _, s := range p.Roles.Steps {
		if p.Roles.Inside(l, query.PlaceOf(s)) {
			return true
		}
	}
	return false
}

// stopsOnKL reports whether a condition on how far the policy has moved ends the loop or
// skips a round.
func stopsOnKL(l query.Loop) bool {
	stops := false
	ast.Walk(l.Stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.If:
			stops = stops || moved(l.Frame.Val(n.Cond))
		case *ast.While:
			stops = stops || moved(l.Frame.Val(n.Cond))
		}
		return !stops
	})
	return stops
}

func moved(cond *infer.Val) bool {
	found := false
	infer.Walk(cond, 200, func(v *infer.Val) bool {
		found = found || v.May(domain.KL|domain.LogRatio|domain.Ratio|domain.LogProb)
		return !found
	})
	return found
}

// header is what stands in the first line of a loop.
func header(l query.Loop) ast.Node {
	switch st := l.Stmt.(type) {
	case *ast.For:
		return st.Iter
	case *ast.While:
		return st.Cond
	}
	return l.Stmt
}
