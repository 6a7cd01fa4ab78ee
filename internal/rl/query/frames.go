package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Tables of pandas
//
// pandas is not followed, and its tables have methods of tensors, as df.std(). What nothing else is known of is told for a table by
// what only a table can do: columns are taken by their names, and some of its methods no tensor and no array has.

// frameMethods are methods and fields that tables and columns of pandas have, and neither tensors nor arrays.
var frameMethods = Words(`rolling ewm expanding pct_change fillna dropna ffill bfill iloc loc iat reset_index set_index sort_index sort_values groupby iterrows
	itertuples value_counts nunique drop_duplicates rename astype_index resample to_csv to_numpy columns`)

// frameSteps bounds the values that are asked for one table.
const frameSteps = 40

// IsFrame reports whether v is a table or column of pandas: it was made by what only pandas has, or it, or what it was copied from or
// is copied and added to, is used as nothing but a table can be.
func (g *Graph) IsFrame(v *infer.Val) bool {
	seen := map[*infer.Val]bool{}
	for work := []*infer.Val{v}; len(work) > 0 && len(seen) < frameSteps; work = work[1:] {
		x := work[0]
		if x == nil || seen[x] || x.Q.Kind.Known() || x.Const != nil || x.Ref != nil {
			continue
		}
		seen[x] = true
		if isFrameCall(x.Node) {
			return true
		}
		if x != v && !passesFrame(x) {
			continue
		}
		for _, u := range g.UsesOf(x) {
			switch {
			case len(u.In) == 0 || u.In[0] != x:
			case takesColumn(u), isFrameCall(u.Node):
				return true
			case passesFrame(u):
				work = append(work, u)
			}
		}
		if passesFrame(x) {
			work = append(work, x.In...)
		}
	}
	return false
}

// isFrameCall reports whether an expression calls a method, or reads a field, that pandas alone has.
func isFrameCall(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Call:
		n = x.Fun
	case *ast.Subscript: // df.iloc[-5:]
		n = x.X
	}
	at, ok := n.(*ast.Attribute)
	return ok && frameMethods[at.Attr]
}

// takesColumn reports whether u is an element under a text: of something that is no dict, a column.
func takesColumn(u *infer.Val) bool {
	if u.Op != infer.OpItem && u.Op != infer.OpStore {
		return false
	}
	return slices.ContainsFunc(u.In[1:], func(k *infer.Val) bool { _, ok := k.Str(); return ok })
}

// passesFrame reports whether x is a table where what it is made of is one.
func passesFrame(x *infer.Val) bool {
	if len(x.In) == 0 {
		return false
	}
	return x.IsOp("copy", "clone", "add", "sub", "mul", "div", infer.OpPhi, infer.OpNarrow, infer.OpStore, "head", "tail", "drop",
		"mean", "sum", "median", "max", "min", "std", "var") // one a column
}
