package roles

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Weights that one network takes from another
//
// A target network, a policy before the update and an average of weights are brought up to date in many ways:
//
//	t.load_state_dict(n.state_dict())                          in full
//	for a, b in zip(t.parameters(), n.parameters()):
//	    a.data.copy_(b.data)                                   in full
//	    a.data.copy_(tau * b.data + (1 - tau) * a.data)        a share
//	    a.data = tau * b + (1 - tau) * a
//	    a.data.mul_(1 - tau); a.data.add_(tau * b.data)
//	    a.data += tau * (b.data - a.data);  a.lerp_(b, tau)
//	d[k] = tau * x[k] + (1 - tau) * y[k]; t.load_state_dict(d)
//	t.load_state_dict({k: ... for k, v in n.state_dict().items()})
//
// A Transfer is one of these on one chain of calls, so that a helper which takes both networks and
// tau is read with what each call passes. Whatever is written is linear in the two: what t keeps of its own, and
// what it takes.

// Transfer is one way by which weights go into a network.
type Transfer struct {
	// At is what writes: a call, or the value that is assigned.
	At query.Seen
	// Mixed is what computes the weights, where that is not what writes: an entry of a state dict that is loaded. No value else.
	Mixed query.Seen
	// To and From are the networks, as the program has them there; no value where only their parameters
	// are seen.
	To, From query.Seen
	// ToAt and FromAt are the expressions that stand for them where their weights are asked for; none where that is not seen.
	ToAt, FromAt query.Place
	// Kept and Taken are the shares of its own weights that To keeps, and of From's that it takes.
	Kept, Taken Share
	// Offsets are numbers that are added to the weights: there ought to be none.
	Offsets []query.Seen
}

// Share is the factor before weights.
type Share struct {
	// Numbers are what it may be, by the constants and defaults that the program shows; none where one is not known.
	Numbers []float64
	// scaled says that the weights stand here with a factor.
	scaled bool
}

// Whole reports whether a transfer leaves nothing of what was there.
func (t Transfer) Whole() bool { return len(t.Kept.Numbers) == 1 && t.Kept.Numbers[0] == 0 }

// Transfers returns where weights go from one network into another.
func (m *Model) Transfers() []Transfer {
	return m.transfers.get(func() []Transfer {
		var out []Transfer
		for _, v := range m.g.Made("copy", "lerp", "add", "sub") {
			if v.Frame != nil && v.Node != nil && v.Frame.Val(v.Node) == v {
				if target, ok := writtenIn(v); ok {
					out = m.addTransfers(out, v, target)
				}
			}
		}
		for f, as := range query.Everywhere[*ast.Assign](m.g) {
			if at, ok := as.Targets[0].(*ast.Attribute); ok && len(as.Targets) == 1 && at.Attr == "data" {
				out = m.addAssigned(out, f, as, at)
			}
		}
		for _, v := range m.g.Made("load_state_dict") {
			out = m.addLoads(out, v)
		}
		return out
	})
}

// writtenIn returns the tensor that an operation writes into: the receiver of a method whose name ends in _, or out=;
// ok is false for one that writes nowhere.
func writtenIn(v *infer.Val) (target *infer.Val, ok bool) {
	if len(v.In) < 2 {
		return nil, false
	}
	switch n := v.Node.(type) {
	case *ast.AugAssign:
		return v.In[0], true
	case *ast.Call:
		at, is := n.Fun.(*ast.Attribute)
		inPlace := is && len(at.Attr) > 1 && at.Attr[len(at.Attr)-1] == '_'
		return v.In[0], inPlace || query.HasKeyword(v, "out")
	}
	return nil, false
}

// addTransfers adds what an operation in place brings into a parameter.
func (m *Model) addTransfers(out []Transfer, v, target *infer.Val) []Transfer {
	if !m.isElement(target) {
		return out
	}
	for _, s := range m.g.Paths(v) {
		to, ok := m.elementOf(s.Of(target))
		if !ok {
			continue
		}
		written := s
		if v.IsOp("copy") {
			written = s.Input(1)
		}
		if t, ok := m.mixed(to, written); ok {
			t.At = s
			out = append(out, t)
		}
	}
	return out
}

