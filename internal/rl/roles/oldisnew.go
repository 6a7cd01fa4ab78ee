package roles

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # What is kept near what it was
//
// PPO keeps a ratio near 1 and a value near its old one: both compare what a network says now with what it said in the rollout. Where the
// old number is computed by the same network, of the same inputs, with no step in between, it is the new one: their difference is 0, and
// no clip ever acts. So two evaluations are compared: the network, what it was given, and, by the order of steps, its weights.

// OldIsNew is a comparison of what a network in training says with what it says, under a clip, on one and the same weights.
type OldIsNew struct {
	// At is the difference or quotient, or the value that is kept near its old one.
	At query.Seen
	// New has a gradient, Old has none; OldCall computes Old.
	New, Old query.Seen
	OldCall  query.Place
	// Ratio says that log-probabilities or probabilities are compared, and not values.
	Ratio bool
	// Loop takes several steps on the same data.
	Loop query.Loop
}

// OldIsNew returns the clipped comparisons whose old side is no older than the new one.
func (m *Model) OldIsNew() (out []OldIsNew) {
	add := func(c OldIsNew) {
		if m.isNoOlder(&c) && !slices.ContainsFunc(out, func(o OldIsNew) bool { return o.At.Val == c.At.Val }) {
			out = append(out, c)
		}
	}
	for _, s := range m.Surrogates() {
		d := s.Ratio.Exponent().Strip()
		if !d.Known() {
			d = s.Ratio.Strip()
		}
		if d.Known() && d.IsOp("sub", "div") && len(d.In) > 1 {
			add(OldIsNew{At: d, New: d.Input(0), Old: d.Input(1), Ratio: true})
		}
	}
	for _, v := range m.g.Made(extrema...) {
		for _, side := range sidesOf(m.g.See(v)) {
			for _, x := range comparedIn(side) {
				if now, old, ok := keptNear(x); ok {
					add(OldIsNew{At: x, New: now, Old: old})
				}
			}
		}
	}
	return out
}

// isNoOlder reports whether the two sides of a comparison are one evaluation, done twice on the same weights, and whether several steps are
// taken on the data of which it is: before the first of them, the old and the new are the same in right programs, too.
func (m *Model) isNoOlder(c *OldIsNew) bool {
	if !c.New.Known() || !c.Old.Known() || c.New.Q.Grad != domain.Attached || c.Old.Q.Grad != domain.Detached || c.At.Frame == nil || c.At.Node == nil {
		return false
	}
	now, old := c.New.Strip(), c.Old.Strip()
	itself := now.Val == old.Val
	if itself && c.Ratio || !now.Same(old) { // exp(logp - logp.detach()) is written on purpose
		return false
	}
	for f, use := c.At.Frame, ast.Node(c.At.Node); f != nil; {
		a, b := m.evaluationsIn(f, c.New.Val, use), m.evaluationsIn(f, c.Old.Val, use)
		if len(a) > 0 && len(b) > 0 {
			c.OldCall = query.Place{Frame: f, Node: earliest(b)}
			if !itself && !m.onSameWeights(f, earliest(a), earliest(b), use) {
				return false
			}
			return m.sameNetworks(a, b) && m.repeatsOn(query.Place{Frame: f, Node: use}, c)
		}
		site, ok := onlySite(f)
		if !ok {
			return false
		}
		f, use = site.Caller, site.Node
	}
	return false
}

// onlySite is the call of an evaluation, where there is one.
func onlySite(f *infer.Frame) (site *infer.Site, ok bool) {
	for s := range f.Sites {
		if ok {
			return nil, false
		}
		site, ok = s, true
	}
	return site, ok
}

// callsTo adds the calls in f that lead to an evaluation, by however many others.
func callsTo(f, callee *infer.Frame, found map[ast.Node]bool, seen map[*infer.Frame]bool) {
	if seen[callee] || len(seen) > maxReads {
		return
	}
	seen[callee] = true
	for s := range callee.Sites {
		if s.Caller == f {
			found[s.Node] = true
		} else {
			callsTo(f, s.Caller, found, seen)
		}
	}
}

// evaluation is a call that yields what some networks say.
type evaluation struct {
	call *ast.Call
	v    *infer.Val
	of   []*Network
}

// evaluationsIn returns the calls in f in which networks are evaluated for v: the nearest to v on each way back from it.
func (m *Model) evaluationsIn(f *infer.Frame, v *infer.Val, before ast.Node) (out []evaluation) {
	infer.Walk(v, 400, func(x *infer.Val) bool {
		call := callIn(f, x)
		if call == nil || call.Span().Start >= before.Span().End {
			return true
		}
		of := m.evaluatedBy(f, call)
		of = slices.DeleteFunc(of, func(n *Network) bool { return !m.Uses(x, n) })
		if len(of) > 0 {
			out = append(out, evaluation{call, x, of})
		}
		return len(of) == 0
	})
	return out
}

