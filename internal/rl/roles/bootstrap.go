package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Target networks
//
// What makes a network the target of another is its use: the error that a loss is made of has, on one side, what the
// network in training yields, and on the other a sum of something and a share of what the target yields,
//
//	y = r + gamma * (1 - done) * target(s')        loss = (net(s) - y)^2
//
// A teacher, a network of random features and a reference are compared with as they are: no share is added to
// anything. A reference may pay, too: by a log-probability or a divergence that is added to the reward, or by what it says of the
// very state that is predicted, or of a next one whose value another network tells.

// Bootstrap is a target network.
type Bootstrap struct {
	Target, Online *Network
	// At is what the target yields.
	At *infer.Val
}

// Bootstraps returns the target networks of the program: those with which others are trained, and which no optimizer
// holds.
func (m *Model) Bootstraps() []Bootstrap {
	return m.bootstraps.get(func() []Bootstrap {
		var out []Bootstrap
		var errors []query.Seen
		for _, l := range m.Losses() {
			infer.Walk(l.Value.Val, nearLoss, func(v *infer.Val) bool {
				if pair := errorSides(l.Value.Of(v)); len(pair) == 2 {
					errors = append(errors, pair...)
				}
				return true
			})
		}
		if len(errors) == 0 {
			return nil
		}
		shares := make([][]share, len(errors))
		for i, s := range errors {
			shares[i] = sharesOf(s)
		}
		for _, target := range m.Networks {
			if target.Trained || m.Learns(target) || m.IsLayer(target) {
				continue
			}
			evals, _ := m.evaluations(target)
			for i := 0; i < len(errors); i += 2 {
				for k := range 2 {
					j := slices.IndexFunc(shares[i+k], func(s share) bool { return firstOf(s.parts, evals) != nil })
					if j < 0 || m.valuedBeside(shares[i+k], j, target) {
						continue
					}
					at := firstOf(shares[i+k][j].parts, evals)
					if m.isOfSharedLayer(at, target) || evaluationIn(errors[i+1-k].Val, evals) != nil {
						continue // what is added to the prediction as well is a part of what predicts, as a prior is
					}
					for _, n := range m.predictors(errors[i+1-k], target) {
						if !m.asksTheSame(at, n, errors[i+1-k]) && !slices.ContainsFunc(out, func(b Bootstrap) bool { return b.Target == target && b.Online == n }) {
							out = append(out, Bootstrap{target, n, at})
						}
					}
				}
			}
		}
		return out
	})
}

// isOfSharedLayer reports whether what yielded v is a layer that other networks have too, as one encoder of several heads: then it may be
// another one of them that was evaluated.
func (m *Model) isOfSharedLayer(v *infer.Val, n *Network) bool {
	own := m.LayersOf(n)
	return slices.ContainsFunc(v.In, func(x *infer.Val) bool {
		return x != nil && x.Ref != nil && x.Ref != n.Ref && own[x.Ref] && slices.ContainsFunc(m.Networks, func(o *Network) bool {
			return o != n && o.Ref != x.Ref && !m.IsLayer(o) && m.LayersOf(o)[x.Ref]
		})
	})
}

// nearLoss bounds the way from a loss back to the errors that it is made of.
const nearLoss = 400

// errorSides are both sides of the error that s is, or nothing.
func errorSides(s query.Seen) []query.Seen {
	pair := query.ErrorsOf(s)
	if len(pair) == 1 {
		d := pair[0].Difference()
		if !d.Known() || len(d.In) < 2 {
			return nil
		}
		pair = []query.Seen{d.Input(0), d.Input(1)}
	}
	return pair
}

// share is a product that is added to something, with what it is made of.
type share struct {
	product *infer.Val
	parts   []*infer.Val
}

// sharesOf are the products that are added to something on the way to s, nearest first.
func sharesOf(s query.Seen) (out []share) {
	infer.Walk(s.Val, nearLoss, func(v *infer.Val) bool {
		if v.IsOp("add") && len(v.In) > 1 {
			for _, x := range v.In[:2] {
				if product := infer.Strip(x); product != nil && product.IsOp("mul") {
					out = append(out, share{product, valuesIn(product)})
				}
			}
		}
		return true
	})
	return out
}

// aboutPolicies are what a reference says of actions or tokens, and no value of a state.
const aboutPolicies = domain.LogProb | domain.LogRatio | domain.KL | domain.Entropy

// valuesIn is what v is made of, other than by way of a log-probability or a divergence.
func valuesIn(v *infer.Val) (parts []*infer.Val) {
	infer.Walk(v, nearLoss, func(x *infer.Val) bool {
		if x.Is(aboutPolicies) {
			return false
		}
		parts = append(parts, x)
		return true
	})
	return parts
}

