// Package rewardstoredlate is rule OFF019, reward-stored-late; rule.md says what it finds.
package rewardstoredlate

import (
	_ "embed"
	"slices"

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

// Analyzer reports steps that are stored before the environment has answered them, with the reward of the step before.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, st := range query.Everywhere[*ast.Assign](p.Graph) {
		if call, reward, action := stepOf(st); call != nil {
			check(p, f, st, call, reward, action)
		}
	}
}

// stepOf reads obs, reward, done, ... = env.step(action). Environments are told by the name of their method, as Python
// finds it.
func stepOf(st *ast.Assign) (call *ast.Call, reward, action string) {
	call, ok := st.Value.(*ast.Call)
	if !ok || len(st.Targets) != 1 || len(call.Args) != 1 || query.CalleeName(call) != "step" {
		return nil, "", ""
	}
	t, ok := st.Targets[0].(*ast.Tuple)
	if !ok || len(t.Elts) < 4 {
		return nil, "", ""
	}
	name, ok := t.Elts[1].(*ast.Name)
	if !ok || name.Ident == "_" {
		return nil, "", ""
	}
	ast.Walk(call.Args[0], func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && action == "" {
			action = x.Ident
		}
		return true
	})
	if action == "" {
		return nil, "", ""
	}
	return call, name.Ident, action
}

// check looks for a store before the step, in the same round of the innermost loop around both.
func check(p *pass.Pass, f *infer.Frame, st *ast.Assign, call *ast.Call, reward, action string) {
	loops := query.Around(query.Place{Frame: f, Node: call})
	if len(loops) == 0 {
		return
	}
	loop := loops[len(loops)-1].Stmt
	if rebound(p, f, loop, reward, st) || kept(p, f, loop, call, reward) {
		return
	}
	for store := range query.In[*ast.Call](f) {
		if !loop.Span().Covers(store.Span()) || store.Span().End > st.Span().Start || !stores(store) {
			continue
		}
		if arg := argument(store, reward); arg != nil && argument(store, action) != nil && chosen(p, f, loop, store, action) {
			p.Report(pass.Finding{
				At: arg, Frame: f, Evidence: domain.Derived,
				Related: p.There(query.Place{Frame: f, Node: call}, "the reward for the action comes from here"),
			})
		}
	}
}

// chosen reports whether the action is bound in the loop before it is stored: it is that of this round.
func chosen(p *pass.Pass, f *infer.Frame, loop ast.Stmt, store *ast.Call, action string) bool {
	return slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool {
		_, is := n.(*ast.Assign)
		return is && loop.Span().Covers(n.Span()) && n.Span().Start < store.Span().Start && query.Binds(n, action)
	})
}

// rebound reports whether the loop binds the reward in another way than by the step, apart from a new start with a
// constant.
func rebound(p *pass.Pass, f *infer.Frame, loop ast.Stmt, name string, step *ast.Assign) bool {
	return slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool {
		if !loop.Span().Covers(n.Span()) || !query.Binds(n, name) {
			return false
		}
		as, ok := n.(*ast.Assign)
		return !ok || as != step && as.Span().Start < step.Span().Start
	})
}

// kept reports whether the reward is read behind the step for more than a sum of rewards or a log: then it may be
// stored in time as well, and what was stored before is the reward that an agent sees with the state.
func kept(p *pass.Pass, f *infer.Frame, loop ast.Stmt, step *ast.Call, name string) bool {
	var allowed []ast.Node
	for _, n := range f.Nodes() {
		switch n := n.(type) {
		case *ast.AugAssign:
			if _, sum := n.Target.(*ast.Name); sum {
				allowed = append(allowed, n)
			}
		case *ast.Call:
			if query.Loggers[query.CalleeName(n)] {
				allowed = append(allowed, n)
			}
		case *ast.Assign:
			if query.Binds(n, name) { // a new start
				allowed = append(allowed, n)
			}
		}
	}
	return slices.ContainsFunc(query.Mentions(f, name), func(x *ast.Name) bool {
		behind := loop.Span().Covers(x.Span()) && x.Span().Start > step.Span().End
		return behind && !slices.ContainsFunc(allowed, func(n ast.Node) bool { return n.Span().Covers(x.Span()) })
	})
}

// stores reports whether a call puts its arguments away: an append or a method of which the result is not used tells.
func stores(call *ast.Call) bool {
	_, ok := call.Fun.(*ast.Attribute)
	return ok && !query.Loggers[query.CalleeName(call)]
}

// argument returns the argument of a call that is a variable, or the element of a tuple that is one.
func argument(call *ast.Call, name string) ast.Expr {
	var found ast.Expr
	for _, e := range query.Operands(call) {
		if t, ok := e.(*ast.Tuple); ok {
			for _, x := range t.Elts {
				if id, ok := x.(*ast.Name); ok && id.Ident == name {
					found = id
				}
			}
		}
		if id, ok := e.(*ast.Name); ok && id.Ident == name {
			found = id
		}
	}
	return found
}