// callIn is the call in f that computes x, there or in what it calls; nil where several do.
func callIn(f *infer.Frame, x *infer.Val) *ast.Call {
	if x.Frame == nil || x.Op == infer.OpPhi {
		return nil
	}
	node := x.Node
	if x.Frame != f {
		found := map[ast.Node]bool{}
		callsTo(f, x.Frame, found, map[*infer.Frame]bool{})
		if len(found) != 1 {
			return nil
		}
		for n := range found {
			node = n
		}
	}
	call, _ := node.(*ast.Call)
	return call
}

// evaluatedBy are the networks that a call is made on, or gets: as the object called, its owner, or an argument.
func (m *Model) evaluatedBy(f *infer.Frame, call *ast.Call) (out []*Network) {
	at := []ast.Expr{call.Fun}
	if attr, ok := call.Fun.(*ast.Attribute); ok {
		at = append(at, attr.X)
	}
	for _, e := range append(at, query.Operands(call)...) {
		v := f.Val(e)
		if v == nil || v.Ref == nil {
			continue
		}
		for _, n := range m.Networks {
			if !m.IsLayer(n) && (v.Ref == n.Ref || m.Holds(n.Ref, v.Ref) || m.Holds(v.Ref, n.Ref)) && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// earliest is the call that stands first: what one evaluates does not change before.
func earliest(list []evaluation) ast.Node {
	return slices.MinFunc(list, func(a, b evaluation) int { return cmp.Compare(a.call.Span().Start, b.call.Span().Start) }).call
}

// sameNetworks reports whether two groups of evaluations are of networks that learn, the same ones, which yield the same when they are asked
// again: without a layer that draws, or that keeps statistics.
func (m *Model) sameNetworks(a, b []evaluation) bool {
	of := func(list []evaluation) (out []*Network) {
		for _, e := range list {
			out = append(out, e.of...)
		}
		return out
	}
	x, y := of(a), of(b)
	return !slices.ContainsFunc(x, func(n *Network) bool { return !slices.Contains(y, n) || !m.Learns(n) || m.varies(n) }) &&
		!slices.ContainsFunc(y, func(n *Network) bool { return !slices.Contains(x, n) })
}

// varies reports whether a network may yield something else when it is asked again.
func (m *Model) varies(n *Network) bool {
	for r := range m.LayersOf(n) {
		o, ok := r.(*infer.LibObject)
		if name := ""; ok {
			name = o.Name[strings.LastIndexByte(o.Name, '.')+1:]
			if o.Class == nil || strings.Contains(name, "Dropout") || strings.Contains(name, "BatchNorm") || o.Args["dropout"] != nil {
				return true
			}
		}
	}
	return false
}

// onSameWeights reports whether two calls in f stand in one round of the same loops as what is made of both, with no step of an optimizer,
// and nothing else that writes weights, between them.
func (m *Model) onSameWeights(f *infer.Frame, a, b, use ast.Node) bool {
	at := func(n ast.Node) query.Place { return query.Place{Frame: f, Node: n} }
	loops := query.Around(at(use))
	if !slices.Equal(query.Around(at(a)), loops) || !slices.Equal(query.Around(at(b)), loops) || m.otherContext(f, a) || m.otherContext(f, b) {
		return false
	}
	first, second := at(a), at(b)
	if first.Node.Span().Start > second.Node.Span().Start {
		first, second = second, first
	}
	places := []query.Place{first, second}
	for _, v := range append(slices.Clone(m.Steps), m.g.Made("load_state_dict", "copy_", "vector_to_parameters", "eval", "train")...) {
		places = append(places, query.PlaceOf(v))
	}
	found := false
	for order := range m.Orders(places) {
		for _, e := range order.Events {
			if e.Place != second {
				continue
			}
			found = true
			last := e.Before(func(*Event) bool { return true })
			if slices.ContainsFunc(last, func(x *Event) bool { return x.Place != first }) {
				return false
			}
		}
	}
	return found
}

// keepsWeights are the contexts in which a network says what it says elsewhere.
var keepsWeights = map[string]bool{"torch.no_grad": true, "torch.inference_mode": true, "torch.enable_grad": true, "torch.set_grad_enabled": true,
	"torch.autocast": true, "torch.amp.autocast": true, "torch.cuda.amp.autocast": true}

// otherContext reports whether a node stands in a with that may be for something else than gradients and number formats: a library lets a
// network speak there with other weights.
func (m *Model) otherContext(f *infer.Frame, n ast.Node) bool {
	other := false
	ast.WalkStmts(f.Body(), func(x ast.Node) bool {
		with, ok := x.(*ast.With)
		if ok && with.Span().Covers(n.Span()) {
			for _, item := range with.Items {
				o, known := m.g.See(f.Val(item.Context)).Referent().(*infer.LibObject)
				other = other || !known || !keepsWeights[o.Name]
			}
		}
		return !other
	})
	return other
}

// repeatsOn reports whether a place is reached again on the same data after a step: the innermost loop whose variable does not reach
// the comparison steps an optimizer and collects nothing.
func (m *Model) repeatsOn(at query.Place, c *OldIsNew) bool {
	for _, l := range slices.Backward(m.Nest(at)) {
		if m.Fresh(l) {
			return false
		}
		if repeats(l, c.New) && m.Updates(l) {
			c.Loop = l
			return true
		}
	}
	return false
}
