package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// maxLayoutSteps bounds the values that are looked at on the way back from an axis to what laid it out.
const maxLayoutSteps = 100

// Layout returns the factors of which an axis of s is the product, outer to inner, as far as they are seen: the axis itself, at least.
func (s Seen) Layout(axis int) []Factor {
	w := &layoutWalk{seen: map[layoutAt]bool{}}
	return w.axis(s, axis)
}

// layoutWalk is a way back from an axis.
type layoutWalk struct {
	seen  map[layoutAt]bool
	steps int
}

type layoutAt struct {
	v    *infer.Val
	in   *view
	axis int
}

// axis follows an axis, counted from the front, to its factors; nil on the way round a loop.
func (w *layoutWalk) axis(s Seen, i int) []Factor {
	if !s.Known() || i < 0 || w.steps > maxLayoutSteps {
		return nil
	}
	at := layoutAt{s.Val, s.in, i}
	if w.seen[at] {
		return nil
	}
	w.seen[at] = true
	defer delete(w.seen, at)
	w.steps++
	if out := w.made(s, i); out != nil {
		return out
	}
	f := Factor{Of: s, Axis: i}
	if d, ok := s.Q.Shape.Dim(i); ok && s.Q.Shape.Known() && d.N > 0 {
		f.N = int64(d.N)
	}
	return []Factor{f}
}

// first is the most that is known of an axis that several values have: the longest product; nil where two of them lie in different orders.
func (w *layoutWalk) first(i int, of ...Seen) (out []Factor) {
	for _, s := range of {
		if !s.Known() || s.Const != nil && s.Ref == nil || s.Is(domain.Module) {
			continue
		}
		f := w.axis(s, i)
		if outer, inner := outmost(f); len(f) > 1 && (Split{outer, inner}).crosses(out) {
			return nil
		}
		if len(f) > len(out) || len(f) == len(out) && len(f) > 0 && !out[0].Size.Known() && f[0].Size.Known() {
			out = f
		}
	}
	return out
}

// keepsAxes are operations that leave every axis as it is.
var keepsAxes = []string{
	"detach", "clone", "to", "float", "double", "half", "long", "int", "bool", "cpu", "cuda", "contiguous", "astype", "numpy", "from_numpy", "tensor", "as_tensor",
	"asarray", "array", "FloatTensor", "LongTensor", "Variable", "tolist", "copy", "type_as", "data", "softmax", "log_softmax", "cumsum", "masked_fill", "zeros_like", "ones_like",
	"empty_like", "full_like", "rand_like", "randn_like", "copy_", "requires_grad", "dropout", "gelu", "silu", "elu", "leaky_relu", "logsigmoid", "nan_to_num", "item", "pin_memory",
	"multinomial", "batch_decode", "pad_sequence", "list", "tuple", "sign", "round", "floor", "logical_not", "invert", "log_prob", "mode", "sample", "rsample", "entropy", "sequence_mask",
}

// rowwise are layers of torch whose output has the axes of their input, but for the last ones.
var rowwise = []string{
	"Linear", "LazyLinear", "Embedding", "LayerNorm", "TransformerEncoder", "Dropout", "AlphaDropout", "FeatureAlphaDropout", "Tanh", "ReLU", "LeakyReLU", "PReLU", "RReLU",
	"GELU", "SiLU", "Sigmoid", "LogSigmoid", "Sequential", "Flatten",
}

// compares are operations of two tensors, element by element, beside those of elementwise.
var compares = []string{"eq", "ne", "lt", "gt", "le", "ge", "where", "bitand", "bitor", "logical_and", "logical_or", "floordiv", "mod", "min", "max", "and", "or", "maximum", "minimum"}

