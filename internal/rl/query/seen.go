package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// maxSteps bounds the way back of one value.
const maxSteps = 64

// # A value and who looks at it
//
// A function is evaluated once for all calls whose contexts are equal, so inside
// it a parameter is the value of the first of these calls. For quantities that is
// no loss. A rule that asks how a value was made ("is it a difference, or the
// exponential of one?") must know for which call it asks. A Seen is a value with
// the way on which the eye came to it: going down into a callee, the way holds the
// arguments of that call; at the parameters of the evaluation where the eye
// started, each of the calls is a possibility of its own (Callers).

// Seen is a value as seen from an evaluation.
type Seen struct {
	*infer.Val
	in *view
	g  *Graph
}

// view is an evaluation that is looked into: through one call of it, or, at the
// start of the way, through none in particular.
type view struct {
	frame *infer.Frame
	args  []*infer.Val // what the parameters are; nil at the start
	up    *view        // where the arguments are seen from
	call  ast.Node     // the call in up's evaluation, where the way began outside
}

// See looks at a value from the evaluation that computed it.
func (g *Graph) See(v *infer.Val) Seen {
	if v == nil {
		return Seen{g: g}
	}
	return g.look(v, &view{frame: v.Frame})
}

// Plain reports whether s is a value as the evaluation sees it that computed it, whoever calls:
// what is found of it holds for all.
func (s Seen) Plain() bool { return s.Known() && s.in.up == nil && s.in.frame == s.Frame }

// look resolves parameters on the way down, and notes where v was computed.
func (g *Graph) look(v *infer.Val, in *view) Seen {
	for range maxSteps {
		i := paramOf(in.frame, v)
		if i >= 0 && in.up != nil && i < len(in.args) && in.args[i] != nil {
			v, in = in.args[i], in.up
			continue
		}
		if i < 0 && v != nil && v.Frame != nil && v.Frame != in.frame {
			in = &view{frame: v.Frame, args: v.Frame.Params, up: in}
		}
		break
	}
	return Seen{v, in, g}
}

// paramOf returns which parameter of a frame a value is, or -1.
func paramOf(f *infer.Frame, v *infer.Val) int {
	if f == nil || v == nil {
		return -1
	}
	return slices.Index(f.Params, v)
}

// Of looks at a value from where s is seen: an input of s, for example.
func (s Seen) Of(v *infer.Val) Seen {
	if v == nil || s.Val == nil {
		return Seen{g: s.g}
	}
	return s.g.look(v, s.in)
}

// Input returns the i-th input of the operation that computed s.
func (s Seen) Input(i int) Seen {
	if s.Val == nil || i >= len(s.In) {
		return Seen{g: s.g}
	}
	return s.Of(s.In[i])
}

// Uses returns the values that were made of s.
func (s Seen) Uses() []*infer.Val { return s.g.UsesOf(s.Val) }

// Known reports whether there is a value.
func (s Seen) Known() bool { return s.Val != nil }

// Strip follows a value back through what does not change its numbers: views,
// casts, detach, returns of calls, and pieces that are put together again.
func (s Seen) Strip() Seen { return s.StripTo(func(Seen) bool { return false }) }

// StripTo is Strip that ends at the first value of which there holds is true.
func (s Seen) StripTo(holds func(Seen) bool) Seen {
	for range maxSteps {
		next := s.through()
		if next.Val == nil || next.Val == s.Val || holds(s) {
			break
		}
		s = next
	}
	return s
}

// Cut returns the view of s that cuts it off from its gradient: detach() or item();
// no value where none does.
func (s Seen) Cut() Seen {
	for range maxSteps {
		if s.Val == nil {
			break
		}
		if s.Fn != nil && (s.IsOp("detach", "data", "numpy", "tolist") || strings.HasSuffix(s.Op, ".item")) { // an index is an "item", too
			return s
		}
		s = s.through()
	}
	return Seen{}
}

