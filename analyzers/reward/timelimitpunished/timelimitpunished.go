// Package timelimitpunished is rule RWD012, time-limit-punished; rule.md says what it finds.
package timelimitpunished

import (
	_ "embed"
	"slices"

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

// Analyzer reports penalties for the end of an episode that the limit of time brings on too.
var Analyzer = pass.Rule(Doc, run)

// maxSteps bounds the steps that one body takes.
const maxSteps = 4

// What a loop assigns and reads is a question of Python's variables, so their names are compared.
func run(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	perBody := map[*infer.Frame]int{}
	for _, c := range steps {
		perBody[c.Frame]++
	}
	limit, asked := int64(0), false
	for _, c := range steps {
		if perBody[c.Frame] > maxSteps || !c.Unpacked || len(c.Into) < 4 || p.In(c.Frame) == nil || c.Val == nil || !c.Val.IsOp("gymnasium.Env.step", "gym.Env.step") {
			continue
		}
		pay, ok := c.Into[1].(*ast.Name)
		if !ok {
			continue
		}
		e := &ending{p: p, c: c, pay: pay.Ident}
		if !e.flags() {
			continue
		}
		cond := e.penalty()
		if cond == nil || !e.learned(cond) {
			continue
		}
		if !asked {
			limit, asked = limitOf(p), true
		}
		if limit == 0 || e.endsSooner(limit) {
			continue
		}
		help := "" // gym has one flag, gymnasium two
		if len(c.Into) == 4 {
			help = "punish only `if done and not info.get(\"TimeLimit.truncated\", False)`"
		}
		p.Report(pass.Finding{At: cond, Frame: c.Frame, Evidence: domain.Derived, Help: help})
	}
}

// limitOf is the most steps after which the tasks that the program names are cut off; 0 where it names another task, or may lift the limit.
func limitOf(p *pass.Pass) (limit int64) {
	for _, name := range []string{"unwrapped", "_max_episode_steps", "max_episode_steps", "TimeLimit", "TimeLimit.truncated"} {
		if len(p.MentionsOf(name)) > 0 {
			return 0
		}
	}
	for _, task := range p.Tasks() {
		n, ok := query.Surviving(task)
		if !ok {
			return 0
		}
		limit = max(limit, n)
	}
	return limit
}

// ending is a step of an environment, and what its body makes of the end of an episode.
type ending struct {
	p   *pass.Pass
	c   roles.EnvCall
	pay string
	// done are the variables that are true where an episode ends for any reason; ended and cut the flags of gymnasium.
	done       []string
	ended, cut string
}

// flags reads what the step is unpacked into; ok is false where a flag is changed afterwards.
func (e *ending) flags() (ok bool) {
	name := func(i int) string { return query.Path(e.c.Into[i]) }
	if len(e.c.Into) == 4 {
		e.done = []string{name(2)}
	} else {
		e.ended, e.cut = name(2), name(3)
	}
	ok = true
	query.OwnStmts(e.c.Frame, func(st ast.Stmt) {
		as, isAssign := st.(*ast.Assign)
		if st == e.c.Stmt || !ok {
			return
		}
		if isAssign && len(as.Targets) == 1 && query.Path(as.Targets[0]) != "" && e.over(as.Value) {
			e.done = append(e.done, query.Path(as.Targets[0]))
			return
		}
		if st.Span().Start < e.c.Node.Loc.Start {
			return // as done = False before the loop
		}
		query.Targets([]ast.Stmt{st}, func(t ast.Expr, by ast.Stmt) {
			path := query.Path(t)
			ok = ok && (by != st || path == "" || path != e.ended && path != e.cut && !slices.Contains(e.done, path))
		})
	})
	return ok
}

// over reports whether an expression is true where an episode ends for any reason.
func (e *ending) over(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Name:
		return slices.Contains(e.done, x.Ident)
	case *ast.BoolOp:
		return x.Or && len(x.Values) == 2 && e.either(x.Values[0], x.Values[1])
	case *ast.BinOp:
		return x.Op == ast.BitOr && e.either(x.X, x.Y)
	case *ast.Compare:
		if len(x.Ops) == 1 && (x.Ops[0] == ast.Eq || x.Ops[0] == ast.Is) {
			c, ok := x.Ys[0].(*ast.Constant)
			return ok && c.Kind == ast.True && e.over(x.X)
		}
	case *ast.Call:
		return len(x.Args) == 1 && (query.CalleeName(x) == "bool" || query.CalleeName(x) == "int" || query.CalleeName(x) == "float") && e.over(x.Args[0])
	}
	return false
}