// made follows an axis one operation back; nil where that is not known.
func (w *layoutWalk) made(s Seen, i int) []Factor {
	if seq, ok := s.Referent().(*infer.SeqRef); ok {
		return w.ofList(s, seq, i)
	}
	if len(s.In) == 0 {
		return w.ofSize(s, i)
	}
	switch {
	case s.Op == infer.OpPhi:
		return w.first(i, s.inputs(len(s.In))...)
	case s.Op == infer.OpNarrow, s.Op == infer.OpStore, s.Op == infer.OpRequiresGrad:
		return w.axis(s.Input(0), i)
	case s.Op == infer.OpCall:
		if back := s.Returned(); back.Known() {
			return w.axis(back, i)
		}
		return nil
	case s.Op == infer.OpItem:
		return w.taken(s, i)
	case s.IsOp("mul") && i == 0 && isList(s.Input(1)):
		return w.operated(s)
	case s.IsOp("matmul") && i == 0:
		return w.axis(s.Input(0), 0)
	case isLayer(s.Val, "LSTM"):
		return w.ofCell(s, i)
	case isLayer(s.Val, rowwise...):
		return w.first(i, s.Of(s.Arg("x")), s.Input(0), s.Input(1))
	case s.IsOp("sample", "rsample", "log_prob", "entropy", "mode") && w.distribution(s.Input(0)).Known():
		return w.first(i, w.distribution(s.Input(0)), s.Input(1))
	case s.IsOp("generate"):
		out := w.axis(s.Input(0), i)
		if n := s.Arg("num_return_sequences"); i == 0 && n != nil && !n.IsNone() {
			out = product(out, []Factor{counted(s.Of(n), OfCopies, s.Val)})
		}
		return out
	case s.IsOp("sum", "mean", "max", "min", "amax", "amin", "any", "all", "argmax", "argmin", "std", "var", "logsumexp", "gather", "prod", "norm") && s.Arg("dim") != nil:
		return w.reduced(s, i)
	case IsElementwise(s.Val), s.IsOp(compares...):
		if d := s.Arg("dim"); d != nil {
			return w.reduced(s, i)
		}
		return w.first(i, s.widest()...)
	case s.IsOp(keepsAxes...):
		return w.axis(s.Input(0), i)
	}
	return w.rearranged(s, i)
}

// widest are the inputs of an operation that have as many axes as its result, as far as is known.
func (s Seen) widest() (out []Seen) {
	rank := 0
	for _, x := range s.inputs(len(s.In)) {
		rank = max(rank, x.Q.Shape.MinRank())
	}
	for _, x := range s.inputs(len(s.In)) {
		if x.Q.Shape.MinRank() >= rank {
			out = append(out, x)
		}
	}
	return out
}

// distribution is what a distribution was made with that has its axes.
func (w *layoutWalk) distribution(s Seen) Seen {
	for range maxSteps {
		if o, ok := s.Referent().(*infer.LibObject); ok {
			for _, name := range []string{"logits", "probs", "loc", "concentration1", "base_distribution"} {
				if x := o.Args[name]; x != nil && !x.IsNone() {
					return s.Of(x)
				}
			}
			return Seen{g: s.g}
		}
		next := s.through()
		if next.Val == nil || next.Val == s.Val {
			break
		}
		s = next
	}
	return Seen{g: s.g}
}

// taken is an axis of x[index].
func (w *layoutWalk) taken(s Seen, i int) []Factor {
	if len(s.In) < 2 || s.In[1] == nil {
		return nil
	}
	idx, x := s.Input(1), s.Input(0)
	if _, ok := idx.Str(); ok {
		return nil
	}
	parts := []*infer.Val{idx.Val}
	if seq, ok := idx.Referent().(*infer.SeqRef); ok {
		if seq.List || len(seq.Elems) == 0 {
			return nil
		}
		parts = seq.Elems
	}
	from := 0 // the axis of x
	for _, p := range parts {
		switch {
		case p == nil || infer.IsEllipsis(p):
			return nil
		case p.IsNone():
			if i == 0 {
				return []Factor{{N: 1}}
			}
			i--
			continue
		case isFull(p):
			if i == 0 {
				return w.axis(x, from)
			}
			i--
		case isSlice(p):
			if i == 0 {
				return nil
			}
			i--
		case len(parts) == 1 && s.g.IsDrawn(p), i == 0 && from == 0 && p.IsOp("arange"):
			return w.axis(x, i)
		case IsNumber(p) || p.Const != nil:
		default:
			return nil
		}
		from++
	}
	if x.IsOp("max", "min", "sort", "topk", "chunk", "split", "step") || x.Ref != nil {
		return nil
	}
	return w.axis(x, from+i)
}

