// Package reseededinloop is rule SEED009, reseeded-in-loop; rule.md says what it finds.
package reseededinloop

import (
	_ "embed"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
	"slices"
	"strings"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports generators that each round of training sets back to one seed.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	for f, call := range p.Calls() {
		seed := query.SeedsGlobal(f, call)
		if seed == nil || !isFixed(f.Val(seed)) {
			continue
		}
		at := query.Place{Frame: f, Node: call}
		if l, ok := trainingLoop(p, at); ok && p.In(f) != nil && (l.Frame == f || !draws(p, f)) && !isOfRound(l, f, seed) && !inSomeRounds(l, at) {
			p.Report(pass.Finding{
				At: call, Frame: f, Evidence: domain.Derived,
				Related: p.There(query.Place{Frame: l.Frame, Node: headOf(l)}, "in each round of this loop"),
			})
		}
	}
}

// inSomeRounds reports whether a place in a loop stands under a condition that the rounds of the loop decide, as an evaluation in every
// hundredth one does. Elsewhere a condition is a setting, the same in all rounds.
func inSomeRounds(l query.Loop, at query.Place) bool {
	places, _ := wayTo(l, at)
	return slices.ContainsFunc(places, func(at query.Place) bool {
		body, inLoop := at.Frame.Body(), at.Frame == l.Frame
		if inLoop {
			body = []ast.Stmt{l.Stmt}
		}
		bound := map[string]bool{}
		query.Targets(body, func(t ast.Expr, _ ast.Stmt) { bound[query.Path(t)] = true })
		return slices.ContainsFunc(query.Branches(at), func(b query.Branch) bool {
			return (!inLoop || l.Stmt.Span().Covers(b.If.Span())) && mentions(b.If.Cond, func(e ast.Expr) bool { return bound[query.Path(e)] })
		})
	})
}

// wayTo lists the places by which a loop comes to a place in it: that one, the call of its function, and so on; whole says that the last one
// stands in the loop's own body.
func wayTo(l query.Loop, at query.Place) (places []query.Place, whole bool) {
	for range maxCalls {
		places = append(places, at)
		if at.Frame == l.Frame {
			return places, true
		}
		if at.Frame == nil || at.Frame.Call == nil || at.Frame.Caller == nil {
			break
		}
		at = query.Place{Frame: at.Frame.Caller, Node: at.Frame.Call.Node}
	}
	return places, false
}

// mentions reports whether an expression of a kind, that has a path, stands in another one.
func mentions(in ast.Node, is func(ast.Expr) bool) bool {
	found := false
	ast.Walk(in, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && query.Path(e) != "" && is(e)
		return !found
	})
	return found
}

// isFixed reports whether a seed is a number that the program writes, or a setting: the same in all rounds.
func isFixed(v *infer.Val) bool {
	if v == nil || v.Op != infer.OpConst && v.Op != infer.OpConfig {
		return false
	}
	_, ok := v.Int()
	return ok
}

// isOfRound reports whether what a loop binds anew in each round is the seed, or handed over on the way to it: a run for each seed of
// a list, though there be one.
func isOfRound(l query.Loop, f *infer.Frame, seed ast.Expr) bool {
	loop, ok := l.Stmt.(*ast.For)
	if !ok {
		return false
	}
	way, whole := wayTo(l, query.Place{Frame: f, Node: seed})
	return whole && mentions(way[len(way)-1].Node, func(e ast.Expr) bool {
		x, ok := e.(*ast.Name)
		return ok && query.Binds(loop, x.Ident)
	})
}

// maxCalls bounds the places on the way from a loop to the seeding in it.
const maxCalls = 9

// draws reports whether a body takes numbers from a shared generator itself: a function that seeds for its own draws makes the same
// thing in each call, and means to.
func draws(p *pass.Pass, f *infer.Frame) bool {
	return slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		return ok && (query.DrawsGlobal(f, call) || strings.HasPrefix(query.CalledSymbol(f, call), "torch.rand"))
	})
}

// trainingLoop is a loop around a place that goes on training one network: its optimizer is built outside, and steps inside.
func trainingLoop(p *pass.Pass, at query.Place) (query.Loop, bool) {
	for _, l := range p.Roles.Nest(at) {
		if n, _, known := l.Rounds(); known && n <= 1 {
			continue
		}
		for _, o := range p.Roles.Optimizers {
			if built := query.PlaceOf(o.Val); built.Known() && !p.Roles.Inside(l, built) && steps(p, o, l) {
				return l, true
			}
		}
	}
	return query.Loop{}, false
}

func steps(p *pass.Pass, o *roles.Optimizer, l query.Loop) bool {
	for _, s := range p.Roles.StepsOf(o) {
		if p.Roles.Inside(l, s) {
			return true
		}
	}
	return false
}

func headOf(l query.Loop) ast.Node {
	switch st := l.Stmt.(type) {
	case *ast.For:
		return st.Iter
	case *ast.While:
		return st.Cond
	}
	return l.Stmt
}