func (s Seen) through() Seen {
	switch from := infer.Through(s.Val); {
	case s.Val == nil:
		return s
	case from != nil && s.Op == infer.OpCall:
		return s.enter(from)
	case from != nil:
		return s.Of(from)
	case s.IsOp("chunk", "split", "tensor_split", "unbind", "array_split") && len(s.In) > 0:
		return s.Input(0)
	case s.IsOp("cat", "concat", "concatenate", "stack", "hstack", "vstack") && len(s.In) > 0:
		return s.onlyElement()
	}
	return Seen{g: s.g}
}

// enter goes down into the call that yielded s.
func (s Seen) enter(result *infer.Val) Seen {
	site := s.g.Values.SiteOf(s.Val)
	if site == nil {
		return s.Of(result)
	}
	return s.g.look(result, &view{frame: site.Callee, args: site.Args, up: s.in})
}

// onlyElement is what all elements of a joined list are, where that is one value.
func (s Seen) onlyElement() Seen {
	list := s.Input(0)
	seq, ok := list.Referent().(*infer.SeqRef)
	switch {
	case !ok:
	case seq.Elem != nil && len(seq.Elems) == 0:
		return list.Of(seq.Elem)
	case len(seq.Elems) == 1:
		return list.Of(seq.Elems[0])
	}
	return Seen{g: s.g}
}

func (s Seen) Referent() infer.Ref {
	if s.Val == nil {
		return nil
	}
	return s.Val.Ref
}

// Callers returns what s is at each of the calls that its evaluation stands for,
// where s is a parameter of the evaluation from which it is looked at; else s.
func (s Seen) Callers() []Seen { return s.callers(6) }

func (s Seen) callers(depth int) []Seen {
	i := -1
	if s.Val != nil && s.in.up == nil {
		i = paramOf(s.in.frame, s.Val)
	}
	if i < 0 || depth == 0 {
		return []Seen{s}
	}
	var out []Seen
	for site := range s.in.frame.Sites {
		if i < len(site.Args) && site.Args[i] != nil {
			out = append(out, s.g.look(site.Args[i], &view{frame: site.Caller}).callers(depth-1)...)
		}
	}
	if len(out) == 0 {
		return []Seen{s}
	}
	return out
}

// Same reports whether two values carry the same numbers: one value, or the same
// operation on the same values, which is how a[i] is written twice.
func (s Seen) Same(o Seen) bool { return s.same(o, 6) }

func (s Seen) same(o Seen, depth int) bool {
	s, o = s.Strip(), o.Strip()
	if s.Val == nil || o.Val == nil {
		return false
	}
	joined := (s.Op == infer.OpPhi) != (o.Op == infer.OpPhi) // a join stands where its last value does
	switch {
	case infer.Apart(s.Val, o.Val):
		return false
	case s.Val == o.Val, infer.MadeAlike(s.Val, o.Val) && !joined:
		return s.in.sameArgs(o.in, s.g, depth-1)
	}
	if x, ok := s.Float(); ok {
		y, ok := o.Float()
		return ok && x == y
	}
	if depth == 0 || s.Op != o.Op || !repeatable(s.Val) || len(s.In) != len(o.In) || s.in.ofOtherNetwork(o.in, s.g) {
		return false
	}
	for i := range s.In {
		if s.In[i] == nil && o.In[i] == nil || i > 0 && s.sameIndex(o) {
			continue
		}
		if !s.Input(i).same(o.Input(i), depth-1) {
			return false
		}
	}
	return true
}

// sameArgs reports whether two evaluations of one function, entered on the way to two values, got the same arguments: a
// function is evaluated once for calls whose contexts are equal, of whose arguments nothing else may be known.
func (a *view) sameArgs(b *view, g *Graph, depth int) bool {
	if depth <= 0 || a == b || a == nil || b == nil || a.up == nil || b.up == nil || a.frame != b.frame || len(a.args) != len(b.args) {
		return true
	}
	for i, x := range a.args {
		if x != nil && b.args[i] != nil && !g.look(x, a.up).same(g.look(b.args[i], b.up), depth-1) {
			return false
		}
	}
	return true
}

