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
	if p.Source.IsTest() {
		return
	}
	m := modes{p: p, at: map[query.Place]switching{}, explained: map[ast.Node]bool{}}
	if !m.collect() || m.setElsewhere() {
		return
	}
	backwards := map[query.Place]*roles.Backward{}
	places := m.places
	for _, b := range p.Roles.Backwards {
		backwards[query.PlaceOf(b.Call)] = b
		places = append(places, query.PlaceOf(b.Call))
	}
	for order := range p.Roles.Orders(places) {
		for _, e := range order.Events {
			s := m.at[e.Place]
			if s.to != toEval || s.net == nil {
				continue
			}
			// Training goes on behind the evaluation as it did before it.
			trains := func(x *roles.Event) bool {
				b := backwards[x.Place]
				return b != nil && p.Roles.OverlapsAny(s.net, p.Roles.Reached(b.Loss))
			}
			undone := m.undoing(order, e, s.net)
			after := e.After(func(x *roles.Event) bool { return undone[x] || trains(x) })
			i := slices.IndexFunc(after, func(x *roles.Event) bool {
				return x.Known() && !undone[x] && !slices.ContainsFunc(after, func(u *roles.Event) bool { return undone[u] && !outside(u, e, x) })
			})
			if i < 0 {
				continue
			}
			// It is the same training, and no later phase that is meant to run in eval mode.
			goesOn := func(x *roles.Event) bool { return x.Place == after[i].Place }
			if slices.ContainsFunc(e.Before(goesOn), func(b *roles.Event) bool { return b.Known() && m.inTrainMode(b, s.net) }) {
				p.Report(pass.Finding{
					At: e.Node, Frame: e.Frame, Evidence: domain.Derived,
					Related: p.There(after[i].Place, "training goes on here"),
				})
			}
		}
	}
}

// The modes to which a call switches a network.
const (
	toEval  = iota + 1
	toTrain // or to a mode that is not known
	toKept  // the mode that was read before
)

// switching is a call that sets the mode of a network.
type switching struct {
	net  *roles.Network
	to   int
	kept query.Place // where the mode was read that toKept restores
}

// modes are the places of a program that set or read the mode of networks.
type modes struct {
	p         *pass.Pass
	at        map[query.Place]switching
	places    []query.Place
	explained map[ast.Node]bool // calls of methods called train; true where all evaluations of one are known
}

// collect lists the calls that switch networks, and reports whether one with a layer that has a mode is switched to eval mode.
func (m *modes) collect() bool {
	found := false
	for f, call := range query.Everywhere[*ast.Call](m.p.Graph) {
		at, ok := call.Fun.(*ast.Attribute)
		if !ok {
			continue
		}
		switch at.Attr {
		case "eval":
			if n := switched(m.p, f, call); n != nil && trainsMode(m.p, n) {
				m.add(query.Place{Frame: f, Node: call}, switching{net: n, to: toEval})
				found = true
			}
		case "train":
			known := m.train(f, call, at)
			if before, seen := m.explained[at]; seen {
				known = known && before
			}
			m.explained[at] = known
		}
	}
	return found
}

func (m *modes) add(at query.Place, s switching) {
	m.at[at] = s
	m.places = append(m.places, at)
}

// train notes a call of a method called train, and reports whether it is known what it does.
func (m *modes) train(f *infer.Frame, call *ast.Call, at *ast.Attribute) bool {
	if _, own := infer.RefOf(f.Val(call.Fun)).(*infer.FuncRef); own {
		return true // the program's own function, in which its calls are seen
	}
	if o, ok := infer.RefOf(f.Val(at.X)).(*infer.Instance); ok && o.Class != nil && o.Class.Lookup("train") != nil {
		return true
	}
	n := m.p.Roles.Network(f.Val(at.X))
	if n == nil {
		return false
	}
	s := switching{net: n, to: toTrain}
	if args := len(call.Args) + len(call.Keywords); args == 1 {
		mode := f.Val(argument(call))
		switch {
		case mode == nil:
		case mode.Const == false && trainsMode(m.p, n):
			s.to = toEval
		case m.readsModeOf(mode, n):
			s.to, s.kept = toKept, query.PlaceOf(mode)
			m.places = append(m.places, s.kept)
		}
	}
	m.add(query.Place{Frame: f, Node: call}, s)
	return true
}

func argument(call *ast.Call) ast.Expr {
	if len(call.Args) == 1 {
		return call.Args[0]
	}
	return call.Keywords[0].Value
}

