package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Rows of tokens
//
// Texts are of different lengths, and a batch has one width: a row is prompt, reply and end, and padding at one side. What is padded
// with (`row + [PAD] * n`, pad_sequence, a tensor of pads that the rows are written into) says at which. A network yields a row of scores
// for a row of tokens, so the side is that of all that is made of them position by position. On the right padding stands last; on the
// left a text ends in the last column, wherever it begins.

// Filled is where rows are filled up to one width.
type Filled struct {
	At   Seen
	Left bool // the padding stands before the text
}

// maxRows bounds the values that are looked at on the way back from one row.
const maxRows = 300

// FilledUp returns how the rows of tokens were filled up that s was made of, position by position; ok is false where that is not known, or
// where they are filled up at both sides.
func (s Seen) FilledUp() (Filled, bool) {
	w := &rowWalk{seen: map[*infer.Val]bool{}, room: maxRows}
	w.visit(s)
	for _, f := range w.found {
		if f.Left != w.found[0].Left {
			return Filled{}, false
		}
	}
	if len(w.found) == 0 {
		return Filled{}, false
	}
	return w.found[0], true
}

// rowWalk goes back from rows to where they were filled up.
type rowWalk struct {
	seen  map[*infer.Val]bool
	room  int
	found []Filled
}

// visit goes back from s.
func (w *rowWalk) visit(s Seen) {
	if w.room--; w.room < 0 || !s.Known() || w.seen[s.Val] {
		return
	}
	w.seen[s.Val] = true
	if f, ok := s.filledHere(); ok {
		w.found = append(w.found, f)
		return
	}
	for _, x := range s.rowsOf() {
		w.visit(x)
	}
}

// layered are layers of torch that yield at each position something of the text up to it, or of all of it.
var layered = []string{
	"Embedding", "Linear", "LSTM", "GRU", "RNN", "TransformerEncoder", "TransformerEncoderLayer", "TransformerDecoderLayer", "MultiheadAttention", "LayerNorm", "RMSNorm",
	"Dropout", "ReLU", "GELU", "Tanh", "SiLU", "Sequential", "Identity",
}

// columnwise are operations that leave each column where it is, of all of their inputs; sameColumns of the first.
var (
	columnwise  = []string{"add", "sub", "mul", "div", "truediv", "neg", "invert", "not", "logical_not", "and", "bitand", "bitwise_and", "logical_and", "eq", "ne", infer.OpPhi}
	sameColumns = append(slices.Clone(sameTokens), "stack", "relu", "gelu", "tanh", "dropout", "sigmoid", "layer_norm", "embedding", "matmul", "hidden_states", infer.OpIterate, infer.OpStore)
)

// rowsOf are the rows that those of s were made of, column by column; of what was joined along a row, the last part.
func (s Seen) rowsOf() (out []Seen) {
	parts := func(list Seen) (out []Seen) {
		if seq, ok := list.Referent().(*infer.SeqRef); ok {
			for _, x := range append(slices.Clone(seq.Elems), seq.Elem) {
				out = append(out, list.Of(x))
			}
		}
		return out
	}
	_, isList := s.Ref.(*infer.SeqRef)
	switch {
	case len(s.In) == 0 && !isList, s.IsOp("flip", "transpose", "permute", "t", "T"):
		return nil
	case s.isSumOfLists():
		return []Seen{s.Input(1)}
	case isList:
		return parts(s)
	case s.IsOp(infer.OpCall) && s.Returned().Known():
		return []Seen{s.Returned()}
	case s.IsOp("where") && len(s.In) > 2:
		return []Seen{s.Input(1), s.Input(2)}
	case s.IsOp(infer.OpStore) && len(s.In) > 1 && s.In[1] != nil && s.In[1].IsOp(infer.OpStore): // rows[i][:n] = row
		return []Seen{s.Input(0), s.Input(1)}
	case s.IsOp("cat", "concat", "concatenate", "hstack", "vstack"):
		out = parts(s.Input(0))
		if alongRow(s.Val) || s.IsOp("hstack") {
			out = out[max(0, len(out)-2):]
		}
		return out
	case s.IsOp(infer.OpItem) && !s.keepsLastColumn(), isLayer(s.Val) && !isLayer(s.Val, layered...):
		return nil
	case s.IsOp(columnwise...):
		for i := range s.In {
			out = append(out, s.Input(i))
		}
		return out
	case s.IsOp(infer.OpItem), isLayer(s.Val), s.IsOp(sameColumns...), strings.HasPrefix(s.Op, infer.OpAttr+"."), infer.Through(s.Val) != nil:
		return []Seen{s.Input(0)}
	}
	return nil
}

