package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # The order of rows
//
// Prompts are repeated before they are answered, and rewards are cut into groups long after. In between each row is made of the row at its
// place: masks, scores, texts that are decoded and judged one by one.

// Repeats are the operations by which the rows were repeated that a value has one number for, row by row.
func Repeats(v *infer.Val) (out []*infer.Val) {
	seen := map[*infer.Val]bool{}
	for list := []*infer.Val{v}; len(list) > 0 && len(seen) < maxRowSteps; list = list[1:] {
		x := list[0]
		if x == nil || seen[x] {
			continue
		}
		seen[x] = true
		if x.IsOp("repeat", "tile", "repeat_interleave") && x.Fn != nil {
			out = append(out, x)
			continue
		}
		list = append(list, rowSources(x)...)
	}
	return out
}

// maxRowSteps bounds the way back from a reward to what was repeated.
const maxRowSteps = 400

// rowSources are the values of which v has a row for each row, in their order; none where that is not known.
func rowSources(v *infer.Val) []*infer.Val {
	if len(v.In) == 0 || v.In[0] == nil {
		return nil
	}
	switch {
	case v.Op == infer.OpNarrow, v.Op == infer.OpPhi, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil:
		return v.In
	case v.Op == infer.OpItem:
		if takesAllRows(v) {
			return v.In[:1]
		}
	case IsElementwise(v), v.IsOp("eq", "ne", "lt", "gt", "le", "ge", "where", "bitand", "bitor", "logical_and", "logical_or", "logical_not", "invert"):
		return v.In
	case v.IsOp("sum", "mean", "max", "min", "amax", "any", "all", "argmax", "cumsum", "softmax", "log_softmax", "gather"):
		if alongRow(v) {
			return v.In[:1]
		}
	case v.IsOp("cat", "concatenate"):
		if seq, ok := v.In[0].Ref.(*infer.SeqRef); ok && alongRow(v) {
			return seq.Elems
		}
	case v.IsOp("unsqueeze", "squeeze"):
		if alongRow(v) {
			return v.In[:1]
		}
	case v.IsOp("tensor", "as_tensor", "FloatTensor", "array"):
		if over := comprehended(v.In[0]); over != nil {
			return []*infer.Val{over}
		}
		return v.In[:1]
	case v.IsOp("float", "to", "long", "int", "cpu", "cuda", "detach", "clone", "contiguous", "multinomial", "batch_decode", "tolist", "numpy"):
		return v.In
	case v.IsOp("generate"):
		if n := v.Arg("num_return_sequences"); n == nil || n.IsNone() {
			return v.In
		}
	case strings.HasSuffix(v.Op, "Linear.__call__"), strings.HasSuffix(v.Op, "Embedding.__call__"):
		return v.In[:1]
	}
	return nil
}

// alongRow reports whether an operation is along another axis than the first one.
func alongRow(v *infer.Val) bool {
	d, ok := v.Arg("dim").Int()
	return ok && d != 0
}

// takesAllRows reports whether an index takes all rows, and of each the same: x[:, 1:].
func takesAllRows(v *infer.Val) bool {
	if len(v.In) < 2 || v.In[1] == nil {
		return false
	}
	seq, ok := v.In[1].Ref.(*infer.SeqRef)
	if !ok || seq.List || len(seq.Elems) == 0 || seq.Elems[0] == nil {
		return false
	}
	index := axesIndexed(v)
	return len(index) > 0 && isWhole(index[0])
}

// comprehended is what a list goes through that has an element for each of its elements, as it is written; nil for other lists.
func comprehended(list *infer.Val) *infer.Val {
	comp, ok := list.Node.(*ast.Comp)
	if !ok || list.Frame == nil || len(comp.Clauses) != 1 || len(comp.Clauses[0].Ifs) > 0 {
		return nil
	}
	return list.Frame.Val(comp.Clauses[0].Iter)
}

// HasRows reports whether a value is known to have several rows: by its shape, or since a tokenizer made it of several texts.
func HasRows(v *infer.Val) bool {
	for range maxSteps {
		if v == nil {
			return false
		}
		if rows, ok := v.Q.Shape.Dim(0); v.Q.Shape.Known() && ok && rows.N > 1 {
			return true
		}
		if len(v.In) == 0 {
			return false
		}
		if v.IsOp("__call__") && slices.ContainsFunc(v.In, isSeveral) {
			return true
		}
		if !slices.Contains(passesRows, infer.BaseOp(v.Op)) {
			return false
		}
		v = v.In[0]
	}
	return false
}

// passesRows are what takes a batch of tokens out of what a tokenizer yields, or moves it.
var passesRows = []string{"to", "cuda", "long", infer.OpNarrow, infer.OpItem, "input_ids", "attention_mask"}

// isSeveral reports whether v is a list of several texts.
func isSeveral(v *infer.Val) bool {
	if v == nil {
		return false
	}
	seq, ok := v.Ref.(*infer.SeqRef)
	return ok && (len(seq.Elems) > 1 || seq.Elems == nil && seq.Elem != nil)
}
