package roles

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Twice are two calls that list parameters of one network for one optimizer.
type Twice struct{ First, Second *infer.Val }

// HeldTwice returns two lists of parameters that an optimizer is given and that share some; nil where none do for sure.
func (m *Model) HeldTwice(o *Optimizer) *Twice {
	if len(o.Val.In) == 0 {
		return nil
	}
	var lists []*infer.Val
	listings(o.Val.In[0], 8, &lists)
	for i, b := range lists {
		for _, a := range lists[:i] {
			x, y := m.Network(a.In[0]), m.Network(b.In[0])
			if x != nil && y != nil && a.Node != b.Node && m.shares(x, y) && !compared(o.Val, x, y) {
				return &Twice{a, b}
			}
		}
	}
	return nil
}

// compared reports whether a value is made under a condition on one of two networks, as whether they are the same.
func compared(v *infer.Val, x, y *Network) bool {
	return v.Guarded(func(g *infer.Guard) bool {
		found := false
		infer.Walk(g.Cond, 12, func(c *infer.Val) bool {
			found = found || c.Ref != nil && (c.Ref == x.Ref || c.Ref == y.Ref)
			return !found
		})
		return found
	})
}

// listings collects the calls of parameters() of which a list is made as a whole: no filter chooses among them.
func listings(v *infer.Val, depth int, out *[]*infer.Val) {
	if v == nil || depth == 0 {
		return
	}
	if v.IsOp("parameters") && len(v.In) > 0 {
		*out = append(*out, v)
		return
	}
	if d, ok := v.Ref.(*infer.DictRef); ok {
		listings(d.Fields["params"], depth-1, out)
		return
	}
	for _, e := range joined(v.Node) {
		listings(v.Frame.Val(e), depth-1, out)
	}
}

// joined are the lists of which an expression makes one: a + b, list(a), [*a, *b], chain(a, b).
func joined(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinOp:
		if n.Op == ast.Add {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.Call:
		switch query.CalleeName(n) {
		case "list", "tuple", "chain":
			return n.Args
		}
	case *ast.List:
		return unpacked(n.Elts)
	case *ast.Tuple:
		return unpacked(n.Elts)
	}
	return nil
}

func unpacked(elts []ast.Expr) (out []ast.Expr) {
	for _, e := range elts {
		if s, ok := e.(*ast.Starred); ok {
			e = s.X
		}
		out = append(out, e)
	}
	return out
}

// shares reports whether two networks surely have a layer with weights in common.
func (m *Model) shares(x, y *Network) bool {
	if x == y {
		return m.isOne(x.Val)
	}
	of := m.Holdings(y.Ref)
	for r := range m.Holdings(x.Ref) {
		if n := m.byID[r]; of[r] && n != nil && m.isOne(n.Val) && m.HasWeights(r) {
			return true
		}
	}
	return false
}

// HasWeights reports whether an object is or holds a layer that is known to have weights.
func (m *Model) HasWeights(whole infer.Ref) bool {
	for r := range m.Holdings(whole) {
		if o, ok := r.(*infer.LibObject); ok && HasWeights(o) {
			return true
		}
	}
	return false
}

// isOne reports whether an object is made once: inference has one for all that a call, a loop or a comprehension makes.
func (m *Model) isOne(v *infer.Val) bool {
	at := query.PlaceOf(v)
	for range 16 {
		if !at.Known() || len(query.Around(at)) > 0 || inComprehension(at) {
			return false
		}
		f := at.Frame
		if f.Func == nil {
			return true
		}
		sites := 0
		for site := range f.Sites {
			sites++
			at = query.Place{Frame: site.Caller, Node: site.Node}
		}
		switch {
		case sites == 0:
			return true
		case sites > 1:
			return false
		}
	}
	return false
}

// weighted are the layers of torch that have weights.
var weighted = query.Words(`Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding LSTM GRU RNN LSTMCell GRUCell
	RNNCell MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer`)

// HasWeights reports whether an object is a layer of torch that has weights of its own.
func HasWeights(o *infer.LibObject) bool {
	name, ok := strings.CutPrefix(o.Name, "torch.nn.")
	return ok && weighted[name] && o.Class != nil && o.Class.Kind.Is(domain.Module)
}