// ofCell is an axis of what a recurrent layer yields: its output, which has the axes of its input, or its state, whose second one is that of the
// batch. Which one that is of the input depends on the layer: it is the one that is a product.
func (w *layoutWalk) ofCell(s Seen, i int) []Factor {
	x := s.Of(s.Arg("x"))
	switch {
	case !s.Is(domain.Other):
		return w.axis(x, i)
	case i != 1:
		return nil
	}
	for k := range 2 {
		if out := w.axis(x, k); len(out) > 1 {
			return out
		}
	}
	return nil
}

// reduced is an axis of what is reduced, or picked, along one.
func (w *layoutWalk) reduced(s Seen, i int) []Factor {
	d, ok := s.Arg("dim").Int()
	if !ok {
		return nil
	}
	x := s.Input(0)
	dim := int(fromFront(x.Val, d))
	keep := s.IsOp("gather")
	if k := s.Arg("keepdim"); k != nil && k.Const == true {
		keep = true
	}
	switch {
	case dim < 0 && i > 0, keep && dim == i:
		return nil
	case dim < 0 || i < dim || keep:
		return w.axis(x, i)
	}
	return w.axis(x, i+1)
}

// ofSize is an axis of what is made of sizes.
func (w *layoutWalk) ofSize(s Seen, i int) []Factor {
	if s.Fn == nil || len(s.In) == 0 {
		return nil
	}
	for k, p := range s.Fn.Params {
		name := strings.TrimPrefix(p, "*")
		if name != "size" && name != "shape" || k >= len(s.In) {
			continue
		}
		sizes := s.In[k:]
		if seq := sequence(s.In[k]); seq != nil {
			sizes = seq
		}
		if i < len(sizes) && sizes[i] != nil && (strings.HasPrefix(p, "*") || i == 0 || len(sizes) > 1 && sequence(s.In[k]) != nil) {
			return w.asMany(s.Of(sizes[i]), s.Val)
		}
	}
	return nil
}

// asMany is an axis of so many: len(prompts) is that of the prompts.
func (w *layoutWalk) asMany(size Seen, at *infer.Val) []Factor {
	if n := size.Strip(); n.Known() && n.IsOp("len", "size") && len(n.In) > 0 {
		if axis, ok := axisAsked(n.Val); ok && axis >= 0 {
			if out := w.axis(n.Input(0), int(axis)); len(out) > 1 {
				return out
			}
		}
	}
	return []Factor{counted(size, OfRows, at)}
}

