package roles

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// round is the body of a loop over a range. What a condition allows in the last round alone, with what stands behind it, leads out of the
// loop: no round follows.
func (b *orderBuilder) round(f *infer.Frame, l *ast.For, body []ast.Stmt) piece {
	for i, st := range body {
		if choose, ok := st.(*ast.If); ok && isLastRound(f, l, choose.Cond) {
			rest := body[i+1:]
			return sequence(b.block(f, body[:i]), b.node(f, choose.Cond), b.branches(f, choose.Cond,
				sequence(b.block(f, choose.Then), b.block(f, rest), leave),
				sequence(b.block(f, choose.Else), b.round(f, l, rest)),
			))
		}
	}
	return b.block(f, body)
}

// leave ends the last round of a loop.
func leave(x *orderRun, in *Event) *Event {
	x.ends = join(x.ends, in)
	return nil
}

// isLastRound reports whether a condition compares the counter of a loop over range(n) with n - 1.
func isLastRound(f *infer.Frame, l *ast.For, cond ast.Expr) bool {
	counter, ok := l.Target.(*ast.Name)
	call, isCall := l.Iter.(*ast.Call)
	test, isCompare := cond.(*ast.Compare)
	if !ok || !isCall || len(call.Args) != 1 || query.CalleeName(call) != "range" || !isCompare || len(test.Ops) != 1 || test.Ops[0] != ast.Eq {
		return false
	}
	at, more := offset(f, test.X)
	end, less := offset(f, test.Ys[0])
	if name, ok := end.(*ast.Name); ok && name.Ident == counter.Ident {
		at, more, end, less = end, less, at, more
	}
	if name, ok := at.(*ast.Name); !ok || name.Ident != counter.Ident {
		return false
	}
	stop, beyond := offset(f, call.Args[0])
	return less-more == beyond-1 && (end == nil && stop == nil || end != nil && stop != nil && query.Path(end) != "" && query.Path(end) == query.Path(stop))
}

// offset takes e apart into what it is based on and the whole number that is added to it; a number by itself has no base.
func offset(f *infer.Frame, e ast.Expr) (base ast.Expr, by int64) {
	if n, ok := f.Val(e).Int(); ok {
		return nil, n
	}
	sum, ok := e.(*ast.BinOp)
	if !ok {
		return e, 0
	}
	n, known := f.Val(sum.Y).Int()
	switch {
	case known && sum.Op == ast.Add:
		return sum.X, n
	case known && sum.Op == ast.Sub:
		return sum.X, -n
	}
	return e, 0
}
