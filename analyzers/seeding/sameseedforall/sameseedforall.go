// Package sameseedforall is rule SEED002, same-seed-for-all; rule.md says what it finds.
package sameseedforall

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

// Analyzer reports environments that are made in a loop with one seed for all.
var Analyzer = pass.Rule(Doc, run)

// above bounds the calls between the loop and the place where the seed is used.
const above = 8

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if seed := seedOf(f, call); seed != nil {
			check(p, query.Place{Frame: f, Node: call}, f.Val(seed))
		}
	}
}

// seedOf is the seed that an environment gets: for a generator of its own, or by the methods of the protocol.
func seedOf(f *infer.Frame, call *ast.Call) ast.Expr {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return nil
	}
	if roles.InEnvClass(f) {
		return query.MakesGenerator(f, call)
	}
	env := f.Val(at.X)
	if at.Attr != "seed" && at.Attr != "reset" || !isEnv(env) || env.Frame != f || env.Op == infer.OpParam {
		return nil // one that was made elsewhere may be seeded again and again, as for evaluations
	}
	for _, k := range call.Keywords {
		if k.Name == "seed" {
			return k.Value
		}
	}
	if at.Attr == "seed" && len(call.Args) == 1 {
		return call.Args[0]
	}
	return nil
}

func isEnv(v *infer.Val) bool {
	if r, ok := infer.RefOf(v).(*infer.Instance); ok {
		return roles.IsEnvClass(r.Class)
	}
	return v != nil && v.Is(domain.Env)
}

// check goes up the calls that lead to the place until a loop makes several of what is seeded there, and reports the last call
// that passes the seed.
func check(p *pass.Pass, at query.Place, seed *infer.Val) {
	if seed == nil || seed.IsNone() {
		return
	}
	passed, called, inside := at, (*infer.FuncRef)(nil), false
	for range above {
		if !at.Known() {
			return
		}
		if c, ok := query.CollectedAt(at); ok {
			if made := definition(called); made.Known() && callsEach(at.Node, c) {
				at, called, inside = made, nil, true
				continue
			}
			if !c.Varies(seed) && several(c) && (c.Counts() || !mentions(at.Node, c)) && p.In(passed.Frame) != nil {
				p.Report(pass.Finding{
					At: passed.Node, Frame: passed.Frame, Evidence: domain.Derived,
					Related: p.There(query.Place{Frame: c.Frame, Node: c.Node}, "each of these gets the same seed"),
				})
			}
			return
		}
		called = at.Frame.Func
		at = query.Above(at)
		if at.Known() && !inside && passes(at, seed) { // the function that makes one holds its seed
			passed = at
		}
	}
}

// definition is where a function was made that remembers what was around it: a lambda, or a function within another one.
func definition(f *infer.FuncRef) query.Place {
	at := query.DefinedAt(f)
	if at.Known() && f.Lambda == nil && at.Frame.Func == nil {
		return query.Place{}
	}
	return at
}

// callsEach reports whether a loop calls its own variable, a function that makes an environment: [make() for make in makers]. What they make
// differs by where the functions come from.
func callsEach(n ast.Node, c query.Collector) bool {
	call, ok := n.(*ast.Call)
	if !ok {
		return false
	}
	name, ok := call.Fun.(*ast.Name)
	return ok && slices.ContainsFunc(c.Targets, func(t ast.Expr) bool {
		target, ok := t.(*ast.Name)
		return ok && target.Ident == name.Ident
	})
}

func passes(at query.Place, seed *infer.Val) bool {
	call, ok := at.Node.(*ast.Call)
	if !ok {
		return false
	}
	for _, a := range call.Args {
		if at.Frame.Val(a) == seed {
			return true
		}
	}
	for _, k := range call.Keywords {
		if at.Frame.Val(k.Value) == seed {
			return true
		}
	}
	return false
}

// mentions reports whether a call takes a variable of the loop: its values are not followed one by one.
func mentions(n ast.Node, c query.Collector) bool {
	for _, t := range c.Targets {
		found := false
		ast.Walk(t, func(x ast.Node) bool {
			name, ok := x.(*ast.Name)
			found = found || ok && query.Reads(n, name.Ident)
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// several is false for a loop that is known to run once.
func several(c query.Collector) bool {
	for _, iter := range c.Iters {
		call, ok := iter.(*ast.Call)
		if ok && query.CalleeName(call) == "range" && len(call.Args) == 1 {
			if v := c.Frame.Val(call.Args[0]); v != nil && v.Op == infer.OpConst {
				if n, ok := v.Int(); ok && n <= 1 {
					return false
				}
			}
		}
	}
	return true
}
