// Package deterministicflaginverted is rule DIST013, deterministic-flag-inverted;
// rule.md says what it finds.
package deterministicflaginverted

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports functions with a parameter "deterministic" that sample the action
// when it is set, or whether it is set or not.
var Analyzer = pass.Rule(Doc, run)

// A parameter's name is part of a function's interface: callers write it. These
// names say what the action has to be, as an annotation does.
var names = []string{"deterministic", "is_deterministic", "greedy"}

func run(p *pass.Pass) {
	ignored(p)
	ast.InspectStmts(p.Source.AST.Body, func(st ast.Stmt) bool {
		fn, ok := st.(*ast.FunctionDef)
		if !ok {
			return true
		}
		for _, q := range fn.Params.List {
			if slices.Contains(names, q.Name) {
				c := &checker{p: p, fn: fn, flag: q, frames: framesOf(p, fn)}
				c.check()
			}
		}
		return true
	})
}

// framesOf returns the evaluations of a function of the module.
func framesOf(p *pass.Pass, fn *ast.FunctionDef) []*infer.Frame {
	var out []*infer.Frame
	for f := range p.EachFrame {
		if f.Func != nil && f.Func.Def == fn {
			out = append(out, f)
		}
	}
	return out
}

// checker checks one function and its flag.
type checker struct {
	p      *pass.Pass
	fn     *ast.FunctionDef
	flag   *ast.Param
	frames []*infer.Frame
}

func (c *checker) check() {
	if !isRead(c.fn, c.flag.Name) {
		c.unused()
		return
	}
	ast.WalkStmts(c.fn.Body, func(n ast.Node) bool {
		if e, ok := n.(*ast.IfExp); ok {
			c.choice(e.Cond, []ast.Node{e.Then}, []ast.Node{e.Else})
		}
		return true
	})
	c.statements(c.fn.Body)
}

// statements checks the if statements of a list, each with the branch that follows if
// it leaves the function.
func (c *checker) statements(body []ast.Stmt) {
	for i, st := range body {
		if s, ok := st.(*ast.If); ok {
			other := s.Else
			if len(other) == 0 && leaves(s.Then) {
				other = body[i+1:]
			}
			c.choice(s.Cond, nodes(s.Then), nodes(other))
		}
		for _, b := range ast.Blocks(st) {
			c.statements(b)
		}
	}
}

// choice compares what is done when the flag is set with what is done otherwise.
func (c *checker) choice(cond ast.Expr, set, unset []ast.Node) {
	sense, ok := c.sense(cond)
	if !ok {
		return
	}
	if !sense {
		set, unset = unset, set
	}
	draw := drawIn(set)
	if draw == nil || c.centreIn(set, draw) || drawIn(unset) != nil || !c.centreIn(unset, draw) {
		return
	}
	c.p.Report(pass.Finding{
		At: cond, Evidence: domain.Annotated,
		Related: c.drawn(draw),
		Fix:     c.negate(cond),
	})
}

// unused reports a flag that is never read by a function that draws.
func (c *checker) unused() {
	body := nodes(c.fn.Body)
	draw := drawIn(body)
	if draw == nil || !c.isDistribution(receiver(draw)) || c.centreIn(body, draw) || c.blind(draw) || c.prescribed() {
		return
	}
	c.p.Report(pass.Finding{
		At: c.flag, Evidence: domain.Annotated,
		Message: "deterministic flag never read",
		Why:     "evaluation samples its actions, so it measures a noisier policy than the one it reports",
		Help:    "return the mode of the distribution when the flag is set",
		Related: c.drawn(draw),
	})
}

// prescribed reports whether a method has the flag because a method of a base class has, or may have, and no call that is seen sets it:
// who explores for a buffer, or plays an opponent, may have no use for it.
func (c *checker) prescribed() bool {
	flag := slices.Index(c.fn.Params.List, c.flag)
	overrides := false
	for _, f := range c.frames {
		if f.Func != nil && f.Func.Class != nil {
			overrides = overrides || roles.IsForeign(f.Func.Class) ||
				slices.ContainsFunc(f.Func.Class.Bases, func(b *infer.ClassRef) bool { return b.Lookup(c.fn.Name) != nil })
		}
		for site := range f.Sites {
			if flag >= len(site.Args) {
				continue
			}
			if set, known := roles.Truth(site.Args[flag]); set || !known {
				return false
			}
		}
	}
	return overrides
}

// blind reports whether the object that is drawn from is made of nothing that the function is given: who acts at random whatever it sees, as
// a baseline does, has no better action.
func (c *checker) blind(draw *ast.Call) bool {
	for _, f := range c.frames {
		if v := f.Val(receiver(draw)); v == nil || dependsOnGiven(f, v) {
			return false
		}
	}
	return len(c.frames) > 0
}

// dependsOnGiven reports whether a value was made of an argument of the function, its object and constants aside.
func dependsOnGiven(f *infer.Frame, v *infer.Val) bool {
	given := f.Params
	if f.Func != nil && f.Func.Class != nil && len(given) > 0 {
		given = given[1:]
	}
	return slices.ContainsFunc(given, func(q *infer.Val) bool { return q != nil && q.Const == nil && infer.Reaches(q, v, drawReach) })
}

func (c *checker) drawn(draw *ast.Call) []pass.Related {
	return []pass.Related{{Source: c.p.Source, Node: draw, Message: "the action is drawn here"}}
}