func (e *ending) either(a, b ast.Expr) bool {
	x, y := query.Path(a), query.Path(b)
	return e.ended != "" && e.cut != "" && (x == e.ended && y == e.cut || x == e.cut && y == e.ended)
}

// goesOn reports whether an expression is true where an episode does not end.
func (e *ending) goesOn(x ast.Expr) bool {
	n, ok := x.(*ast.UnaryOp)
	return ok && n.Op == ast.Not && e.over(n.X)
}

// penalty is the condition under which the reward is replaced by a penalty, or one is taken off it, behind the step; nil where there is none,
// or something else is set as well.
func (e *ending) penalty() ast.Expr {
	cond, others := e.penaltyIn(e.behind(), nil)
	if cond == nil { // where it is handed on
		cond = e.inline()
	}
	if others > 0 {
		return nil
	}
	return cond
}

// penaltyIn is the condition of the penalty in some statements that run under a condition, and how many others set the reward.
func (e *ending) penaltyIn(body []ast.Stmt, under ast.Expr) (cond ast.Expr, others int) {
	for _, st := range body {
		switch st := st.(type) {
		case *ast.Assign:
			if st == e.c.Stmt || len(st.Targets) != 1 || query.Path(st.Targets[0]) != e.pay {
				continue
			}
			switch at := e.punishes(st.Value, under); {
			case at != nil:
				cond = at
			case !query.Reads(st.Value, e.pay) || under != nil:
				others++
			}
		case *ast.AugAssign:
			if query.Path(st.Target) != e.pay {
				continue
			}
			switch at := e.takesOff(st.Op, st.Value, under); {
			case at != nil:
				cond = at
			case under != nil:
				others++
			}
		case *ast.If:
			if e.over(st.Cond) && under == nil {
				inner, n := e.penaltyIn(st.Then, st.Cond)
				others += n
				if inner != nil {
					cond = inner
				}
			} else if query.Reads(st, e.pay) || slices.ContainsFunc(append(slices.Clone(st.Then), st.Else...), func(x ast.Stmt) bool { return query.Binds(x, e.pay) }) {
				others += e.sets(st)
			}
			if e.over(st.Cond) || e.goesOn(st.Cond) {
				others += e.setsIn(st.Else)
			}
		default:
			others += e.sets(st)
		}
	}
	return cond, others
}

// sets counts the assignments to the reward in a statement.
func (e *ending) sets(st ast.Stmt) int { return e.setsIn([]ast.Stmt{st}) }

func (e *ending) setsIn(body []ast.Stmt) (n int) {
	query.Targets(body, func(t ast.Expr, by ast.Stmt) {
		if query.Path(t) == e.pay && by != e.c.Stmt {
			n++
		}
	})
	return n
}

// behind are the statements of the innermost body around the step that follow it.
func (e *ending) behind() []ast.Stmt {
	body := e.c.Frame.Body()
	if loops := query.Around(e.c.Place()); len(loops) > 0 {
		body = loops[len(loops)-1].Body()
	}
	for i, st := range body {
		if st == e.c.Stmt {
			return body[i+1:]
		}
	}
	return nil
}

// punishes returns the condition under which a value in place of the reward is a penalty: that around it, or its own.
func (e *ending) punishes(value, under ast.Expr) ast.Expr {
	if under != nil {
		if sum, ok := value.(*ast.BinOp); ok && query.Path(sum.X) == e.pay {
			return e.takesOff(sum.Op, sum.Y, under)
		}
		if e.negative(value) {
			return under
		}
		return nil
	}
	switch value := value.(type) {
	case *ast.IfExp:
		switch {
		case e.over(value.Cond) && e.negative(value.Then) && query.Path(value.Else) == e.pay:
			return value.Cond
		case e.goesOn(value.Cond) && e.negative(value.Else) && query.Path(value.Then) == e.pay:
			return value.Cond.(*ast.UnaryOp).X
		}
	case *ast.BinOp:
		if query.Path(value.X) == e.pay {
			return e.takesOff(value.Op, value.Y, nil)
		}
	}
	return nil
}

// takesOff returns the condition under which an amount that is added to the reward, or taken off it, is a penalty.
func (e *ending) takesOff(op ast.Operator, amount, under ast.Expr) ast.Expr {
	if under == nil { // penalty * done
		product, ok := amount.(*ast.BinOp)
		if !ok || product.Op != ast.Mult {
			return nil
		}
		switch {
		case e.over(product.X):
			under, amount = product.X, product.Y
		case e.over(product.Y):
			under, amount = product.Y, product.X
		default:
			return nil
		}
	}
	x, ok := e.c.Frame.Val(amount).Float()
	if ok && (op == ast.Sub && x > 0 || op == ast.Add && x < 0) {
		return under
	}
	return nil
}

