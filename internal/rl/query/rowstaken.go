package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Rows of a batch
//
// A minibatch is made of rows of several tensors: observations, actions, old log-probabilities, advantages. All of them are to be
// taken by one index. Where x[i] meets y[j] element by element, and j are other rows than i, each number belongs to another step.

// maxTaken bounds the values that are looked at on the way back to where rows are taken.
const maxTaken = 300

// Rows are rows that are taken of a tensor: At is Of[Index].
type Rows struct {
	At, Of, Index Seen
	// Drawn says that the index is of shuffled positions; else it is a slice of rows that lie side by side.
	Drawn bool
}

// RowsTaken are where the rows of batches are taken of which s is computed, element by element; none where some are chunks of steps. What
// is reduced to one number is left out.
func (s Seen) RowsTaken() []Rows {
	var out []Rows
	seen := map[*infer.Val]bool{}
	for list := []Seen{s}; len(list) > 0 && len(seen) < maxTaken; list = list[1:] {
		x := list[0].Item()
		if !x.Known() || seen[x.Val] || x.Const != nil || x.Is(domain.Module) || x.reducesRows() {
			continue
		}
		seen[x.Val] = true
		if x.Op == infer.OpItem && len(x.In) > 1 && x.In[1] != nil && s.g.startsDrawn(x.In[1]) {
			return nil // chunks of steps, beside which one state of a recurrent network may stand for each
		}
		if rows, ok := x.rowsAt(); ok {
			out = append(out, rows)
			continue
		}
		if idx, ok := x.lookedUp(); ok {
			list = append(list, idx) // a row of a table stands where the position that it was looked up by does
			continue
		}
		list = append(list, x.Flows()...)
	}
	return out
}

// reducesRows reports whether s holds one number for all rows.
func (s Seen) reducesRows() bool {
	return s.Fn != nil && s.IsOp("mean", "sum", "std", "var", "max", "min", "norm") && s.Arg("dim") == nil && len(s.In) == 1
}

// rowsAt reads s as rows that are taken of a tensor.
func (s Seen) rowsAt() (Rows, bool) {
	if s.Op != infer.OpItem || len(s.In) < 2 || s.In[0] == nil || s.In[1] == nil || s.In[0].Ref != nil || s.Input(0).Item().IsOp(ofSpaces...) {
		return Rows{}, false
	}
	rows := Rows{At: s, Of: s.Input(0), Index: s.Input(1), Drawn: s.g.IsDrawn(s.Input(1).Val)}
	return rows, rows.Drawn || isSlice(s.In[1]) && !s.g.holdsDrawn(rows.Of.Val) && IsTensorLike(rows.Of.Val)
}

// lookedUp returns the positions by which s is looked up in a table, row by row. Which rows of another array the table holds is nothing to those that
// it meets.
func (s Seen) lookedUp() (idx Seen, ok bool) {
	switch {
	case s.IsOp("index_select", "take", "take_along_dim", "gather"):
		idx, ok = s.Of(s.Arg("index")), true
		if d := s.Arg("dim"); d != nil {
			n, known := d.Int()
			ok = known && n == 0
		}
	case s.IsOp("embedding"):
		idx, ok = s.Of(s.Arg("x")), true
	}
	return idx, ok && idx.Known() && IsTensorLike(idx.Val)
}

// ofSpaces are the fields of a space of actions or observations that hold a number for each of its axes: a part of them is no batch.
var ofSpaces = []string{"low", "high", "shape", "nvec"}

// startsDrawn reports whether a slice begins at a shuffled position: a chunk of steps, drawn by its first.
func (g *Graph) startsDrawn(slice *infer.Val) bool {
	r, ok := slice.Ref.(*infer.SliceRef)
	return ok && r.Low != nil && g.holdsDrawn(r.Low)
}

// IsDrawn reports whether an index takes the rows of a minibatch: positions that were shuffled, or a part of them.
func (g *Graph) IsDrawn(idx *infer.Val) bool {
	if idx == nil || idx.Const != nil || IsNumber(idx) || idx.Ref != nil {
		return false
	}
	return g.holdsDrawn(idx)
}

// holdsDrawn reports whether shuffled positions went into a value.
func (g *Graph) holdsDrawn(v *infer.Val) bool {
	found := false
	infer.Walk(v, 60, func(x *infer.Val) bool {
		found = found || DrawsPositions(x) || x.Is(domain.Index) && slices.ContainsFunc(g.UsesOf(x), func(u *infer.Val) bool { return u.IsOp("shuffle") })
		return !found
	})
	return found
}

// DrawsPositions reports whether an operation shuffles positions, or an object hands them out in groups.
func DrawsPositions(v *infer.Val) bool {
	return v.IsOp("randperm", "permutation", "shuffle", "choice") || v.Op == infer.OpNew && slices.Contains(samplers, CalleeName(v.Node))
}

// samplers are the classes of torch that hand out positions in groups, or shuffled.
var samplers = []string{"BatchSampler", "SubsetRandomSampler", "RandomSampler"}

// Apart reports whether two rows surely differ: a part of shuffled positions beside a slice of a tensor in its own order, or
// two parts of one permutation.
func (r Rows) Apart(o Rows) bool {
	switch {
	case r.Drawn && o.Drawn:
		return r.Index.isOtherPart(o.Index) && !r.Of.Same(o.Of)
	case r.Drawn != o.Drawn:
		return !r.Of.Same(o.Of) // x[i] beside x[:n] compares rows of one tensor
	}
	return false
}

// SameRows reports whether two rows are taken by one index.
func (r Rows) SameRows(o Rows) bool {
	if r.Drawn != o.Drawn {
		return false
	}
	if !r.Drawn {
		return r.At.sameIndex(o.At)
	}
	a, b := r.Index.Item(), o.Index.Item()
	return infer.MadeAlike(a.Val, b.Val) || a.sameIndex(b) && infer.MadeAlike(a.Input(0).Item().Val, b.Input(0).Item().Val)
}

// isOtherPart reports whether two indices are slices of one permutation that are written differently.
func (s Seen) isOtherPart(o Seen) bool {
	a, b := s.Item(), o.Item()
	return a.isPart() && b.isPart() && a.Frame == b.Frame && infer.MadeAlike(a.Input(0).Item().Val, b.Input(0).Item().Val) && !a.sameIndex(b)
}

// isPart reports whether s is x[a:b], as it is written.
func (s Seen) isPart() bool {
	_, written := s.Node.(*ast.Subscript)
	return written && s.Op == infer.OpItem && len(s.In) > 1 && s.In[0] != nil && s.In[1] != nil && isSlice(s.In[1])
}

// Item follows a value back through what hands it on as it is, to the value that was taken out of another: x[i] is not x.
func (s Seen) Item() Seen {
	for range maxSteps {
		if s.Val == nil || s.Op == infer.OpItem {
			break
		}
		next := s.through()
		if next.Val == nil || next.Val == s.Val {
			break
		}
		s = next
	}
	return s
}
