// Package samerewardforall is rule RWD004, same-reward-for-all; rule.md says what it finds.
package samerewardforall

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports reward functions that give every completion of a batch the same reward.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, sc := range p.Scored() {
		f := sc.Frame
		if p.In(f) == nil || sc.By.Each || sc.Func.Def == nil || sc.By.Name == "openrlhf" {
			continue
		}
		all, first := true, ast.Node(nil)
		query.OwnStmts(f, func(st ast.Stmt) {
			if ret, ok := st.(*ast.Return); ok {
				same := ret.X != nil && repeats(f, ret.X)
				all = all && same
				if same && first == nil {
					first = ret.X
				}
			}
		})
		if all && first != nil && !addsNothing(f.Val(element(f, first)), sc) && (sc.Trainer != nil || query.OfAnswer(f.Val(element(f, first)))) { // else it may stand for a reward that is computed elsewhere
			p.Report(pass.Finding{At: first, Frame: f, Evidence: domain.Derived})
		}
	}
}

// addsNothing reports whether what is given to all is meant to count for nothing: None, which trainers leave out of the sum, or 0 beside the
// rewards of other functions, by a function that is called to log.
func addsNothing(v *infer.Val, sc infer.Scored) bool {
	if v == nil || v.IsNone() {
		return v != nil
	}
	zero, ok := v.Float()
	return ok && zero == 0 && !alone(sc)
}

// alone reports whether a trainer is seen to get one function that scores, and no other.
func alone(sc infer.Scored) bool {
	if sc.Trainer == nil || sc.At == nil {
		return false
	}
	given := query.Keyword(sc.Trainer, "reward_funcs")
	if given == nil {
		return false
	}
	if list, ok := infer.RefOf(sc.At.Val(given)).(*infer.SeqRef); ok {
		return len(list.Elems) == 1
	}
	_, one := infer.RefOf(sc.At.Val(given)).(*infer.FuncRef)
	return one
}

// repeats reports whether a list holds one value many times: [x] * n, or a comprehension that does not look at what it goes through.
func repeats(f *infer.Frame, e ast.Expr) bool {
	switch n := query.Made(f, e).(type) {
	case *ast.BinOp:
		list, ok := n.X.(*ast.List)
		_, number := n.Y.(*ast.Number)
		return ok && n.Op == ast.Mult && len(list.Elts) == 1 && !number
	case *ast.Comp:
		return n.Kind == ast.ListComp && n.Elt != nil && len(n.Clauses) == 1 && query.Path(n.Clauses[0].Target) != "" && constant(n.Elt, query.Path(n.Clauses[0].Target))
	}
	return false
}

// element is what a list repeats.
func element(f *infer.Frame, list ast.Node) ast.Expr {
	e, _ := list.(ast.Expr)
	switch n := query.Made(f, e).(type) {
	case *ast.BinOp:
		if l, ok := n.X.(*ast.List); ok {
			return l.Elts[0]
		}
	case *ast.Comp:
		return n.Elt
	}
	return e
}

// constant reports whether an expression computes nothing, and reads another variable than that of the comprehension, or none.
func constant(e ast.Expr, target string) bool {
	switch n := e.(type) {
	case *ast.Number:
		return true
	case *ast.Name:
		return n.Ident != target
	case *ast.UnaryOp:
		return constant(n.X, target)
	}
	return false
}