// negative reports whether an expression is a number below 0.
func (e *ending) negative(x ast.Expr) bool {
	n, ok := e.c.Frame.Val(x).Float()
	return ok && n < 0
}

// inline is the condition of a penalty that is written where the reward is handed on.
func (e *ending) inline() ast.Expr {
	for call := range query.In[*ast.Call](e.c.Frame) {
		for _, a := range call.Args {
			if x, ok := a.(*ast.IfExp); ok && call.Loc.Start > e.c.Node.Loc.Start {
				if at := e.punishes(x, nil); at != nil {
					return at
				}
			}
		}
	}
	return nil
}

// shows are calls that train on nothing.
var shows = query.Words(`print len str repr isinstance type format float int`)

// learned reports whether the changed reward is kept or handed on behind a place: given to a call, or returned.
func (e *ending) learned(after ast.Expr) bool {
	if !e.p.Trains(e.c.Frame) {
		return false
	}
	for call := range query.In[*ast.Call](e.c.Frame) {
		name := query.CalleeName(call)
		if call.Span().Covers(after.Span()) {
			return true
		}
		if call.Loc.Start < after.Span().Start || shows[name] || query.Loggers[name] {
			continue
		}
		if slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return query.Reads(a, e.pay) }) ||
			slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return query.Reads(k.Value, e.pay) }) {
			return true
		}
	}
	found := false
	query.OwnStmts(e.c.Frame, func(st ast.Stmt) {
		ret, ok := st.(*ast.Return)
		found = found || ok && ret.X != nil && st.Span().Start > after.Span().Start && query.Reads(ret.X, e.pay)
	})
	return found
}

// endsSooner reports whether the program may begin another episode before the limit of time comes: the loop around the step is one episode
// and counts its rounds, or is left for another reason than the end; or it resets the environment for another reason.
func (e *ending) endsSooner(limit int64) bool {
	loops := query.Around(e.c.Place())
	if len(loops) == 0 {
		return false
	}
	l := loops[len(loops)-1]
	if inside, always := e.resets(loops[0].Body()); inside && always { // in all loops: the n steps of a rollout may go on in the next round
		return false
	}
	if inside, always := e.resets(l.Body()); inside && !always {
		return true
	}
	switch st := l.Stmt.(type) {
	case *ast.While: // while not done and t < 200
		counts := false
		ast.Walk(st.Cond, func(n ast.Node) bool {
			_, compares := n.(*ast.Compare)
			counts = counts || compares
			return !counts
		})
		return counts && !e.over(st.Cond) || e.leaves(l)
	case *ast.For:
		if query.CalleeName(st.Iter) == "count" { // of itertools
			return e.leaves(l)
		}
	}
	n, _, ok := l.Rounds()
	return !ok || n < limit || e.leaves(l)
}

// resets reports whether a loop resets the environment in its own body, and whether it does so only where an episode ended.
func (e *ending) resets(body []ast.Stmt) (inside, always bool) {
	always = true
	is := func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		return ok && query.Path(call.Fun) == e.c.Env+".reset"
	}
	var visit func(n ast.Node, under bool)
	visit = func(n ast.Node, under bool) {
		ast.Walk(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.If:
				if e.over(x.Cond) {
					for _, st := range x.Then {
						visit(st, true)
					}
					for _, st := range x.Else {
						visit(st, under)
					}
					return false
				}
			case *ast.IfExp:
				if e.over(x.Cond) {
					visit(x.Then, true)
					visit(x.Else, under)
					return false
				}
			}
			if is(x) {
				inside, always = true, always && under
			}
			return true
		})
	}
	for _, st := range body {
		visit(st, false)
	}
	return inside, always
}

// leaves reports whether a loop has a break of its own that stands under another condition than the end of the episode.
func (e *ending) leaves(l query.Loop) bool { return e.breaks(l.Body(), false) }

// breaks reports the same of statements that run under the end of the episode, or not.
func (e *ending) breaks(body []ast.Stmt, under bool) (found bool) {
	ast.InspectStmts(body, func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.For, *ast.While, *ast.FunctionDef, *ast.ClassDef:
			return false
		case *ast.If:
			if !under && e.over(st.Cond) {
				found = found || e.breaks(st.Then, true) || e.breaks(st.Else, false)
				return false
			}
		case *ast.Break:
			found = found || !under
		}
		return true
	})
	return found
}
