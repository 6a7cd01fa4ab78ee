// Package nozerograd is rule LOOP001, no-zero-grad; rule.md says what it finds.
package nozerograd

import (
	_ "embed"
	"slices"
	"sync"

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

// Analyzer reports optimizers whose gradients nobody sets to zero.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() || len(p.MentionsOf("register_step_post_hook")) > 0 || sharesMemory(p) {
		return
	}
	r := p.Roles.Rounds()
	reportHandedOn(p, r)
	others := sync.OnceValue(func() bool { return isZeroedUnseen(p, r, nil) })
	for i, order := range r.Orders {
		told := map[ast.Node]bool{}
		for _, e := range order.Events {
			step := r.Of(e)
			if step.Act != roles.Steps || step.Of == nil || !step.Of.Sure || told[e.Node] || isLeftToCallers(step) {
				continue
			}
			told[e.Node] = true
			b := again(r, e, step.Of)
			if b != nil && (r.PileUp(e, b, step.Of) && !isZeroedUnseen(p, r, e.Frame.Module) || !isZeroed(p, r, i, step) && !others()) {
				p.Report(pass.Finding{
					At: e.Node, Frame: e.Frame, Evidence: domain.Derived,
					Related: []pass.Related{{Source: p.In(b.Frame), Node: b.Node, Message: "adds to the gradients that the step before has used"}},
				})
			}
		}
	}
}

// isLeftToCallers reports whether one step is taken with an optimizer that a caller hands in, and no loop is seen around it: who calls again and
// again may set the gradients to zero before it computes what it hands in beside.
func isLeftToCallers(step *roles.Moment) bool {
	at := step.At
	if len(step.Of.Optimizers) > 0 || step.Of.Reach() != "" {
		return false
	}
	for range 16 {
		if !at.Known() {
			break
		}
		if len(query.Around(at)) > 0 {
			return false
		}
		at = query.PlaceOf(at.Frame.Call)
	}
	return true
}

// sharesMemory reports whether the program makes gradients views of another tensor: what sets that one to zero sets them.
func sharesMemory(p *pass.Pass) bool {
	for _, as := range query.Everywhere[*ast.Assign](p.Graph) {
		at, ok := as.Targets[0].(*ast.Attribute)
		view, isCall := as.Value.(*ast.Call)
		if ok && isCall && roles.IsGrad(at.Attr) && (query.CalleeName(view) == "view_as" || query.CalleeName(view) == "view") {
			return true
		}
	}
	return false
}

// again returns a backward pass that comes after the step, before its next one; nil unless the next that concerns the
// gradients is one on every way.
func again(r *roles.Rounds, step *roles.Event, h *roles.Holder) *roles.Event {
	is := func(x *roles.Event, acts ...roles.Act) bool {
		m := r.Of(x)
		return m != nil && slices.Contains(acts, m.Act) && (m.Act == roles.Computes || r.MayConcern(m, h))
	}
	next := step.After(func(x *roles.Event) bool { return is(x, roles.Computes, roles.Steps, roles.Builds) })
	for _, b := range next {
		if is(b, roles.Computes) && slices.ContainsFunc(b.After(func(x *roles.Event) bool { return is(x, roles.Steps, roles.Builds) }), func(x *roles.Event) bool {
			return is(x, roles.Steps) && r.Concerns(r.Of(x), h)
		}) {
			return b
		}
	}
	return nil
}

// isZeroed reports whether something may set the gradients of a step's optimizer to zero, or a file or class that is
// not known may. A function that zeroes, computes and steps does so for itself.
func isZeroed(p *pass.Pass, r *roles.Rounds, order int, step *roles.Moment) bool {
	name, of := step.Of.Reach(), step.At.Frame.Module
	return r.MayZero(order, step.Of) || r.IsForeign(order) || name != "" && p.CalledElsewhere(of, name, "zero_grad", "backward", name+".step")
}

// isZeroedUnseen reports whether a zero_grad() stands where nothing was evaluated, of one module or of any: Python finds
// it by its name.
func isZeroedUnseen(p *pass.Pass, r *roles.Rounds, of *infer.Module) bool {
	known := map[ast.Node]bool{}
	for _, x := range r.Moments {
		known[x.At.Node] = true
	}
	sets := func(x pass.Mention) bool { // setattr(p, "grad", None)
		call, ok := x.Parent().(*ast.Call)
		return ok && x.How == pass.Key && query.CalleeName(call) == "setattr" && !known[call]
	}
	if slices.ContainsFunc(p.MentionsOf("grad"), sets) {
		return true
	}
	return slices.ContainsFunc(p.MentionsOf("zero_grad"), func(x pass.Mention) bool {
		return (of == nil || x.Module == of) && !slices.ContainsFunc(x.Parents, func(n ast.Node) bool { return known[n] }) && !p.Unreached(x)
	})
}
