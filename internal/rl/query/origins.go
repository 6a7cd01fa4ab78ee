package query

import (
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Where the numbers of a value come from, and at what scale
//
// What a network is given was an observation once: it went through buffers, helpers, views and casts, and somewhere it may have been divided
// by 255 or standardised. An Origin is the value at the beginning of that way, with the operations on it that change numbers one by one,
// whatever else they are of. Two ways from one origin can be compared: they end at the same scale or they do not.

// Origin is a value of which another one is made, number by number.
type Origin struct {
	Seen
	// Part are the keys by which the other was taken out of it.
	Part string
	// Scales are the operations on the way that change the numbers, the last first.
	Scales []Seen
}

// Scaling says what became of numbers on the way.
type Scaling uint8

// What becomes of numbers: nobody knows; they stay; each is changed in the same way.
const (
	ScaleUnknown Scaling = iota
	ScaleKept
	ScaleChanged
)

// maxOrigins bounds the values on the ways back from one.
const maxOrigins = 400

// Origins follows a value back through views, casts, containers, calls and branches, and through arithmetic with constants and statistics.
// Constants are no origins. There are none where the way is too long.
func (s Seen) Origins() []Origin {
	w := originWalk{room: maxOrigins, seen: map[originStep]bool{}}
	w.visit(s, "", nil)
	if w.room < 0 {
		return nil
	}
	return w.list
}

type originWalk struct {
	room int
	seen map[originStep]bool
	list []Origin
}

// originStep is a value that was come to in one way.
type originStep struct {
	of     *infer.Val
	up     *view
	part   string
	scales int
}

func (w *originWalk) visit(s Seen, part string, scales []Seen) {
	for {
		if w.room--; w.room < 0 || !s.Known() || s.IsNone() || s.Const != nil || s.Fn != nil && s.IsOp(allocating...) {
			return
		}
		for _, x := range s.g.standsFor(s.Val) {
			if at := (originStep{x, s.in, part, len(scales)}); !w.seen[at] {
				w.seen[at] = true
				w.visit(s.Of(x), part, scales)
			}
		}
		if next, ok := s.argument(); ok {
			for _, x := range next {
				w.visit(x, part, scales)
			}
			return
		}
		if s.Op == infer.OpPhi || s.Op == infer.OpStore || IsContainer(s.Val) || s.joins() {
			at := originStep{s.Val, s.in, part, len(scales)}
			if w.seen[at] {
				return
			}
			w.seen[at] = true
			from := s.several()
			if len(from) == 0 {
				w.list = append(w.list, Origin{s, part, scales})
			}
			for _, x := range from {
				w.visit(x, part, scales)
			}
			return
		}
		next, key := s.before()
		if !next.Known() {
			var scaled bool
			if next, scaled = s.ScaledOf(); !scaled {
				w.list = append(w.list, Origin{s, part, scales})
				return
			}
			scales = append(slices.Clip(scales), s)
		}
		s, part = next, key+part
	}
}

// standsFor are the values that v took in where control flow meets, since nothing tells them apart but how they were made.
func (g *Graph) standsFor(v *infer.Val) []*infer.Val {
	g.tookIn.once.Do(func() {
		g.tookIn.of = map[*infer.Val][]*infer.Val{}
		for x, by := range g.Values.Absorbed {
			if x != by && !slices.Contains(g.tookIn.of[by], x) {
				g.tookIn.of[by] = append(g.tookIn.of[by], x)
			}
		}
	})
	return g.tookIn.of[v]
}

// argument is what s is at the calls of the evaluation from which it is seen, where it is a parameter of that.
func (s Seen) argument() ([]Seen, bool) {
	if s.in.up != nil || paramOf(s.in.frame, s.Val) < 0 {
		return nil, false
	}
	list := s.callers(1)
	if len(list) == 1 && list[0].Val == s.Val && list[0].in == s.in {
		return nil, false
	}
	return list, true
}

// joins reports whether several values are put side by side in s.
func (s Seen) joins() bool {
	return s.Fn != nil && s.IsOp("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack") && len(s.In) > 0
}

// several are the values of which s is one, or which it holds.
func (s Seen) several() (out []Seen) {
	if s.joins() {
		return []Seen{s.Input(0)}
	}
	if s.Op == infer.OpStore && len(s.In) > 1 {
		return []Seen{s.Input(0), s.Input(1)}
	}
	if s.Op == infer.OpPhi && s.Ref == nil {
		for i := range s.In {
			out = append(out, s.Input(i))
		}
		return out
	}
	if seq, ok := s.Ref.(*infer.SeqRef); ok {
		for _, x := range append([]*infer.Val{seq.Elem}, seq.Elems...) {
			if x != nil {
				out = append(out, s.Of(x))
			}
		}
	}
	return out
}

// allocating are operations that make arrays in which nothing is kept yet.
var allocating = []string{"zeros", "empty", "ones", "full", "zeros_like", "empty_like", "ones_like", "full_like", "new_zeros", "new_empty"}

// shaping are operations beside those that inference hands through that keep the numbers, or bound them.
var shaping = []string{
	"expand_dims", "moveaxis", "swapaxes", "swapdims", "movedim", "pin_memory", "ascontiguousarray", "atleast_1d", "atleast_2d", "ravel",
	"float32", "float64", "clip", "clamp", "nan_to_num", "stop_gradient", "int", "long", "byte", "type", "tile", "roll", "flip",
}

// before is the value that s is but for its shape, its type and its bounds, and the key by which it was taken out of it.
func (s Seen) before() (next Seen, key string) {
	if s.calledModule() != nil || len(s.In) == 0 || s.In[0] == nil {
		return Seen{g: s.g}, ""
	}
	if next = s.through(); next.Known() && next.Val != s.Val {
		return next, ""
	}
	switch {
	case s.Op == infer.OpCall && !s.Unfollowed() && s.In[0].Frame != nil:
		return s.enter(s.In[0]), ""
	case s.Fn != nil && s.IsOp(shaping...):
		return s.Input(0), ""
	case s.Op == infer.OpCall+".__array__": // numpy asks objects for their array by this name
		return s.Input(0), ""
	case s.Op == infer.OpItem && len(s.In) > 1:
		return s.Input(0).when(keyOf(s.Val) != "" || addsAxes(s.Val) || s.Input(1).Is(domain.Index)), keyOf(s.Val)
	}
	return Seen{g: s.g}, ""
}

// when is s where something holds, and no value else.
func (s Seen) when(holds bool) Seen {
	if holds {
		return s
	}
	return Seen{g: s.g}
}

// addsAxes reports whether an index takes all there is, with further axes: x[None], x[:, None].
func addsAxes(v *infer.Val) bool {
	at, ok := v.Node.(*ast.Subscript)
	if !ok {
		return false
	}
	for _, e := range append([]ast.Expr{at.Index}, axesIndexed(v)...) {
		if _, is := e.(*ast.Tuple); !is && !isWhole(e) && !v.Frame.Val(e).IsNone() {
			return false
		}
	}
	return true
}

// numberwise are functions that change each number by itself.
var numberwise = []string{"tanh", "sigmoid", "log", "log1p", "log2", "log10", "sqrt", "sign", "square", "exp", "normalize"}

// ScaledOf is the value whose numbers s holds changed, each in the same way: by a constant, a statistic or a function of one number; ok is
// false where s is no such thing.
func (s Seen) ScaledOf() (of Seen, ok bool) {
	switch {
	case len(s.In) == 0 || s.In[0] == nil:
	case s.Fn != nil && s.IsOp(numberwise...):
		return s.Input(0), true
	case len(s.In) < 2 || s.In[1] == nil:
	case s.IsOp("div", "sub", "mul", "add") && s.scalesBy(1):
		return s.Input(0), !s.Input(0).isScale()
	case s.IsOp("sub", "mul", "add") && s.scalesBy(0):
		return s.Input(1), true
	}
	return Seen{g: s.g}, false
}

// statistics are what is made of many numbers.
var statistics = []string{"mean", "std", "var", "max", "min", "amax", "amin", "norm", "sum", "median", "numel", "len", "size", "nanmean", "nanstd", "average"}

// scalesBy reports whether the i-th operand of s is a number of the program, a statistic, or made of what objects keep in their fields, as
// running statistics are. A field may keep an observation too, as the one before: that is no scale.
func (s Seen) scalesBy(i int) bool {
	x := s.Input(i)
	if x.isScale() {
		return true
	}
	e := s.g.Operand(s.Val, s.In[i])
	if e == nil {
		return false
	}
	fields, base := true, map[ast.Node]bool{}
	ast.Walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			base[n.X] = true
		case *ast.Subscript, *ast.Comp, *ast.Lambda:
			fields = false
		case *ast.Name:
			fields = fields && base[n]
		case *ast.Call:
			_, method := n.Fun.(*ast.Attribute)
			fields = fields && method
		}
		return fields
	})
	kept := false
	infer.Walk(x.Val, 40, func(v *infer.Val) bool {
		joined := v.Op == infer.OpPhi || v.Op == infer.OpStore || infer.Through(v) != nil
		kept = kept || !joined && (v.Is(domain.Observation) && !v.IsOp("add", "sub", "mul", "div", "sqrt") || v.Op == infer.OpItem || v.Op == infer.OpParam || v.IsOp("sample", "randn", "rand", "normal"))
		return joined && !kept
	})
	return fields && !kept
}

