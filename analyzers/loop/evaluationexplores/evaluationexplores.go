// Package evaluationexplores is rule LOOP080, evaluation-explores; rule.md says what it finds.
package evaluationexplores

import (
	_ "embed"
	"fmt"
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

// Analyzer reports evaluations that take random actions.
var Analyzer = pass.Rule(Doc, run)

// mostly is a share of random actions from which on the policy is hardly seen.
const mostly = 0.5

func run(p *pass.Pass) {
	trials := p.Roles.Trials()
	greedy := map[ast.Node]bool{} // one function may play with the policy, and without it to compare
	found := map[ast.Node][]pass.Finding{}
	for _, t := range trials {
		if !p.Trains(t.Step.Frame) {
			continue
		}
		f, ok := explored(p, t)
		if !ok {
			greedy[t.Step.Node] = true
			continue
		}
		found[t.Step.Node] = append(found[t.Step.Node], f)
	}
	for _, t := range trials {
		if list := found[t.Step.Node]; len(list) > 0 && !greedy[t.Step.Node] {
			p.Report(list[0])
			delete(found, t.Step.Node)
		}
	}
}

// explored is what a trial explores by, if it does for sure.
func explored(p *pass.Pass, t *roles.Trial) (pass.Finding, bool) {
	_, learning := p.Roles.InTraining(t)
	for _, c := range t.Choices {
		for _, e := range p.Explorings(c.Frame) {
			if c.Up == nil && !t.Loop.Stmt.Span().Covers(e.Cond.Span()) || !meant(c, e) {
				continue
			}
			if rate, ok := c.Resolve(c.Frame.Val(e.Rate)).Float(); ok {
				if !e.Below {
					rate = 1 - rate
				}
				if rate >= 1 && isWritten(c, e.Rate) {
					continue // the return of random actions, to compare with
				}
				if rate >= mostly {
					out := at(p, t, c, e.Cond)
					out.Message = fmt.Sprintf("evaluation takes %s", share(rate))
					return out, true
				}
				continue
			}
			if learning && e.Below && falls(p, c, e.Rate) {
				out := at(p, t, c, e.Cond)
				out.Message = "evaluation explores as training does at that time"
				out.Why = "the rate begins near 1: the first results are those of a random policy, and the curve shows how the rate falls"
				return out, true
			}
		}
	}
	if learning {
		return noisy(p, t)
	}
	return pass.Finding{}, false
}

// isWritten reports whether a call says a rate as a number, for itself alone.
func isWritten(c *roles.Choice, rate ast.Expr) bool {
	name, ok := rate.(*ast.Name)
	if !ok || c.Up == nil {
		return false
	}
	_, said := c.Param(name.Ident)
	_, ok = said.(*ast.Number)
	return ok
}

func share(rate float64) string {
	if rate >= 1 {
		return "random actions alone"
	}
	return fmt.Sprintf("%.0f of 100 actions at random", 100*rate)
}

// at is a finding at the call by which a trial comes to what it explores by, or at the condition that stands in the trial itself.
func at(p *pass.Pass, t *roles.Trial, c *roles.Choice, cond ast.Node) pass.Finding {
	if c.Up == nil {
		return pass.Finding{At: cond, Frame: c.Frame, Evidence: domain.Derived}
	}
	in := c
	for in.Up.Up != nil {
		in = in.Up
	}
	return pass.Finding{
		At: in.Call, Frame: t.Step.Frame, Evidence: domain.Derived,
		Related: p.There(query.Place{Frame: c.Frame, Node: cond}, "this decides between a random action and the best one"),
	}
}

// meant reports whether the draw alone decides: other conditions beside it are known to hold.
func meant(c *roles.Choice, e query.Exploring) bool {
	if e.Any {
		return true
	}
	return !slices.ContainsFunc(e.Among, func(x ast.Expr) bool {
		return x != ast.Expr(e.Cond) && !holds(c, x)
	})
}

// holds reports whether a flag is known to be set for a call.
func holds(c *roles.Choice, x ast.Expr) bool {
	set, ok := roles.Truth(c.Resolve(c.Frame.Val(x)))
	return ok && set
}

// falls reports whether a rate is one that training moves down, and that nothing sets for the evaluation.
func falls(p *pass.Pass, c *roles.Choice, rate ast.Expr) bool {
	for range 4 {
		if n, ok := rate.(*ast.Name); ok && c.Up != nil {
			_, said := c.Param(n.Ident)
			if said == nil {
				return false
			}
			rate, c = said, c.Up
			continue
		}
		break
	}
	field, ok := rate.(*ast.Attribute)
	return ok && p.FallsFrom(c.Frame, rate, mostly) && !isSet(p, field.Attr)
}

// isSet reports whether anything but what makes the object, and what moves the field a little, assigns to a field of that name: it may be
// set for an evaluation, and set back.
func isSet(p *pass.Pass, name string) bool {
	for f, as := range query.Everywhere[*ast.Assign](p.Graph) {
		for _, t := range as.Targets {
			to, ok := t.(*ast.Attribute)
			if ok && to.Attr == name && !query.Reads(as.Value, query.Path(to)) && (f.Func == nil || f.Func.Name() != "__init__") {
				return true
			}
		}
	}
	for _, m := range p.MentionsOf(name) {
		if m.How == pass.Key {
			return true // setattr
		}
	}
	return false
}

// noisy reports a trial that adds to the action of a network what training adds: the same object draws it.
func noisy(p *pass.Pass, t *roles.Trial) (pass.Finding, bool) {
	f := t.Step.Frame
	var out pass.Finding
	found := false
	t.EachPart(func(n ast.Node) {
		sum, ok := n.(*ast.BinOp)
		if !ok || sum.Op != ast.Add || found || underCondition(f, t.Loop, sum) {
			return
		}
		for _, sides := range [][2]ast.Expr{{sum.X, sum.Y}, {sum.Y, sum.X}} {
			draw, ok := sides[0].(*ast.Call)
			if !ok || !p.Roles.Draws(f, draw) || !ofNetwork(p, f.Val(sides[1])) || ofNetwork(p, f.Val(draw)) {
				continue
			}
			if with := drawnInTraining(p, t, draw); with != nil {
				out, found = pass.Finding{
					At: sum, Frame: f, Evidence: domain.Derived,
					Message: "evaluation adds the noise by which training explores",
					Why:     "the results are those of the policy with noise, not of the policy that will be used",
					Help:    "take the action of the network as it is",
					Related: p.There(*with, "training adds the same"),
				}, true
				return
			}
		}
	})
	return out, found
}

// ofNetwork reports whether a value was computed by a network.
func ofNetwork(p *pass.Pass, v *infer.Val) bool {
	return v != nil && slices.ContainsFunc(p.Roles.Networks, func(n *roles.Network) bool { return p.Roles.Uses(v, n) })
}

// underCondition reports whether a node stands in a branch within the loop.
func underCondition(f *infer.Frame, l query.Loop, n ast.Node) bool {
	for _, x := range f.Nodes() {
		switch x := x.(type) {
		case *ast.If:
			if l.Stmt.Span().Covers(x.Span()) && !x.Cond.Span().Covers(n.Span()) && x.Span().Covers(n.Span()) {
				return true
			}
		case *ast.IfExp, *ast.BoolOp:
			if x.Span().Covers(n.Span()) {
				return true
			}
		}
	}
	return false
}

// drawnInTraining is where a step that is no trial gets what the same object draws.
func drawnInTraining(p *pass.Pass, t *roles.Trial, draw *ast.Call) *query.Place {
	object := func(f *infer.Frame, call *ast.Call) infer.Ref {
		method, ok := call.Fun.(*ast.Attribute)
		if !ok || strings.HasPrefix(query.CalledSymbol(f, call), "numpy.") {
			return nil
		}
		return infer.RefOf(f.Val(method.X))
	}
	of := object(t.Step.Frame, draw)
	if of == nil {
		return nil
	}
	if _, ok := of.(*infer.Instance); !ok {
		return nil
	}
	steps, _ := p.Roles.EnvCalls()
	for _, s := range steps {
		if s.Node == t.Step.Node || p.Roles.IsTrial(s) {
			continue
		}
		for call := range query.In[*ast.Call](s.Frame) {
			if call != draw && query.CalleeName(call) == query.CalleeName(draw) && object(s.Frame, call) == of {
				return &query.Place{Frame: s.Frame, Node: call}
			}
		}
	}
	return nil
}