// valuedBeside reports whether another share of a sum, apart from the j-th, holds what a network of the kind of a target yields that is trained or kept
// up to date: that is the value of the next state.
func (m *Model) valuedBeside(shares []share, j int, target *Network) bool {
	for i, s := range shares {
		if i == j || slices.Contains(s.parts, shares[j].product) || slices.Contains(shares[j].parts, s.product) {
			continue
		}
		for _, n := range m.Networks {
			if n == target || m.IsLayer(n) || !sameClass(n, target) && n.CopyOf != target && target.CopyOf != n && (n.CopyOf == nil || n.CopyOf != target.CopyOf) {
				continue
			}
			if evals, _ := m.evaluations(n); firstOf(s.parts, evals) != nil && (n.Trained || m.Follows(Bootstrap{Target: n})) {
				return true
			}
		}
	}
	return false
}

// asksTheSame reports whether a network is asked, in what a loss compares, of the very state of which at tells, position by position: at is then
// no value of what comes next.
func (m *Model) asksTheSame(at *infer.Val, n *Network, prediction query.Seen) bool {
	evals, _ := m.evaluations(n)
	now := evaluationIn(prediction.Val, evals)
	a, b := firstArgument(at), firstArgument(now)
	return a != nil && b != nil && infer.SameSource(a, b) && !m.movedOn(at, nearMove)
}

// firstArgument is the first argument of the call that yielded a value; nil where there is none.
func firstArgument(v *infer.Val) *infer.Val {
	if v == nil || v.Frame == nil {
		return nil
	}
	call, ok := v.Node.(*ast.Call)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	return v.Frame.Val(call.Args[0])
}

// nearMove bounds the way from what a network yields to a slice of it.
const nearMove = 6

// movedOn reports whether something is made of v at other positions: of the steps that follow, as v[1:] and v[t + 1].
func (m *Model) movedOn(v *infer.Val, depth int) bool {
	return depth > 0 && slices.ContainsFunc(m.g.UsesOf(v), func(u *infer.Val) bool {
		return u.IsOp("roll") || u.Op == infer.OpItem && len(u.In) > 1 && u.In[0] == v && isMove(u.In[1]) || m.movedOn(u, depth-1)
	})
}

// isMove reports whether an index leaves out what comes first, or is computed.
func isMove(index *infer.Val) bool {
	parts := []*infer.Val{index}
	if seq, ok := infer.RefOf(index).(*infer.SeqRef); ok {
		parts = seq.Elems
	}
	return slices.ContainsFunc(parts, func(p *infer.Val) bool {
		cut, ok := infer.RefOf(p).(*infer.SliceRef)
		return ok && cut.Low != nil && !cut.Low.IsNone() || infer.Strip(p).IsOp("add", "sub")
	})
}

// firstOf returns the first of some values that is one of some evaluations; nil for none.
func firstOf(values, evals []*infer.Val) *infer.Val {
	if i := slices.IndexFunc(values, func(x *infer.Val) bool { return slices.Contains(evals, x) }); i >= 0 {
		return values[i]
	}
	return nil
}

func evaluationIn(v *infer.Val, evals []*infer.Val) (found *infer.Val) {
	infer.Walk(v, nearLoss, func(x *infer.Val) bool {
		if found == nil && slices.Contains(evals, x) {
			found = x
		}
		return found == nil
	})
	return found
}

// predictors are the trained networks of the kind of a target that make what s is.
func (m *Model) predictors(s query.Seen, target *Network) (out []*Network) {
	for _, n := range m.Networks {
		if n == target || !n.Trained || m.IsLayer(n) || n.CopyOf != target && target.CopyOf != n && !sameClass(n, target) && !writtenAlike(n, target) {
			continue
		}
		evals, _ := m.evaluations(n)
		if evaluationIn(s.Val, evals) != nil {
			out = append(out, n)
		}
	}
	return out
}

// writtenAlike reports whether two networks are made of a library's layers by expressions that read the same.
func writtenAlike(a, b *Network) bool {
	x, y := a.Val, b.Val
	if x.Frame == nil || y.Frame == nil || x.Frame.Module != y.Frame.Module || x.Node == nil || y.Node == nil {
		return false
	}
	_, lib := a.Ref.(*infer.LibObject)
	_, too := b.Ref.(*infer.LibObject)
	m := x.Frame.Module.AST
	return lib && too && m != nil && m.Source(x.Node) == m.Source(y.Node)
}

// Follows reports whether weights may go into a target again and again: its parameters are asked for while the program
// trains, or something that is not understood has the network.
func (m *Model) Follows(b Bootstrap) bool {
	if _, known := m.evaluations(b.Target); !known || m.gathered(b.Target) || b.Target.Val.Frame == nil {
		return true
	}
	for _, v := range m.g.Made("parameters", "named_parameters", "buffers", "state_dict", "load_state_dict") {
		for _, s := range m.g.Paths(v) {
			n := m.Network(s.Input(0).Val)
			if staysInDict(s) {
				continue
			}
			if n == nil || m.LayersOf(b.Target)[n.Ref] && m.Repeats(s) { // nil: one of several networks, or what is not known
				return true
			}
		}
	}
	return m.handled(b.Target)
}

