// Package evaluatedintrainingenv is rule ENV030, evaluated-in-training-env; rule.md says what it finds.
package evaluatedintrainingenv

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports steps that go on after another function has reset the environment and played in it.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	steps, resets := p.Roles.EnvCalls()
	for _, step := range steps {
		loops := query.Around(step.Place())
		if len(loops) == 0 || p.In(step.Frame) == nil {
			continue
		}
		round := round{step, loops[len(loops)-1], resets}
		for _, c := range resets {
			if call := visit(c, step, steps); call != nil && round.leavesStale(call) {
				p.Report(pass.Finding{
					At: step.Node, Frame: step.Frame, Evidence: domain.Derived,
					Related: []pass.Related{{Source: p.In(step.Frame), Node: call, Message: "this resets the same environment and plays in it"}},
				})
				break
			}
		}
	}
}

// visit is the call in the frame of a step by which the program comes to a reset of the same environment, where a
// function resets it and steps it; nil where it does not.
func visit(reset, step roles.EnvCall, steps []roles.EnvCall) ast.Node {
	if reset.Frame == step.Frame || !stepsIt(reset, steps) || slices.ContainsFunc(reset.Frame.Body(), restorer(reset).restores) {
		return nil
	}
	f, env := reset.Frame, reset.Env
	for range 4 {
		if f.Caller == nil || f.Call == nil || env == "" {
			break
		}
		env = calledAs(f, env)
		if f.Caller == step.Frame {
			if env != step.Env {
				break
			}
			return f.Call.Node
		}
		f = f.Caller
	}
	return nil
}

// calledAs is what the caller calls a variable or attribute of a function's body: two environments of one factory have
// one value, so they are told apart by where they are kept. It is "" where the caller has no name for it.
func calledAs(f *infer.Frame, path string) string {
	call, ok := f.Call.Node.(*ast.Call)
	if !ok || f.Func == nil || f.Func.Def == nil {
		return ""
	}
	base, rest := path, ""
	if i := strings.IndexByte(path, '.'); i >= 0 {
		base, rest = path[:i], path[i:]
	}
	params := f.Func.Def.Params.List
	i := slices.IndexFunc(params, func(q *ast.Param) bool { return q.Name == base })
	if i < 0 {
		if binds(f, base) || shadows(f, base) {
			return ""
		}
		return path // of the function or module around
	}
	if f.Func.Self != nil {
		if i--; i < 0 {
			at, ok := call.Fun.(*ast.Attribute)
			if !ok || query.Path(at.X) == "" {
				return ""
			}
			return query.Path(at.X) + rest
		}
	}
	for _, k := range call.Keywords {
		if k.Name == base && query.Path(k.Value) != "" {
			return query.Path(k.Value) + rest
		}
	}
	if i >= len(call.Args) || query.Path(call.Args[i]) == "" {
		return ""
	}
	return query.Path(call.Args[i]) + rest
}

// shadows reports whether a caller has a variable of its own under a name that a function reads from elsewhere: a function that is not
// defined within the caller does not see it.
func shadows(f *infer.Frame, name string) bool {
	around := f.Caller.Func
	if around == nil || around.Def == nil {
		return f.Caller.Module != f.Module
	}
	return !around.Def.Span().Covers(f.Func.Def.Span()) && (binds(f.Caller, name) || slices.ContainsFunc(around.Def.Params.List, func(q *ast.Param) bool { return q.Name == name }))
}

// binds reports whether a variable is a function's own.
func binds(f *infer.Frame, name string) bool {
	own := false
	query.Targets(f.Body(), func(t ast.Expr, _ ast.Stmt) { own = own || query.Path(t) == name })
	return own
}

// stepsIt reports whether the function of a reset steps the environment too.
func stepsIt(reset roles.EnvCall, steps []roles.EnvCall) bool {
	for _, s := range steps {
		if s.Frame == reset.Frame && s.Env == reset.Env {
			return true
		}
	}
	return false
}

// round is a loop in which every round steps the environment.
type round struct {
	step roles.EnvCall
	loop query.Loop
	all  []roles.EnvCall // the resets of the program
}

// leavesStale reports whether the round goes on after a call without a reset of its own, with the observation that it had before.
func (r round) leavesStale(call ast.Node) bool {
	loops := query.Around(query.Place{Frame: r.step.Frame, Node: call})
	if len(loops) == 0 || loops[len(loops)-1].Stmt != r.loop.Stmt {
		return false // between episodes, or a loop of its own
	}
	body := ast.Blocks(r.loop.Stmt)[0]
	return !slices.ContainsFunc(body, r.resets) && r.goesOn(body, call)
}