// isElement is a quick look whether a value may be a parameter of a list of them.
func (m *Model) isElement(v *infer.Val) bool {
	for range 12 {
		v = infer.Strip(v)
		switch {
		case v == nil || len(v.In) == 0:
			return false
		case v.IsOp("add", "sub", "mul", "lerp", "copy"):
			v = v.In[0]
		default:
			return v.IsOp(infer.OpIterate, infer.OpItem)
		}
	}
	return false
}

// addAssigned adds a.data = ....
func (m *Model) addAssigned(out []Transfer, f *infer.Frame, as *ast.Assign, at *ast.Attribute) []Transfer {
	param, v := f.Val(at.X), f.Val(as.Value)
	if param == nil || v == nil || !m.isElement(param) {
		return out
	}
	for _, s := range m.g.Paths(v) {
		if to, ok := m.elementOf(s.Of(param)); ok {
			if t, ok := m.mixed(to, s); ok {
				t.At = s
				out = append(out, t)
			}
		}
	}
	return out
}

// addLoads adds a call of load_state_dict.
func (m *Model) addLoads(out []Transfer, v *infer.Val) []Transfer {
	if len(v.In) < 2 || v.In[0] == nil || v.In[1] == nil {
		return out
	}
	for _, s := range m.g.Paths(v) {
		to := element{network: s.Input(0), at: receiverOf(s)}
		from := s.Input(1).Strip()
		for from.IsOp("deepcopy", "dict", "copy") && len(from.In) > 0 {
			from = from.Input(0).Strip()
		}
		if from.IsOp("state_dict") && len(from.In) > 0 {
			if !m.rewritten(from) {
				out = append(out, Transfer{
					At: s, To: to.network, From: from.Input(0), ToAt: to.at, FromAt: receiverOf(from), Kept: number(0), Taken: number(1),
				})
				continue
			}
		}
		for _, w := range m.entries(from) {
			if t, ok := m.mixed(to, w); ok {
				t.At, t.Mixed = s, w
				out = append(out, t)
				break
			}
		}
	}
	return out
}

func number(x float64) Share { return Share{Numbers: []float64{x}} }

// rewritten reports whether entries of a dict are assigned in the body that made it.
func (m *Model) rewritten(dict query.Seen) bool { return len(m.entries(dict)) > 0 }

// entries are what stands under the keys of a dict: the elements of a comprehension, what is assigned to its items.
func (m *Model) entries(dict query.Seen) []query.Seen {
	if !dict.Known() || dict.Frame == nil {
		return nil
	}
	if comp, ok := dict.Node.(*ast.Comp); ok {
		if v := dict.Frame.Val(comp.Elt); v != nil {
			return []query.Seen{dict.Of(v)}
		}
		return nil
	}
	var out []query.Seen
	for _, n := range dict.Frame.Nodes() {
		as, ok := n.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		sub, ok := as.Targets[0].(*ast.Subscript)
		if !ok {
			continue
		}
		base, v := dict.Frame.Val(sub.X), dict.Frame.Val(as.Value)
		if base != nil && v != nil && (infer.Strip(base) == dict.Val || base.Ref != nil && base.Ref == dict.Ref) {
			out = append(out, dict.Of(v))
		}
	}
	return out
}

// element is one parameter out of the list of all.
type element struct {
	list    query.Seen  // what is gone through; no value where only the network is known
	network query.Seen  // no value where the list comes from outside
	at      query.Place // the expression that is the network there
	node    ast.Node    // by what the loop goes through several lists side by side
}

// elementOf reads s as a parameter of a network, or of a list of them.
func (m *Model) elementOf(s query.Seen) (element, bool) {
	for range 8 {
		s = s.StripTo(isEntry)
		if !s.IsOp("add", "sub", "mul", "lerp", "copy") || len(s.In) == 0 { // written before: it is the same parameter
			break
		}
		s = s.Input(0)
	}
	if !s.Known() || !s.IsOp(infer.OpIterate, infer.OpItem) || len(s.In) == 0 {
		return element{}, false
	}
	out := element{node: s.Node, list: s.Input(0)}
	list := out.list.Strip()
	for range 8 {
		switch {
		case !list.Known() || len(list.In) == 0:
			return out, out.list.Known()
		case list.IsOp("parameters", "named_parameters", "state_dict", "buffers", "named_buffers"):
			if n := list.Input(0).Strip(); !n.Known() || !n.IsNone() { // else subclasses say which it is
				out.network, out.at = list.Input(0), receiverOf(list)
			}
			return out, true
		case list.IsOp("items", "values", "keys", "deepcopy", "copy", infer.OpDisplay):
			list = list.Input(0).Strip()
		default:
			return out, true
		}
	}
	return out, true
}