// handled reports whether the program takes layers or weights of a network one by one, outside its class and other than where it is made: each may
// be written into.
func (m *Model) handled(n *Network) bool {
	own := m.LayersOf(n)
	for _, v := range m.g.Made("children", "named_children", "modules", "named_modules", "get_submodule", "get_parameter") {
		if s := m.g.See(v); s.Frame != nil && !methodOf(s.Frame, own) && s.Input(0).Known() && own[s.Input(0).Ref] && !isConstructor(s.Frame) {
			return true
		}
	}
	part := func(f *infer.Frame, x ast.Expr) bool {
		v := f.Val(x)
		return v != nil && v.Ref != nil && own[v.Ref] && !methodOf(f, own) && !isConstructor(f) && (f.Func != nil || len(query.Around(query.Place{Frame: f, Node: x})) > 0)
	}
	for f, at := range query.Everywhere[*ast.Attribute](m.g) {
		if weightAttrs[at.Attr] && part(f, at.X) {
			return true
		}
	}
	for f, t := range query.Everywhere[*ast.Tuple](m.g) {
		if slices.ContainsFunc(t.Elts, func(x ast.Expr) bool {
			_, isAttr := x.(*ast.Attribute)
			return isAttr && part(f, x) && f.Val(x).Ref != n.Ref
		}) {
			return true // pairs of layers, which a loop goes through
		}
	}
	return false
}

// weightAttrs are attributes by which a layer yields its weights.
var weightAttrs = query.Words(`weight bias _parameters _modules`)

// isConstructor reports whether a frame is of a method __init__.
func isConstructor(f *infer.Frame) bool { return f.Func != nil && f.Func.Name() == "__init__" }

// gathered reports whether a network is put into a list, tuple or dict other than to bind several names at once: a loop
// over these may do to it what is seen of its last round alone.
func (m *Model) gathered(n *Network) bool {
	for f := range m.g.EachFrame {
		bound := map[ast.Node]bool{}
		for _, node := range f.Nodes() {
			if as, ok := node.(*ast.Assign); ok && !slices.ContainsFunc(as.Targets, isOneName) {
				bound[as.Value] = true
			}
			switch node.(type) {
			case *ast.Tuple, *ast.List, *ast.Dict, *ast.Comp:
			default:
				continue
			}
			if v := f.Val(node); v != nil && !bound[node] && slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && x.Ref == n.Ref }) {
				return true
			}
		}
	}
	return false
}

// isOneName reports whether what is assigned is kept as a whole.
func isOneName(target ast.Expr) bool {
	switch target.(type) {
	case *ast.Tuple, *ast.List:
		return false
	}
	return true
}

// Repeats reports whether something happens again and again while networks are trained, on the chain of calls by which
// it is seen: in a loop that steps an optimizer, or in what begins with a function that nobody is seen to call.
func (m *Model) Repeats(s query.Seen) bool {
	if f := s.Outermost(); f.Entry && f.Func != nil && f.Func.Name() != "__init__" {
		return true
	}
	return slices.ContainsFunc(s.Loops(), m.Updates)
}

// Calls are the values that a network yields, by the innermost calls that it goes into, as far as they are seen.
func (m *Model) Calls(n *Network) []*infer.Val {
	out, _ := m.evaluations(n)
	return out
}

// SameKind reports whether two networks are instances of one class that are made by the same operation.
func (m *Model) SameKind(a, b *Network) bool { return sameClass(a, b) }

// SquaredError is an error between two values that a loss is made of.
type SquaredError struct {
	// Sides are prediction and target, in the order in which they stand.
	Sides [2]query.Seen
}

// Errors returns the squared and absolute errors that losses are made of.
func (m *Model) Errors() (out []SquaredError) {
	seen := map[*infer.Val]bool{}
	for _, l := range m.Losses() {
		infer.Walk(l.Value.Val, nearLoss, func(v *infer.Val) bool {
			if pair := errorSides(l.Value.Of(v)); len(pair) == 2 && pair[0].Known() && pair[1].Known() && !seen[v] {
				seen[v] = true
				out = append(out, SquaredError{[2]query.Seen{pair[0], pair[1]}})
			}
			return true
		})
	}
	return out
}

// Idle reports whether nothing is seen to ask a network for anything, and all that has it is understood.
func (m *Model) Idle(n *Network) bool {
	calls, known := m.evaluations(n)
	return known && len(calls) == 0 && !m.gathered(n)
}