// isSumOfLists reports whether s is what `a + b` makes of two lists: b stands behind a.
func (s Seen) isSumOfLists() bool {
	n, ok := s.Node.(*ast.BinOp)
	if !ok || n.Op != ast.Add || len(s.In) != 2 {
		return false
	}
	return slices.ContainsFunc(s.In, func(x *infer.Val) bool { _, list := infer.RefOf(x).(*infer.SeqRef); return list })
}

// keepsLastColumn reports whether x[index] ends in the last column of x, and has all of its columns but a number of them.
func (s Seen) keepsLastColumn() bool {
	if len(s.In) < 2 || s.In[1] == nil {
		return false
	}
	if _, field := s.In[1].Str(); field {
		return true
	}
	index := []*infer.Val{s.In[1]}
	if seq, ok := s.In[1].Ref.(*infer.SeqRef); ok && !seq.List {
		index = seq.Elems
	}
	for i, x := range index {
		r, slice := infer.RefOf(x).(*infer.SliceRef)
		switch {
		case x == nil:
			return false
		case i > 0 && i == len(index)-1 && (i == 2 || infer.IsEllipsis(index[0])): // of the features
		case slice:
			if !isNear(r.Low) || !isNear(r.High) {
				return false
			}
		case !x.IsNone() && !infer.IsEllipsis(x):
			return false
		}
	}
	return true
}

// isNear reports whether the end of a slice is the end of the axis, or a known number from there.
func isNear(end *infer.Val) bool {
	if end == nil || end.IsNone() {
		return true
	}
	n, ok := end.Int()
	return ok && n < 2
}

// filledHere reports whether s is rows of different lengths, or one of them, filled up to one width.
func (s Seen) filledHere() (Filled, bool) {
	switch {
	case s.isSumOfLists():
		return Filled{s, isRepeated(s.In[0])}, isRepeated(s.In[0]) != isRepeated(s.In[1])
	case s.IsOp("pad_sequence"):
		side, _ := s.Arg("padding_side").Str()
		return Filled{s, side == "left"}, true
	case s.IsOp("pad") && s.Fn != nil && len(s.In) > 1:
		if seq, ok := infer.RefOf(s.In[1]).(*infer.SeqRef); ok && len(seq.Elems) == 2 {
			left, right := isMissing(seq.Elems[0]), isMissing(seq.Elems[1])
			return Filled{s, left}, left != right
		}
	case s.IsOp("cat", "concat", "concatenate"):
		if seq, ok := s.Input(0).Referent().(*infer.SeqRef); ok && len(seq.Elems) == 2 {
			left, right := isFillOfVaryingSize(seq.Elems[0]), isFillOfVaryingSize(seq.Elems[1])
			return Filled{s, left}, left != right
		}
	case s.Op == infer.OpStore && len(s.In) > 2:
		return s.filledByStore()
	case s.IsOp("lt") && len(s.In) > 1 && s.Input(0).Strip().IsOp("arange") && varies(s.In[1]):
		return Filled{s, false}, true
	case s.IsOp("gt") && len(s.In) > 1 && s.Input(1).Strip().IsOp("arange") && varies(s.In[0]):
		return Filled{s, false}, true
	}
	return s.filledLater()
}

// filledLater reports whether pads are put behind a list, or before it, after it was made: row += [PAD] * n.
func (s Seen) filledLater() (Filled, bool) {
	if s.Node == nil || s.Frame == nil || s.isSumOfLists() || !s.IsOp(infer.OpDisplay, infer.OpItem, infer.OpIterate, "copy") {
		return Filled{}, false
	}
	isIt := func(e ast.Expr) bool { return SameObject(s.Frame.Val(e), s.Val) }
	for n := range In[*ast.AugAssign](s.Frame) {
		if n.Op == ast.Add && isRepeated(s.Frame.Val(n.Value)) && isIt(n.Target) {
			return Filled{s.Of(s.Frame.Val(n.Value)), false}, true
		}
	}
	for n := range In[*ast.Call](s.Frame) {
		method, ok := n.Fun.(*ast.Attribute)
		if !ok || len(n.Args) == 0 {
			continue
		}
		switch pads := s.Frame.Val(n.Args[len(n.Args)-1]); {
		case method.Attr == "extend" && isRepeated(pads) && isIt(method.X):
			return Filled{s.Of(pads), false}, true
		case (method.Attr == "append" || method.Attr == "insert") && isWhileShort(Place{s.Frame, n}, isIt) && isIt(method.X):
			return Filled{s.Of(s.Frame.Val(n)), method.Attr == "insert"}, true
		}
	}
	return Filled{}, false
}

