package query

import (
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Rewards are sorted into groups by hand in many programs:
//
//	for i in range(n): groups[key[i]].append(r[i])
//	for k in groups: std[k] = torch.stack(groups[k]).std()
//	r[i] = (r[i] - mean[key[i]]) / std[key[i]]
//
// r[i] and the data of the std are no two views of one value, but pieces of one:
// taken out of it by index, iteration or attribute, and put into containers.

// maxPieces bounds a walk back through containers.
const maxPieces = 64

// part is a value and the attributes and keys by which something was taken from it.
type part struct {
	of   *infer.Val
	path string
}

// parts returns what v was taken from, v itself included, through indices, loops,
// containers, stacking and branches.
func parts(v *infer.Val) map[part]bool {
	out := map[part]bool{}
	walkParts(part{of: v}, out)
	return out
}

func walkParts(p part, out map[part]bool) {
	p.of = infer.Strip(p.of)
	v := p.of
	if v == nil || out[p] || len(out) >= maxPieces {
		return
	}
	out[p] = true
	for _, in := range contents(v) {
		walkParts(part{in, p.path}, out)
	}
	if len(v.In) == 0 || v.In[0] == nil {
		return
	}
	switch {
	case v.Op == infer.OpItem:
		walkParts(part{v.In[0], keyOf(v) + p.path}, out)
	case strings.HasPrefix(v.Op, infer.OpAttr+"."):
		walkParts(part{v.In[0], v.Op + p.path}, out)
	case v.Op == infer.OpIterate, v.Op == infer.OpStore, v.IsOp("stack", "cat", "concatenate", "topk", "sort"):
		walkParts(part{v.In[0], p.path}, out)
	case v.Op == infer.OpPhi:
		for _, in := range v.In {
			walkParts(part{in, p.path}, out)
		}
	}
}

// contents are the elements of a container.
func contents(v *infer.Val) []*infer.Val {
	switch r := v.Ref.(type) {
	case *infer.SeqRef:
		return append([]*infer.Val{r.Elem}, r.Elems...)
	case *infer.DictRef:
		return []*infer.Val{r.Elem}
	}
	return nil
}

// keyOf is the constant that an item is taken by: batch["r"] and batch["v"] are no
// pieces of one tensor.
func keyOf(item *infer.Val) string {
	if len(item.In) < 2 {
		return ""
	}
	if key, ok := item.In[1].Str(); ok {
		return "[" + key + "]"
	}
	if i, ok := item.In[1].Int(); ok {
		return "[" + strconv.FormatInt(i, 10) + "]"
	}
	return ""
}

// SharePieces reports whether a and b were taken from the same tensor, list or
// collection of records, the same attribute of each.
func SharePieces(a, b *infer.Val) bool {
	of := parts(a)
	for p := range parts(b) {
		if of[p] && p.of.Ref == nil && p.of.Const == nil {
			return true
		}
	}
	return false
}

// anyPart reports whether v, or what it was taken from, satisfies the predicate.
func anyPart(v *infer.Val, hold func(*infer.Val) bool) bool {
	for p := range parts(v) {
		if hold(p.of) {
			return true
		}
	}
	return false
}