// rearranged is an axis of what moves, joins, repeats or splits axes.
func (w *layoutWalk) rearranged(s Seen, i int) []Factor {
	x := s.Input(0)
	rank := -1
	if x.Known() && x.Q.Shape.Known() {
		rank = int(x.Q.Shape.Rank)
	}
	switch {
	case s.IsOp("cat", "concat", "concatenate", "stack", "hstack", "vstack"):
		return w.joined(s, i)
	case s.IsOp("transpose", "swapaxes"):
		if list := positions(s.Val); len(list) == 2 {
			for k, d := range list {
				if at := int(fromFront(x.Val, int64(d))); at == i {
					return w.axis(x, int(fromFront(x.Val, int64(list[1-k]))))
				}
			}
			return w.axis(x, i)
		}
		return w.axis(x, max(rank, 2)-1-i) // numpy turns all axes
	case s.IsOp("t", "T", "mT"):
		return w.axis(x, max(rank, 2)-1-i)
	case s.IsOp("permute"):
		if order := positions(s.Val); i < len(order) {
			return w.axis(x, order[i])
		}
	case s.IsOp("unsqueeze", "expand_dims"):
		if d, ok := s.Arg("dim").Int(); ok {
			if d < 0 {
				return w.axis(x, i) // behind what is known
			}
			switch at := int(d); {
			case i == at:
				return []Factor{{N: 1}}
			case i > at:
				i--
			}
			return w.axis(x, i)
		}
	case s.IsOp("squeeze"):
		if d, ok := s.Arg("dim").Int(); ok && int(d) <= i && d >= 0 {
			i++
		}
		return w.axis(x, i)
	case s.IsOp("repeat_interleave"):
		d := s.Arg("dim")
		dim, ok := d.Int()
		n := s.Of(s.Arg("repeats"))
		if d == nil && (rank == 1 || x.Ref != nil) {
			dim, ok = 0, true
		}
		if !ok || !n.Known() || n.Ref != nil || n.Q.Shape.Known() && n.Q.Shape.Rank > 0 {
			return nil
		}
		out := w.axis(x, i)
		if int(dim) == i {
			out = product(out, []Factor{counted(n, OfCopies, s.Val)})
		}
		return out
	case s.IsOp("repeat", "tile"):
		return w.repeated(s, x, rank, i)
	case s.IsOp("expand", "broadcast_to"):
		sizes := Sizes(s.Val)
		out := w.axis(x, i)
		if i < len(sizes) && !isRest(sizes[i]) && len(out) == 1 && out[0].N == 1 {
			return []Factor{counted(s.Of(sizes[i]), OfCopies, s.Val)}
		}
		return out
	case s.IsOp("flatten", "ravel"):
		from, ok := s.Arg("start_dim").Int()
		to, ok2 := s.Arg("end_dim").Int()
		if s.Arg("start_dim") == nil {
			from, ok = 0, true
		}
		if s.Arg("end_dim") == nil {
			to, ok2 = -1, true
		}
		if !ok || !ok2 || from < 0 {
			return nil
		}
		return w.merged(s, x, i, int(from), int(fromFront(x.Val, to)))
	case s.IsOp("view", "reshape"):
		return w.viewed(s, x, rank, i)
	}
	return w.ofSize(s, i)
}

// repeated is an axis of x.repeat(n, 1): whole copies lie behind each other there. A tile by fewer numbers than axes repeats along the last axes, and
// rows stay where they are, so one number says nothing if the rank is unknown. Nor does repeat(n) if x may be an array of numpy, which repeats in place.
func (w *layoutWalk) repeated(s, x Seen, rank, i int) []Factor {
	sizes := Sizes(s.Val)
	if len(sizes) == 0 || slices.Contains(sizes, nil) {
		return nil
	}
	if one := len(sizes) == 1; one && (s.IsOp("tile") && rank < 0 || s.IsOp("repeat") && !IsTorch(x.Val)) {
		return nil
	}
	lead, kept := 0, 0 // axes that are new, and the first ones that a tile leaves as they are
	if rank >= 0 {
		lead = max(0, len(sizes)-rank)
	}
	if s.IsOp("tile") {
		kept = max(0, rank-len(sizes))
	}
	if i < kept || i >= kept+len(sizes) {
		return w.axis(x, i-lead)
	}
	copies := []Factor{counted(s.Of(sizes[i-kept]), OfCopies, s.Val)}
	if i < lead {
		return copies
	}
	return product(copies, w.axis(x, i-lead))
}

// merged is an axis of what joins the axes from one to another; to is negative where it is the last of unknown rank.
func (w *layoutWalk) merged(s, x Seen, i, from, to int) []Factor {
	switch {
	case i < from:
		return w.axis(x, i)
	case i > from && to >= from:
		return w.axis(x, i+to-from)
	case i > from:
		return nil
	}
	var out []Factor
	last := to
	if to < 0 {
		last = from + max(1, x.Q.Shape.MinRank()-1)
	}
	for k := from; k <= last; k++ {
		out = product(out, w.axis(x, k))
	}
	for k := range out {
		if out[k].Kind == OfRows {
			out[k].At = s.Val
		}
	}
	return out
}

