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
	if rebound(p, f, loop, reward, st) || kept(p, f, loop, call, reward) || storedBehind(f, loop, reward, action) {
		return
	}
	dropped := map[ast.Expr]bool{}
	query.OwnStmts(f, func(st ast.Stmt) {
		if x, ok := st.(*ast.ExprStmt); ok {
			dropped[x.X] = true
		}
	})
	for store := range query.In[*ast.Call](f) {
		if !loop.Span().Covers(store.Span()) || store.Span().End > st.Span().Start || ledHere(f, loop, st, store) {
			continue
		}
		depth := 0 // a call whose result is used may ask for something, as of a policy that sees the last reward
		if dropped[store] {
			depth = maxNested
		}
		arg := argument(store, reward, depth)
		if arg == nil || argument(store, action, depth) == nil || !chosen(p, f, loop, store, action) {
			continue
		}
		if (storing{p.Graph.Writers()}).stores(query.Place{Frame: f, Node: store}, []string{reward}, []string{action}, maxHanded) {
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

// ledHere reports whether the call stores what else the last step brought, and one state alone: then a row is meant to begin with what led to
// its state.
func ledHere(f *infer.Frame, loop ast.Stmt, step *ast.Assign, store *ast.Call) bool {
	parts := step.Targets[0].(*ast.Tuple).Elts
	flagged := slices.ContainsFunc(parts[2:], func(e ast.Expr) bool { return mentioned(store, query.Path(e)) })
	next := query.Path(parts[0])
	if !flagged || !mentioned(store, next) {
		return flagged
	}
	return !slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool {
		as, ok := n.(*ast.Assign)
		return ok && loop.Span().Covers(as.Span()) && len(as.Targets) == 1 && query.Path(as.Value) == next && mentioned(store, query.Path(as.Targets[0]))
	})
}

// mentioned reports whether a call reads a variable or field.
func mentioned(call *ast.Call, path string) bool { return path != "" && query.Reads(call, path) }

// storedBehind reports whether the reward of the last step is stored behind the loop, with the action: then each row is meant to have the
// reward that led to its observation.
func storedBehind(f *infer.Frame, loop ast.Stmt, reward, action string) bool {
	outer := len(query.Around(query.Place{Frame: f, Node: loop}))
	for call := range query.In[*ast.Call](f) {
		if call.Span().Start > loop.Span().End && argument(call, reward, 0) != nil && argument(call, action, 0) != nil && len(query.Around(query.Place{Frame: f, Node: call})) <= outer {
			return true
		}
	}
	return false
}

// maxNested bounds the displays and calls around a part of a row, as in append(Step(obs, action, reward)).
const maxNested = 3

// argument returns the argument of a call that is a variable, or the part of a tuple, list, dict or record among the arguments that is one.
func argument(call *ast.Call, name string, depth int) ast.Expr {
	return partNamed(query.Operands(call), name, depth)
}

// partNamed looks through tuples; through lists, dicts and calls to some depth.
func partNamed(parts []ast.Expr, name string, depth int) ast.Expr {
	var found ast.Expr
	for _, e := range parts {
		switch e := e.(type) {
		case *ast.Name:
			if e.Ident == name {
				found = e
			}
		case *ast.Starred:
			if id, ok := e.X.(*ast.Name); ok && id.Ident == name {
				found = id
			}
		case *ast.Tuple:
			for _, x := range e.Elts {
				if id, ok := x.(*ast.Name); ok && id.Ident == name {
					found = id
				}
			}
		}
		if depth == 0 || found != nil {
			continue
		}
		switch e := e.(type) {
		case *ast.Tuple:
			found = partNamed(e.Elts, name, depth-1)
		case *ast.List:
			found = partNamed(e.Elts, name, depth-1)
		case *ast.Dict:
			found = partNamed(e.Values, name, depth-1)
		case *ast.Call:
			found = partNamed(query.Operands(e), name, depth-1)
		}
	}
	return found
}
