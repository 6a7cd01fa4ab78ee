// Package evalnotundone is rule LOOP013, eval-not-undone; rule.md says what it finds.
package evalnotundone

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

// Analyzer reports networks that an evaluation switches to eval mode and that are trained on like that.
var Analyzer = pass.Rule(Doc, run)

// modal are the layers that do something else in training than in evaluation.
var modal = query.Words(`torch.nn.Dropout torch.nn.Dropout1d torch.nn.Dropout2d torch.nn.Dropout3d torch.nn.AlphaDropout torch.nn.BatchNorm1d torch.nn.BatchNorm2d
	torch.nn.BatchNorm3d`)

func run(p *pass.Pass) {
	if p.Source.IsTest() || len(p.MentionsOf("train")) > 0 || len(p.MentionsOf("training")) > 0 {
		return
	}
	evals := map[query.Place]*roles.Network{}
	backwards := map[query.Place]*roles.Backward{}
	var places []query.Place
	for f, call := range query.Everywhere[*ast.Call](p.Graph) {
		if n := switched(p, f, call); n != nil && n.Trained && isModal(p, n) {
			at := query.Place{Frame: f, Node: call}
			evals[at] = n
			places = append(places, at)
		}
	}
	if len(evals) == 0 {
		return
	}
	for _, b := range p.Roles.Backwards {
		backwards[query.PlaceOf(b.Call)] = b
		places = append(places, query.PlaceOf(b.Call))
	}
	for order := range p.Roles.Orders(places) {
		for _, e := range order.Events {
			n := evals[e.Place]
			if n == nil {
				continue
			}
			// Training goes on behind the evaluation as it did before it.
			trains := func(x *roles.Event) bool {
				b := backwards[x.Place]
				return b != nil && p.Roles.OverlapsAny(n, p.Roles.Reached(b.Loss))
			}
			before, after := e.Before(trains), e.After(trains)
			i := slices.IndexFunc(after, (*roles.Event).Known)
			if i >= 0 && slices.ContainsFunc(before, func(b *roles.Event) bool { return b.Known() && inTrainMode(b, n, evals) }) {
				p.Report(pass.Finding{
					At: e.Node, Frame: e.Frame, Evidence: domain.Derived,
					Related: p.There(after[i].Place, "training goes on here"),
				})
			}
		}
	}
}

// inTrainMode reports whether a backward pass may come before every call of eval() of a network: a network that is switched before
// it is trained at all keeps one mode.
func inTrainMode(backward *roles.Event, n *roles.Network, evals map[query.Place]*roles.Network) bool {
	switches := backward.Before(func(x *roles.Event) bool { return evals[x.Place] == n })
	return slices.ContainsFunc(switches, func(x *roles.Event) bool { return !x.Known() })
}

// switched is the network that a call switches to eval mode, or nil.
func switched(p *pass.Pass, f *infer.Frame, call *ast.Call) *roles.Network {
	if len(call.Args)+len(call.Keywords) > 0 {
		return nil
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || at.Attr != "eval" {
		return nil
	}
	return p.Roles.Network(f.Val(at.X))
}

// isModal reports whether a network holds a layer with a mode.
func isModal(p *pass.Pass, n *roles.Network) bool {
	for r := range p.Roles.LayersOf(n) {
		if o, ok := r.(*infer.LibObject); ok && modal[o.Name] {
			return true
		}
	}
	return false
}