// viewed is an axis of a view: of one that merges the first axes, or that splits them.
func (w *layoutWalk) viewed(s, x Seen, rank, i int) []Factor {
	sizes := Sizes(s.Val)
	n := len(sizes)
	if Unpacks(s.Node) {
		if i > 0 || n == 0 || sizes[0] == nil || !sizes[0].IsOp("mul") && !isRest(sizes[0]) {
			return nil
		}
		return w.merged(s, x, 0, 0, 1) // reshape(a * b, *x.shape[2:])
	}
	if n == 0 || slices.Contains(sizes, nil) {
		return nil
	}
	switch split, of, ok := s.splits(); {
	case n == 1 && sizes[0].Const == int64(1):
		return []Factor{{N: 1}}
	case n == 1:
		return w.merged(s, x, i, 0, rank-1)
	case rank > n && i == 0:
		return w.merged(s, x, 0, 0, rank-n)
	case rank > n:
		return w.axis(x, i+rank-n)
	case rank == n:
		return w.axis(x, i)
	case rank < 0 && i == 0 && (isRest(sizes[0]) || sizes[0].IsOp("mul")) && (n == 2 && s.leastAxes(x) >= 2 || sizes[0].IsOp("mul")):
		return w.merged(s, x, 0, 0, 1)
	case ok && i < 2:
		f := []Factor{split.Outer, split.Inner}[i]
		if laid := w.axis(of, 0); !f.isKnown() && len(laid) == 2 && !split.crosses(laid) {
			return laid[i : i+1]
		}
		return []Factor{f}
	}
	return nil
}

// leastAxes is how many axes x has at least: lists in lists are axes, too.
func (s Seen) leastAxes(x Seen) int {
	least := x.Q.Shape.MinRank()
	for y, n := x.Strip(), 0; y.Known() && n < domain.MaxRank; n++ {
		seq, ok := y.Referent().(*infer.SeqRef)
		if !ok {
			return max(least, n)
		}
		if seq.Elem == nil && len(seq.Elems) == 0 {
			return max(least, n+1)
		}
		y = y.element(seq).Strip()
	}
	return least
}

// element is what stands in a list.
func (s Seen) element(seq *infer.SeqRef) Seen {
	if len(seq.Elems) > 0 {
		return s.Of(seq.Elems[0])
	}
	return s.Of(seq.Elem)
}

// joined is an axis of tensors that are put together along one.
func (w *layoutWalk) joined(s Seen, i int) []Factor {
	list := s.Input(0)
	seq, ok := list.Referent().(*infer.SeqRef)
	if !ok {
		return nil
	}
	dim, given := s.Arg("dim").Int()
	if s.Arg("dim") == nil {
		dim, given = 0, true
	}
	elem := list.element(seq)
	if !given || !elem.Known() {
		return nil
	}
	at := int(fromFront(elem.Val, dim))
	stacks := s.IsOp("stack")
	switch {
	case stacks && dim < 0 && !elem.Q.Shape.Known() && i == 0:
		return w.axis(elem, 0)
	case stacks && dim < 0:
		at = int(elem.Q.Shape.Rank) + 1 + int(dim)
	}
	switch {
	case i != at && (i < at || !stacks):
		return w.axis(elem, i)
	case i != at:
		return w.axis(elem, i-1)
	}
	rows := w.ofList(list, seq, 0)
	if len(rows) == 0 {
		rows = []Factor{{}} // so many elements, each with the rows of one
	}
	if len(seq.Elems) > 1 && len(rows) == 1 && rows[0].Kind == OfRows {
		rows[0].Kind = OfParts
	}
	for k := range rows {
		rows[k].At = s.Val
	}
	if stacks {
		return rows
	}
	return product(rows, w.axis(elem, 0))
}

// product joins the factors of two axes into those of one.
func product(outer, inner []Factor) []Factor {
	out := slices.Concat(outer, inner)
	return slices.DeleteFunc(out, func(f Factor) bool { return f.N == 1 && f.Kind != OfCopies })
}

// isFull reports whether an index is the whole slice.
func isFull(v *infer.Val) bool {
	r, ok := v.Ref.(*infer.SliceRef)
	return ok && *r == infer.SliceRef{}
}