// readsModeOf reports whether a value is the mode of a network, or of one that holds it.
func (m *modes) readsModeOf(v *infer.Val, n *roles.Network) bool {
	at, ok := v.Node.(*ast.Attribute)
	if !ok || at.Attr != "training" || v.Frame == nil {
		return false
	}
	of := m.p.Roles.Network(v.Frame.Val(at.X))
	return of != nil && m.p.Roles.OverlapsAny(n, []*roles.Network{of})
}

// setElsewhere reports whether the program may set the mode of a network where it was not followed.
func (m *modes) setElsewhere() bool {
	for _, x := range append(m.p.MentionsOf("train"), m.p.MentionsOf("training")...) {
		switch x.How {
		case pass.AttrSet:
			return true
		case pass.Attr:
			if at, ok := x.Node.(*ast.Attribute); !ok || at.Attr == "train" && !m.explained[at] && !isOption(x) {
				return true
			}
		case pass.Key:
			if call, ok := x.Parent().(*ast.Call); ok && slices.Contains([]string{"getattr", "setattr", "methodcaller", "__setattr__"}, query.CalleeName(call)) {
				return true
			}
		}
	}
	return false
}

// isOption reports whether an attribute is read and its own attribute or entry looked up, as in cfg.train.lr.
func isOption(x pass.Mention) bool {
	switch up := x.Parent().(type) {
	case *ast.Attribute:
		return true
	case *ast.Subscript:
		return up.X == x.Node
	}
	return false
}

// undoing are the events of an order that end, for a network, the eval mode that e sets. Restoring a mode that was read behind e keeps it.
func (m *modes) undoing(order roles.Order, e *roles.Event, n *roles.Network) map[*roles.Event]bool {
	out := map[*roles.Event]bool{}
	for _, x := range order.Events {
		s := m.at[x.Place]
		switch {
		case s.net == nil || s.to == toEval || !m.p.Roles.OverlapsAny(n, []*roles.Network{s.net}):
		case s.to == toKept:
			from := x.Before(func(b *roles.Event) bool { return b.Place == s.kept || b == e })
			out[x] = slices.ContainsFunc(from, func(b *roles.Event) bool { return b.Place != s.kept })
		default:
			out[x] = true
		}
	}
	return out
}

// outside reports whether a switch back stands around a loop that evaluates and trains: a round that evaluates is followed by one that trains
// in the mode of the evaluation, whatever the conditions are.
func outside(undo, eval, trains *roles.Event) bool {
	if undo.Frame != trains.Frame {
		return false
	}
	at := eval.Place
	for range maxAbove {
		if at.Frame == trains.Frame || !at.Known() {
			break
		}
		at = query.Above(at)
	}
	if !at.Known() || at.Frame != trains.Frame {
		return false
	}
	for _, l := range query.Around(trains.Place) {
		if l.Stmt.Span().Covers(at.Node.Span()) && !l.Stmt.Span().Covers(undo.Node.Span()) {
			return true
		}
	}
	return false
}

// maxAbove bounds the calls between the loop that trains and the call of eval().
const maxAbove = 8

// inTrainMode reports whether a backward pass may come before every call of eval() of a network, or behind one of train(): a network that is
// switched before it is trained at all keeps one mode.
func (m *modes) inTrainMode(backward *roles.Event, n *roles.Network) bool {
	switches := backward.Before(func(x *roles.Event) bool {
		s := m.at[x.Place]
		return s.net == n && s.to != toKept
	})
	return slices.ContainsFunc(switches, func(x *roles.Event) bool { return !x.Known() || m.at[x.Place].to == toTrain })
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

// trainsMode reports whether an optimizer holds a network that has a layer with a mode, or a part of it that has one: an agent is often a
// module whose parts have optimizers of their own.
func trainsMode(p *pass.Pass, n *roles.Network) bool {
	if n.Trained && isModal(p, n) {
		return true
	}
	return slices.ContainsFunc(p.Roles.Optimizers, func(o *roles.Optimizer) bool {
		return slices.ContainsFunc(o.Networks, func(x *roles.Network) bool { return p.Roles.Holds(n.Ref, x.Ref) && isModal(p, x) })
	})
}

// isModal reports whether a network holds a layer with a mode.
func isModal(p *pass.Pass, n *roles.Network) bool {
	for r := range p.Roles.LayersOf(n) {
		if o, ok := r.(*infer.LibObject); ok && modal[o.Name] && !dropsNothing(o) {
			return true
		}
	}
	return false
}

// dropsNothing reports whether a layer is dropout with a probability of zero, which is how a setting turns it off.
func dropsNothing(o *infer.LibObject) bool {
	rate, known := o.Args["p"].Float()
	return known && rate == 0
}