// isScale reports whether s is a number of the program, or made of such and of statistics: neither data, nor drawn, nor what a network says.
func (s Seen) isScale() bool {
	x := s.Strip()
	if !x.Known() {
		return false
	}
	found := true
	infer.Walk(x.Val, 80, func(v *infer.Val) bool {
		switch {
		case !found || v.IsNone() || v.Const != nil || v.IsOp(statistics...):
			return false
		case v.Op == infer.OpPhi, v.Op == infer.OpConst, v.Op == infer.OpConfig, v.Op == infer.OpNarrow, v.Op == infer.OpDisplay:
			return true
		case strings.HasPrefix(v.Op, infer.OpAttr+"."):
			return false
		case v.Fn != nil && (infer.Through(v) != nil || v.IsOp("sqrt", "zeros", "ones", "full", "zeros_like", "ones_like", "clip", "clamp", "maximum", "max", "pow", "square", "abs")):
			return true
		case v.IsOp("add", "sub", "mul", "div", "pow", "neg"):
			return true
		}
		found = false
		return false
	})
	return found
}

// Scaling says what the operations on the way come to. Two that undo each other leave numbers as they were. What adds to each number, and
// does no more, changes no scale: it may be a perturbation, which is asked about beside the value itself.
func (o Origin) Scaling() Scaling {
	factor, offset := 1.0, 0.0
	moved := !slices.ContainsFunc(o.Scales, func(s Seen) bool { return !s.moves() })
	unknown := map[string]bool{}
	for _, s := range slices.Backward(o.Scales) {
		switch op := infer.BaseOp(s.Op); op {
		case "mul", "div", "add", "sub":
			by, ok := s.Input(1).Strip().Float()
			first, left := s.Input(0).Strip().Float()
			switch {
			case left && op == "sub":
				factor, offset = -factor, first-offset
			case !ok && left:
				by = first
				fallthrough
			case ok:
				factor, offset = affine(op, by, factor, offset)
			default:
				unknown[op] = true
			}
		default:
			if unknown["function"] {
				return ScaleUnknown
			}
			unknown["function"] = true
		}
	}
	known := math.Abs(factor-1) > 0.01 || math.Abs(offset) > 0.01
	switch {
	case moved && len(o.Scales) > 0, unknown["mul"] && (unknown["div"] || known), unknown["add"] && (unknown["sub"] || known), math.IsNaN(factor) || math.IsInf(factor, 0):
		return ScaleUnknown
	case len(unknown) > 0 || known:
		return ScaleChanged
	}
	return ScaleKept
}