// ofOtherNetwork reports whether two evaluations of one function, each entered on the way to a value, got networks that were
// made apart, as a policy and its copy: what they yield of the same input is not the same.
func (a *view) ofOtherNetwork(b *view, g *Graph) bool {
	if a == nil || b == nil || a.up == nil || b.up == nil || !SameBody(a.frame, b.frame) || len(a.args) != len(b.args) {
		return false
	}
	for i, x := range a.args {
		if x == nil || b.args[i] == nil || !x.Is(domain.Module) {
			continue
		}
		x, y := g.look(x, a.up).made(), g.look(b.args[i], b.up).made()
		if x.Known() && y.Known() && !infer.MadeAlike(x.Val, y.Val) {
			return true
		}
	}
	return false
}

// made is where the program makes the network s, anew or as a copy; no value where that is not seen.
func (s Seen) made() Seen {
	x := s.Strip()
	for range maxSteps {
		if !x.Known() || !x.IsOp("requires_grad") {
			break
		}
		x = x.Input(0).Strip()
	}
	if x.Known() && x.IsOp(infer.OpNew, "deepcopy") {
		return x
	}
	return Seen{g: s.g}
}

// sameIndex reports whether both are x[i] with the same i, as it is written.
func (s Seen) sameIndex(o Seen) bool {
	a, ok := s.Node.(*ast.Subscript)
	b, ok2 := o.Node.(*ast.Subscript)
	if !ok || !ok2 || s.Frame != o.Frame || !s.IsOp(infer.OpItem) {
		return false
	}
	m := s.Frame.Module.AST
	return m != nil && m.Source(a.Index) == m.Source(b.Index)
}

// repeatable reports whether the operation yields the same when it is done again.
func repeatable(v *infer.Val) bool {
	if len(v.In) == 0 || v.IsOp("sample", "rsample", "dropout", infer.OpCall) {
		return false
	}
	return v.Fn != nil || v.Op == infer.OpItem || strings.HasPrefix(v.Op, infer.OpAttr+".")
}

// unshaped are operations that change neither numbers nor shape.
var unshaped = []string{
	"detach", "clone", "to", "float", "double", "half", "cpu", "cuda", "contiguous", "astype", "numpy", "from_numpy",
	"tensor", "as_tensor", "asarray", "array", "Variable",
}

// Returned looks at what the call that computed s returned; no value where s is
// no call that was followed.
func (s Seen) Returned() Seen {
	if s.Val == nil || s.Op != infer.OpCall {
		return Seen{g: s.g}
	}
	from := infer.Through(s.Val)
	if from == nil {
		return Seen{g: s.g}
	}
	return s.enter(from)
}

// Unreduced is what a sum or mean is over, however many there are one inside another, as
// over tokens and then over a batch; s itself where it is neither.
func (s Seen) Unreduced() Seen {
	x := s.Strip()
	for range maxSteps {
		if !x.Known() || !x.IsOp("sum", "mean") || len(x.In) == 0 {
			break
		}
		x = x.Input(0).Strip()
	}
	return x
}

// SameShape follows a value back through what changes neither its numbers nor its
// shape: Strip without transposes, views and indexing.
func (s Seen) SameShape() Seen {
	for range maxSteps {
		next := Seen{}
		switch {
		case s.Val == nil || len(s.In) == 0 || s.In[0] == nil:
			return s
		case s.Op == infer.OpCall:
			next = s.Returned()
		case s.Op == infer.OpNarrow, s.Fn != nil && s.IsOp(unshaped...):
			next = s.Input(0)
		}
		if next.Val == nil {
			return s
		}
		s = next
	}
	return s
}