// isEntry reports whether s is what stands under a key of a state dict: a parameter, not a part of one tensor.
func isEntry(s query.Seen) bool {
	if !s.Known() || s.Op != infer.OpItem || len(s.In) == 0 {
		return false
	}
	dict := s.Input(0).Strip()
	for range 4 {
		if !dict.IsOp("deepcopy", "dict", "copy") || len(dict.In) == 0 {
			break
		}
		dict = dict.Input(0).Strip()
	}
	return dict.IsOp("state_dict")
}

// receiverOf is the expression on which a method is called.
func receiverOf(s query.Seen) query.Place {
	if call, ok := s.Node.(*ast.Call); ok {
		if at, ok := call.Fun.(*ast.Attribute); ok {
			return query.Place{Frame: s.Frame, Node: at.X}
		}
	}
	return query.Place{}
}

// is reports whether two parameters are of one network.
func (e element) is(o element) bool {
	switch {
	case e.network.Known() && o.network.Known():
		return sameObject(e.network, o.network)
	case e.list.Known() && o.list.Known():
		return e.list.Strip().Val == o.list.Strip().Val
	}
	return false
}

// sameObject compares by objects: what two calls of one function make are two, though one expression made both.
func sameObject(a, b query.Seen) bool {
	if a.Ref != nil || b.Ref != nil {
		return a.Ref == b.Ref
	}
	return a.Strip().Val == b.Strip().Val
}

// opposite reports whether two parameters of one network are gone through side by side, or one was asked for under another
// name than that under which the network is loaded.
func (e element) opposite(o element) bool {
	if !e.is(o) || !e.network.Known() {
		return false
	}
	return o.node == nil && otherPath(e.at, o.at) || e.node != nil && e.node == o.node && e.list.Strip().Val != o.list.Strip().Val
}

// otherPath reports whether two places of one body name what they stand for by different variables or attributes.
func otherPath(a, b query.Place) bool {
	x, ok := a.Node.(ast.Expr)
	y, ok2 := b.Node.(ast.Expr)
	if !ok || !ok2 || a.Frame != b.Frame {
		return false
	}
	p, q := query.Path(x), query.Path(y)
	return p != "" && q != "" && p != q
}

// beside reports whether two parameters that are not known to be of networks are gone through side by side.
func (e element) beside(o element) bool {
	return e.network.Known() && o.network.Known() || e.node != nil && e.node == o.node
}

// part is one summand of what is written: a parameter and its factors.
type part struct {
	of      element
	number  query.Seen // instead of a parameter
	factors []query.Seen
	sign    float64
}

// mixed reads what is written into a parameter as a share of itself and one of another.
func (m *Model) mixed(to element, written query.Seen) (Transfer, bool) {
	parts, ok := m.linear(nil, written, nil, 1, 8)
	if !ok {
		return Transfer{}, false
	}
	var from element
	var own, other []part
	var offsets []query.Seen
	for _, p := range parts {
		switch {
		case p.of.opposite(to): // of one network on both sides
			return Transfer{To: to.network, From: p.of.network, ToAt: to.at, FromAt: p.of.at}, true
		case p.number.Known():
			if !isFactor(p.number, parts) {
				return Transfer{}, false
			}
			offsets = append(offsets, p.number)
		case p.of.is(to):
			own = append(own, p)
		case len(other) == 0 && (p.of.beside(to) || !to.list.Known()), len(other) > 0 && p.of.is(from):
			from = p.of
			other = append(other, p)
		default:
			return Transfer{}, false
		}
	}
	if len(other) == 0 {
		return Transfer{}, false
	}
	return Transfer{To: to.network, From: from.network, ToAt: to.at, FromAt: from.at, Kept: shareOf(own), Taken: shareOf(other), Offsets: offsets}, true
}

// isFactor reports whether a summand is a number: its value is known, or it is a factor of another one.
func isFactor(s query.Seen, parts []part) bool {
	if list, ok := s.Numbers(); ok {
		return !slices.Contains(list, 0)
	}
	return slices.ContainsFunc(parts, func(p part) bool { return slices.ContainsFunc(p.factors, s.Same) })
}

