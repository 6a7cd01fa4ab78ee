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
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports functions with a parameter "deterministic" that draw where it is
// set, or whether it is set or not.
var Analyzer = pass.Rule(Doc, run)

// A parameter's name is part of a function's interface: callers write it. These
// names say what the action has to be, as an annotation does.
var names = []string{"deterministic", "is_deterministic", "greedy"}

func run(p *pass.Pass) {
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

// checker looks at one function and its flag.
type checker struct {
	p      *pass.Pass
	fn     *ast.FunctionDef
	flag   *ast.Param
	frames []*infer.Frame
}

func (c *checker) check() {
	read := false
	ast.WalkStmts(c.fn.Body, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Ident == c.flag.Name {
			read = true
		}
		return true
	})
	if !read {
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

// statements looks at the if statements of a list, and what follows those that leave.
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

func nodes(body []ast.Stmt) []ast.Node {
	var out []ast.Node
	for _, st := range body {
		out = append(out, st)
	}
	return out
}

// leaves reports whether a block ends by leaving the function. One that was not
// understood is empty.
func leaves(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *ast.Return, *ast.Raise:
		return true
	}
	return false
}

// choice compares what is done where the flag is set with what is done where not.
func (c *checker) choice(cond ast.Expr, set, unset []ast.Node) {
	sense, ok := c.sense(cond)
	if !ok {
		return
	}
	if !sense {
		set, unset = unset, set
	}
	draw := drawIn(set)
	if draw == nil || c.modeIn(set, draw) || drawIn(unset) != nil || !c.modeIn(unset, draw) {
		return
	}
	c.p.Report(pass.Finding{
		At: cond, Evidence: domain.Annotated,
		Related: []pass.Related{{Source: c.p.Source, Node: draw, Message: "the action is drawn here"}},
		Fix:     c.negate(cond),
	})
}

// sense reports whether a condition is the flag (true) or its negation.
func (c *checker) sense(cond ast.Expr) (set, ok bool) {
	switch e := cond.(type) {
	case *ast.Name:
		return true, e.Ident == c.flag.Name
	case *ast.UnaryOp:
		if e.Op == ast.Not {
			set, ok = c.sense(e.X)
			return !set, ok
		}
	case *ast.Compare:
		if k, isConst := e.Ys[0].(*ast.Constant); isConst && len(e.Ops) == 1 && (e.Ops[0] == ast.Eq || e.Ops[0] == ast.Is) && k.Kind != ast.None {
			set, ok = c.sense(e.X)
			return set == (k.Kind == ast.True), ok
		}
	}
	return false, false
}

func (c *checker) negate(cond ast.Expr) *pass.Fix {
	text := "not " + c.p.Source.Operand(cond)
	if not, ok := cond.(*ast.UnaryOp); ok && not.Op == ast.Not {
		text = c.p.Source.Text(not.X)
	}
	return &pass.Fix{Message: "Negate the condition", Edits: c.p.Source.Replace(cond, text)}
}

// drawIn returns a call of a method that draws, not counting nested functions.
func drawIn(list []ast.Node) *ast.Call {
	var found *ast.Call
	walk(list, func(n ast.Node) {
		if call, ok := n.(*ast.Call); ok && found == nil && isCallOf(call, "sample", "rsample") {
			found = call
		}
	})
	return found
}

// isCallOf reports whether a call is of a method of one of these names.
func isCallOf(call *ast.Call, methods ...string) bool {
	at, ok := call.Fun.(*ast.Attribute)
	return ok && slices.Contains(methods, at.Attr)
}

// isDistribution reports whether an expression, or another one of the function with
// the same text, is known to be a distribution, or has its log-probabilities or its
// entropy asked for. A call with a constant for the flag evaluates one branch only.
func (c *checker) isDistribution(x ast.Expr) bool {
	text := c.p.Source.Text(x)
	found := false
	ast.WalkStmts(c.fn.Body, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.Call:
			found = found || isCallOf(e, "log_prob", "log_probs", "entropy") && c.p.Source.Text(e.Fun.(*ast.Attribute).X) == text
		case ast.Expr:
			if e.Span().End-e.Span().Start == uint32(len(text)) && c.p.Source.Text(e) == text {
				for _, f := range c.frames {
					found = found || f.Val(e).Is(domain.Distribution)
				}
			}
		}
		return !found
	})
	return found
}

// centres are the names of what a distribution has at its centre.
var centres = []string{"mean", "mode", "loc", "argmax"}

// modeIn reports whether the centre of what draw draws from is read, or, where that is
// known to be a distribution, an argmax taken. What has a sample and a mean is one.
func (c *checker) modeIn(list []ast.Node, draw *ast.Call) bool {
	dist := draw.Fun.(*ast.Attribute).X
	text, known := c.p.Source.Text(dist), c.isDistribution(dist)
	found := false
	walk(list, func(n ast.Node) {
		at, ok := n.(*ast.Attribute)
		if ok && slices.Contains(centres, at.Attr) {
			found = found || at.Attr == "argmax" && known || c.p.Source.Text(at.X) == text
		}
	})
	return found
}

// walk visits the nodes below a list, without the bodies of nested functions.
func walk(list []ast.Node, visit func(ast.Node)) {
	for _, top := range list {
		ast.Walk(top, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FunctionDef, *ast.Lambda, *ast.ClassDef:
				return false
			}
			visit(n)
			return true
		})
	}
}

// unused reports a flag that is never read by a function that draws.
func (c *checker) unused() {
	draw := drawIn(nodes(c.fn.Body))
	if draw == nil || !c.isDistribution(draw.Fun.(*ast.Attribute).X) || c.modeIn(nodes(c.fn.Body), draw) {
		return
	}
	c.p.Report(pass.Finding{
		At: c.flag, Evidence: domain.Annotated,
		Message: "deterministic flag never read",
		Why:     "evaluation samples its actions, so it measures a noisier policy than the one it reports",
		Help:    "return the mode of the distribution when the flag is set",
		Related: []pass.Related{{Source: c.p.Source, Node: draw, Message: "the action is drawn here"}},
	})
}