// goesOn follows the statements behind a call, in the block that it stands in and in the blocks around that.
func (r round) goesOn(block []ast.Stmt, call ast.Node) bool {
	for i, st := range block {
		if !st.Span().Covers(call.Span()) {
			continue
		}
		for _, inner := range ast.Blocks(st) {
			if !r.goesOn(inner, call) {
				return false
			}
		}
		if as, ok := st.(*ast.Assign); ok && r.takesObservation(as) {
			return false
		}
		return !slices.ContainsFunc(block[i+1:], func(next ast.Stmt) bool { return r.renews(next, st) })
	}
	return true
}

// renews reports whether a statement ends the round or begins an episode, if only under the condition of the one before.
func (r round) renews(st, before ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.Break, *ast.Return, *ast.Raise:
		return true
	case *ast.Assign:
		return r.resets(st) || r.asksForReset(st) || restorer(r.step).restores(st)
	case *ast.ExprStmt:
		return r.resets(st) || restorer(r.step).restores(st)
	case *ast.If:
		first, ok := before.(*ast.If)
		return ok && shares(first.Cond, st.Cond) && slices.ContainsFunc(st.Then, func(x ast.Stmt) bool { return r.renews(x, x) })
	}
	return r.resets(st)
}

// restorer looks for what puts an environment back where it was, in the function of a call of it.
type restorer roles.EnvCall

// restores reports whether a statement, or one within it, writes into the environment what the function has kept of it before:
// env.set_state(saved), env.__dict__.update(saved), env.pos = saved.
func (r restorer) restores(st ast.Stmt) bool {
	if r.Env == "" {
		return false
	}
	found := false
	ast.Walk(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			at, ok := n.Fun.(*ast.Attribute)
			found = found || ok && r.isOfEnv(at.X) && slices.ContainsFunc(n.Args, r.isSaved)
		case *ast.Assign:
			found = found || slices.ContainsFunc(n.Targets, r.isOfEnv) && r.isSaved(n.Value)
		}
		return !found
	})
	return found
}

// isOfEnv reports whether an expression is the environment, or a part of it.
func (r restorer) isOfEnv(e ast.Expr) bool {
	path := query.Path(e)
	return path == r.Env || strings.HasPrefix(path, r.Env+".")
}

// isSaved reports whether an expression reads a variable that was assigned what the environment held, and not what a step or a
// reset of it returned.
func (r restorer) isSaved(e ast.Expr) bool {
	saved := false
	query.OwnStmts(r.Frame, func(st ast.Stmt) {
		as, ok := st.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			return
		}
		name, ok := as.Targets[0].(*ast.Name)
		saved = saved || ok && query.Reads(e, name.Ident) && r.keeps(as.Value)
	})
	return saved
}

// keeps reports whether an expression takes the state of the environment.
func (r restorer) keeps(e ast.Expr) bool {
	of, plays := false, false
	ast.Walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			of, plays = of || r.isOfEnv(n.X), plays || n.Attr == "step" || n.Attr == "reset"
		case *ast.Name:
			of = of || n.Ident == r.Env
		}
		return true
	})
	return of && !plays
}

// asksForReset reports whether an assignment of a constant makes the next round reset the environment: obs = None, where the
// round begins with `if obs is None: obs = env.reset()`.
func (r round) asksForReset(as *ast.Assign) bool {
	name, ok := as.Targets[0].(*ast.Name)
	if _, constant := as.Value.(*ast.Constant); !ok || !constant {
		return false
	}
	return slices.ContainsFunc(ast.Blocks(r.loop.Stmt)[0], func(st ast.Stmt) bool {
		asked, ok := st.(*ast.If)
		return ok && query.Reads(asked.Cond, name.Ident) && slices.ContainsFunc(r.all, func(c roles.EnvCall) bool {
			return c.Frame == r.step.Frame && c.Env == r.step.Env && asked.Span().Covers(c.Node.Span())
		})
	})
}

// resets reports whether a statement is a reset of the environment.
func (r round) resets(st ast.Stmt) bool {
	return slices.ContainsFunc(r.all, func(c roles.EnvCall) bool {
		return c.Frame == r.step.Frame && c.Env == r.step.Env && c.Stmt == st
	})
}

// shares reports whether two conditions read the same variable.
func shares(a, b ast.Expr) bool {
	found := false
	ast.Walk(a, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok {
			found = found || query.Reads(b, x.Ident)
		}
		return !found
	})
	return found
}

// takesObservation reports whether what a call returns replaces the observation of the round, or its environment.
func (r round) takesObservation(as *ast.Assign) bool {
	own := []string{r.step.Env}
	for _, c := range append(slices.Clone(r.all), r.step) {
		if c.Frame == r.step.Frame && c.Env == r.step.Env && len(c.Into) > 0 {
			own = append(own, query.Path(c.Into[0]))
		}
	}
	takes := false
	query.Targets([]ast.Stmt{as}, func(t ast.Expr, _ ast.Stmt) { takes = takes || slices.Contains(own, query.Path(t)) })
	return takes
}