// isWhileShort reports whether a place is repeated for as long as a list is too short: while len(row) < width.
func isWhileShort(at Place, isIt func(ast.Expr) bool) bool {
	for n := range In[*ast.While](at.Frame) {
		test, ok := n.Cond.(*ast.Compare)
		if !ok || !n.Span().Covers(at.Node.Span()) {
			continue
		}
		if size, ok := test.X.(*ast.Call); ok && len(size.Args) == 1 && isIt(size.Args[0]) {
			return true
		}
	}
	return false
}

// isRepeated reports whether v is [x] * n, a list of one value, as often as is missing.
func isRepeated(v *infer.Val) bool {
	if v == nil {
		return false
	}
	n, ok := v.Node.(*ast.BinOp)
	if !ok || n.Op != ast.Mult || len(v.In) != 2 {
		return false
	}
	for i, x := range v.In {
		if seq, ok := infer.RefOf(x).(*infer.SeqRef); ok && len(seq.Elems) == 1 && x.IsOp(infer.OpDisplay) {
			return isMissing(v.In[1-i])
		}
	}
	return false
}

// isMissing reports whether a number is what a row lacks of the width: the difference of two.
func isMissing(n *infer.Val) bool {
	x := infer.Strip(n)
	for x != nil && x.IsOp("max", "clamp") && len(x.In) > 0 {
		at := slices.IndexFunc(x.In, func(y *infer.Val) bool { return y != nil && y.IsOp("sub") })
		x = infer.Strip(x.In[max(at, 0)])
	}
	return x != nil && x.Const == nil && x.IsOp("sub")
}

// varies reports whether a number is another one for each row: it is no constant, and no setting.
func varies(v *infer.Val) bool {
	x := infer.Strip(v)
	return x != nil && x.Const == nil && !x.IsOp(infer.OpConfig)
}

// isFillOfVaryingSize reports whether v is one value, as often as is missing.
func isFillOfVaryingSize(v *infer.Val) bool {
	x := infer.Strip(v)
	if x == nil || !x.IsOp("full", "zeros", "ones", "new_full", "new_zeros", "new_ones") {
		return false
	}
	return slices.ContainsFunc(x.In, func(size *infer.Val) bool {
		if seq, ok := infer.RefOf(size).(*infer.SeqRef); ok && len(seq.Elems) == 1 {
			return isMissing(seq.Elems[0])
		}
		return isMissing(size)
	})
}

// filledByStore reads rows that are written into a tensor of pads: rows[i, :n] = row at its front, rows[i, -n:] = row at its end.
func (s Seen) filledByStore() (Filled, bool) {
	part := s.In[2]
	if seq, ok := infer.RefOf(part).(*infer.SeqRef); ok && !seq.List {
		if len(seq.Elems) != 2 || isSlice(seq.Elems[0]) {
			return Filled{}, false
		}
		part = seq.Elems[1]
	}
	r, ok := infer.RefOf(part).(*infer.SliceRef)
	if !ok || r.Step != nil {
		return Filled{}, false
	}
	if _, constant := s.In[1].Float(); constant && !s.Input(0).startsAs("zeros") {
		return Filled{}, false // labels of a prompt, which are filled with the number that losses ignore
	}
	switch start, end := infer.Strip(r.Low), infer.Strip(r.High); {
	case end == nil && start != nil:
		return Filled{s, true}, start.IsOp("neg", "sub") && varies(start)
	case end != nil && (start == nil || isZeros(start, 1)):
		return Filled{s, false}, varies(end)
	}
	return Filled{}, false
}

// startsAs reports whether s was made by one of these operations, whatever was stored in it since.
func (s Seen) startsAs(ops ...string) bool {
	for range maxSteps {
		switch {
		case !s.Known():
			return false
		case s.IsOp(infer.OpStore, infer.OpPhi):
			s = s.Input(0)
		default:
			return s.Strip().IsOp(ops...)
		}
	}
	return false
}

// # The score of a text
//
// What a model says of a text as a whole, it says at the last token of it.

// ScoreRead is where one number for each row is read off at a column that is not that of the last token.
type ScoreRead struct {
	At *infer.Val
	Filled
	// ByCount says that the column is the number of tokens less one, which stands at At, and not the last.
	ByCount bool
}

// ScoresAtPadding returns where scores of texts are read at padding, or in the middle of a text.
func (g *Graph) ScoresAtPadding() (out []ScoreRead) {
	for _, v := range g.Made(infer.OpItem, "gather") {
		at, count := v, atCount(v)
		if count != nil {
			at = count
		}
		if count == nil && !readsLastColumn(v) || !g.isScore(v) {
			continue
		}
		for _, s := range g.Paths(v) {
			if f, ok := s.Input(0).FilledUp(); ok && f.Left == (count != nil) {
				out = append(out, ScoreRead{at, f, f.Left})
				break
			}
		}
	}
	return out
}