// moves reports whether s is a sum, or a difference other than from a statistic: what is centred is in another range.
func (s Seen) moves() bool {
	if !s.IsOp("sub") {
		return s.IsOp("add")
	}
	centred := false
	infer.Walk(s.Input(1).Val, 40, func(v *infer.Val) bool {
		centred = centred || v.IsOp(statistics...)
		return !centred && infer.Through(v) != nil
	})
	return !centred
}

// affine applies one more operation with a constant to x -> factor * x + offset.
func affine(op string, by, factor, offset float64) (float64, float64) {
	switch op {
	case "mul":
		return factor * by, offset * by
	case "div":
		return factor / by, offset / by
	case "add":
		return factor, offset + by
	}
	return factor, offset - by
}

// Asked are the calls of networks in the whole program, by themselves or by forward(), but for those of layers within forward(): what they
// are given is what the network was given.
func (g *Graph) Asked() []Evaluation {
	g.asked.once.Do(func() {
		for f, call := range Everywhere[*ast.Call](g) {
			v := f.Val(call)
			if v == nil || IsContainer(v) || f.Func != nil && f.Func.Name() == "forward" { // torch goes by this name
				continue
			}
			var net infer.Ref
			if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "forward" {
				if of := f.Val(at.X); of.Is(domain.Module) && infer.IsObject(of.Ref) {
					net = of.Ref
				}
			} else if v.Node == call && v.Frame == f {
				net = g.See(v).calledModule()
			}
			if net == nil {
				continue
			}
			e := Evaluation{Net: net, Output: g.See(v), At: Place{f, call}}
			for _, a := range call.Args {
				e.Inputs = append(e.Inputs, g.look(f.Val(a), &view{frame: f}))
			}
			for _, k := range call.Keywords {
				e.Inputs = append(e.Inputs, g.look(f.Val(k.Value), &view{frame: f}))
			}
			g.asked.list = append(g.asked.list, e)
		}
	})
	return g.asked.list
}