// maxSummands bounds the summands of what is written.
const maxSummands = 6

// linear takes a sum apart into parameters with their factors.
func (m *Model) linear(out []part, s query.Seen, factors []query.Seen, sign float64, depth int) ([]part, bool) {
	x := s.Strip()
	if !x.Known() || depth == 0 || len(out) > maxSummands {
		return nil, false
	}
	inPlace := func(i int) bool { return len(x.In) > i && x.In[i] != nil }
	switch {
	case x.IsOp("add", "sub") && inPlace(1):
		second := factors
		if inPlace(2) { // alpha
			second = append(slices.Clip(second), x.Input(2))
		}
		out, ok := m.linear(out, x.Input(0), factors, sign, depth-1)
		if !ok {
			return nil, false
		}
		if x.IsOp("sub") {
			sign = -sign
		}
		return m.linear(out, x.Input(1), second, sign, depth-1)
	case x.IsOp("mul") && inPlace(1):
		i := 0
		if !m.holdsElement(x.Input(0), depth) {
			i = 1
		}
		return m.linear(out, x.Input(i), append(slices.Clip(factors), x.Input(1-i)), sign, depth-1)
	case x.IsOp("lerp") && inPlace(2):
		out, ok := m.linear(out, x.Input(0), factors, sign, depth-1)
		if !ok {
			return nil, false
		}
		weighed := append(slices.Clip(factors), x.Input(2))
		if out, ok = m.linear(out, x.Input(0), weighed, -sign, depth-1); !ok {
			return nil, false
		}
		return m.linear(out, x.Input(1), weighed, sign, depth-1)
	case x.IsOp("copy") && inPlace(1):
		return m.linear(out, x.Input(1), factors, sign, depth-1)
	}
	if e, ok := m.elementOf(s); ok {
		return append(out, part{of: e, factors: factors, sign: sign}), true
	}
	return append(out, part{number: x, factors: factors, sign: sign}), len(factors) == 0
}

// holdsElement reports whether a factor is a parameter or made of some.
func (m *Model) holdsElement(s query.Seen, depth int) bool {
	x := s.Strip()
	if x.Known() && depth > 0 && x.IsOp("add", "sub", "mul") && len(x.In) > 1 {
		return m.holdsElement(x.Input(0), depth-1) || m.holdsElement(x.Input(1), depth-1)
	}
	_, ok := m.elementOf(s)
	return ok && !isPlainNumber(x)
}

func isPlainNumber(s query.Seen) bool {
	_, ok := s.Float()
	return ok
}

// shareOf adds up the factors of some parts.
func shareOf(parts []part) Share {
	if len(parts) == 0 {
		return number(0)
	}
	out := Share{scaled: slices.ContainsFunc(parts, func(p part) bool { return len(p.factors) > 0 })}
	sums := []float64{0}
	for _, p := range parts {
		products := []float64{p.sign}
		for _, f := range p.factors {
			list, ok := f.Numbers()
			if !ok {
				return out
			}
			products = cross(products, list, func(x, y float64) float64 { return x * y })
		}
		sums = cross(sums, products, func(x, y float64) float64 { return x + y })
		if len(sums) > maxShares {
			return out
		}
	}
	out.Numbers = sums
	return out
}

// maxShares bounds the numbers that a share may be.
const maxShares = 64

func cross(xs, ys []float64, op func(x, y float64) float64) (out []float64) {
	for _, x := range xs {
		for _, y := range ys {
			if len(out) > maxShares {
				return out
			}
			out = append(out, op(x, y))
		}
	}
	return out
}

// SumsToOne reports whether the shares of a transfer may add up to one: also where they are not known. Shares of
// which one is not scaled here are left alone, since the scaling may stand elsewhere.
func (t Transfer) SumsToOne() bool {
	if t.Kept.Numbers == nil || t.Taken.Numbers == nil || t.Whole() || !t.Kept.scaled {
		return true
	}
	return slices.ContainsFunc(cross(t.Kept.Numbers, t.Taken.Numbers, func(x, y float64) float64 { return x + y }), func(sum float64) bool {
		return math.Abs(sum-1) < 1e-6
	})
}