// readsLastColumn reports whether v is x[:, -1] or x[rows, -1].
func readsLastColumn(v *infer.Val) bool {
	if !v.IsOp(infer.OpItem) || len(v.In) < 2 || v.In[0] == nil {
		return false
	}
	seq, ok := infer.RefOf(v.In[1]).(*infer.SeqRef)
	if !ok || seq.List || len(seq.Elems) < 2 || seq.Elems[0] == nil {
		return false
	}
	if infer.IsEllipsis(seq.Elems[0]) && len(seq.Elems) == 2 && !v.In[0].IsOp("squeeze", infer.OpItem) {
		return false // of the features
	}
	return isLastColumn(seq.Elems[1])
}

// isLastColumn reports whether an index is -1, or the width less one.
func isLastColumn(index *infer.Val) bool {
	if n, ok := index.Int(); ok {
		return n == -1
	}
	x := infer.Strip(index)
	if x == nil || !x.IsOp("sub") || len(x.In) < 2 {
		return false
	}
	n, ok := x.In[1].Int()
	return ok && n == 1 && CalleeName(x.In[0].Node) == "size"
}

// atCount is the column at which v is read in each row, where that is the number of its tokens less one: x[rows, mask.sum(1) - 1].
func atCount(v *infer.Val) *infer.Val {
	if len(v.In) < 2 {
		return nil
	}
	index := v.Arg("index")
	if seq, ok := infer.RefOf(v.In[1]).(*infer.SeqRef); ok && v.IsOp(infer.OpItem) && !seq.List && len(seq.Elems) > 1 {
		index = seq.Elems[1]
	}
	for range maxSteps {
		index = infer.Strip(index)
		if index == nil || !index.IsOp("clamp", "clamp_min", "maximum", "expand", "int", "long") || len(index.In) == 0 {
			break
		}
		index = index.In[0]
	}
	if index == nil || !index.IsOp("sub") || len(index.In) < 2 || !isCountOfTokens(index.In[0]) {
		return nil
	}
	if n, ok := index.In[1].Int(); !ok || n != 1 {
		return nil
	}
	return index
}

// isCountOfTokens reports whether v is how many tokens each row has: the sum of a mask, or the lengths of the rows.
func isCountOfTokens(v *infer.Val) bool {
	x := infer.Strip(v)
	for x != nil && x.IsOp("long", "int") && len(x.In) > 0 {
		x = infer.Strip(x.In[0])
	}
	if x == nil || len(x.In) == 0 {
		return false
	}
	if x.IsOp("sum", "count_nonzero") {
		return x.In[0] != nil && (x.In[0].Is(domain.Mask) || x.In[0].IsOp("ne", "eq", "lt"))
	}
	seq, ok := infer.RefOf(x).(*infer.SeqRef)
	if !ok {
		return false
	}
	elem := infer.Strip(seq.Elem)
	return elem != nil && elem.IsOp("len", "size")
}

// isScore reports whether v is one number for each position, or becomes that: a layer with one output yields it, or takes it.
func (g *Graph) isScore(v *infer.Val) bool {
	for x, i := v, 0; x != nil && i < maxSteps; i++ {
		if isSingle(x) {
			return true
		}
		if x = infer.Through(x); x == nil && i == 0 {
			x = infer.Strip(v.In[0])
			i++
		}
	}
	return g.becomesScore(v, 5)
}

func (g *Graph) becomesScore(v *infer.Val, depth int) bool {
	return depth > 0 && slices.ContainsFunc(g.UsesOf(v), func(u *infer.Val) bool {
		if isLayer(u) && u.In[0] == v {
			return isSingle(u) || isLayer(u, "Dropout", "LayerNorm") && g.becomesScore(u, depth-1)
		}
		return infer.Through(u) == v && g.becomesScore(u, depth-1)
	})
}

// isLayer reports whether v is what a layer of torch yields, of one of these classes where there are any.
func isLayer(v *infer.Val, classes ...string) bool {
	layer, called := strings.CutSuffix(v.Op, ".__call__")
	return called && len(v.In) > 0 && (len(classes) == 0 || slices.Contains(classes, infer.BaseOp(layer)))
}

// isSingle reports whether v is what a layer with one output yields.
func isSingle(v *infer.Val) bool {
	n := v.Q.Shape.MinRank()
	return isLayer(v) && n > 0 && v.Q.Shape.Dims[n-1].N == 1
}
