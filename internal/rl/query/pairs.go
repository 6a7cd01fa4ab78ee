package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Tables of pairs
//
// A column (N, 1) and a vector (N,) that hold one number for each row of a batch broadcast to a table (N, N) of
// each with each. Nothing fails, and a mean over the table is a number like any other. Such tables are also made
// on purpose: for rankings, quantiles, supports of distributions. Those who do write the new axis where they need
// it, and reduce the table along an axis.

// Pairing is an operation that makes a table of pairs.
type Pairing struct {
	At *infer.Val
	// Column has one number a row, along the first axis of two; Vector along its only one.
	Column, Vector *infer.Val
	// Use is what the table is for.
	Use PairUse
}

// PairUse says what a table of pairs is taken for.
type PairUse uint8

// What tables are taken for.
const (
	PairLoss   PairUse = iota // an error of a prediction: a loss function, a difference that is squared
	PairScore                 // a log-probability or ratio times what it is weighted with
	PairError                 // a difference that is not squared: an advantage
	PairTarget                // a sum or product of rewards and values
)

// lossOps compare two tensors number by number.
var lossOps = []string{"mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss", "gaussian_nll_loss", "poisson_nll_loss"}

// Pairings are those of the module, in the order of the source.
func (g *Graph) Pairings() []Pairing {
	g.pairings.once.Do(func() {
		for _, v := range g.Made(append([]string{"add", "sub", "mul", "div", "maximum", "minimum"}, lossOps...)...) {
			if p, ok := g.pairingOf(v); ok {
				g.pairings.list = append(g.pairings.list, p)
			}
		}
	})
	return g.pairings.list
}

func (g *Graph) pairingOf(v *infer.Val) (Pairing, bool) {
	if v.Fn == nil || len(v.In) < 2 || v.In[0] == nil || v.In[1] == nil || v.Node == nil {
		return Pairing{}, false
	}
	for i, x := range v.In[:2] {
		y := v.In[1-i]
		vector := g.isVector(y) && alike(g.Meant(x), g.Meant(y)) || v.IsOp("sub") && !g.Meant(y).Known() && g.meetsAsColumn(x, y)
		if !vector || isOfOneStep(x) || !g.isColumn(x) && !(v.IsOp(lossOps...) && g.endsInOne(x)) {
			continue
		}
		if v.IsOp("gaussian_nll_loss") && i == 1 && !g.isVector(v.Arg("var")) {
			continue // a column of variances beside a vector of means raises an error
		}
		p := Pairing{At: v, Column: x, Vector: y, Use: g.useOf(v)}
		if !(g.isPerRow(y, maxMeant) && g.isPerRow(x, maxMeant) || g.meetRowByRow(x, y) || g.meetsAsColumn(x, y)) || g.pairsOnPurpose(p) || v.IsOp("add", "sub") && g.onlyAveraged(v, 8) || !v.IsOp(lossOps...) && g.isOneNumber(v, 8) {
			return Pairing{}, false
		}
		return p, true
	}
	return Pairing{}, false
}

// meetRowByRow reports whether a loss or a difference elsewhere takes the numbers of a column as a vector, beside the vector itself: then the
// vector has one number for each row of the column, whatever the two are.
func (g *Graph) meetRowByRow(column, vector *infer.Val) bool {
	of := infer.Strip(column)
	return of != nil && slices.ContainsFunc(g.vectors()[of.Node], func(m meeting) bool {
		return infer.SameSource(m.vector, column) && infer.SameSource(m.with, vector)
	})
}

// meetsAsColumn reports whether a loss elsewhere takes y with a new last axis beside the numbers of the column x: then y itself has none.
func (g *Graph) meetsAsColumn(x, y *infer.Val) bool {
	return slices.ContainsFunc(g.Made(lossOps...), func(loss *infer.Val) bool {
		if len(loss.In) < 2 {
			return false
		}
		for i, a := range loss.In[:2] {
			if b := loss.In[1-i]; infer.SameSource(a, x) && b != nil && addsLast(b) && len(b.In) > 0 && infer.SameSource(b.In[0], y) {
				return true
			}
		}
		return false
	})
}

// meeting is a vector that a loss or a difference takes beside another value.
type meeting struct{ vector, with *infer.Val }

// vectors are those meetings by the syntax that the numbers of the vector come from.
func (g *Graph) vectors() map[ast.Node][]meeting {
	g.pairings.meet.Do(func() {
		g.pairings.vectors = map[ast.Node][]meeting{}
		for _, u := range g.Made(append([]string{"sub"}, lossOps...)...) {
			for i := 0; i < 2 && len(u.In) > 1; i++ {
				if of := infer.Strip(u.In[i]); of != nil && of.Node != nil && g.isVector(u.In[i]) {
					g.pairings.vectors[of.Node] = append(g.pairings.vectors[of.Node], meeting{u.In[i], u.In[1-i]})
				}
			}
		}
	})
	return g.pairings.vectors
}

// alike reports whether the sizes of a column and a vector do not contradict that they are of one batch.
func alike(column, vector domain.Shape) bool {
	rows, _ := column.Dim(-2)
	n := vector.Dims[0]
	return rows.N < 0 || n.N < 0 || rows.N == n.N
}

// isVector reports whether v has one axis, of several elements as far as is known.
func (g *Graph) isVector(v *infer.Val) bool {
	s := g.Meant(v)
	return s.Known() && s.Rank == 1 && (s.Dims[0].N < 0 || s.Dims[0].N > 1) && !isOfOneStep(v) && !g.isOfOneAction(v)
}

// isOfOneAction reports whether v is made of the log-probability of an action that is taken out of its tensor as one number, as for an environment.
func (g *Graph) isOfOneAction(v *infer.Val) bool {
	found := false
	infer.Walk(v, nearStep, func(x *infer.Val) bool {
		found = found || x.IsOp("log_prob") && len(x.In) > 1 && x.In[1] != nil && g.isOneNumber(x.In[1], 8)
		return !found && (infer.Through(x) != nil || IsElementwise(x)) // a stack is of many
	})
	return found
}

// isOfOneStep reports whether v is computed from the reward of a single step, or is that on one path: what a network says beside it is of
// one state, too, though its size is not known.
func isOfOneStep(v *infer.Val) bool {
	found := false
	infer.Walk(v, nearStep, func(x *infer.Val) bool {
		if x.IsOp("mean", "sum", "std", "var", "max", "min", "median", "amax", "amin") {
			return false // one number that many rewards make
		}
		s := x.Q.Shape
		found = found || x.Is(domain.Reward) && s.Known() && (s.Rank == 0 && x.Const == nil || s.Rank == 1 && s.Dims[0].N == 1)
		return !found && (x.IsOp(infer.OpPhi, infer.OpNarrow, "where") || IsElementwise(x))
	})
	return found
}

// nearStep bounds the values between a target and the reward in it.
const nearStep = 32

// isColumn reports whether v has two axes, of which the last is of size 1 and the other is not.
func (g *Graph) isColumn(v *infer.Val) bool {
	s := g.Meant(v)
	last, ok := s.Dim(-1)
	if !ok || last.N != 1 || s.Known() && s.Rank != 2 {
		return false
	}
	if rows, ok := s.Dim(-2); ok {
		return rows.N != 1 && (s.Known() || s.MinRank() == 2)
	}
	return g.hasBatch(v, maxMeant)
}

// endsInOne reports whether v has a last axis of size 1, and it is not known what stands before it. Whatever that is, a loss between it
// and a vector compares what does not belong together.
func (g *Graph) endsInOne(v *infer.Val) bool {
	s := g.Meant(v)
	last, ok := s.Dim(-1)
	return ok && last.N == 1 && !s.Known()
}

// hasBatch reports whether a value whose last axis holds the features of a layer has an axis before it: it was made
// of a list that grew, or of rows that were taken out of a larger tensor.
func (g *Graph) hasBatch(v *infer.Val, depth int) bool {
	if v == nil || depth == 0 {
		return false
	}
	if rows, ok := v.Q.Shape.Dim(-2); ok {
		return rows.N != 1
	}
	if len(v.In) == 0 || v.In[0] == nil {
		return false
	}
	switch {
	case v.Op == infer.OpPhi:
		return !slices.ContainsFunc(v.In, func(x *infer.Val) bool { return !g.hasBatch(x, depth-1) })
	case v.Op == infer.OpItem && len(v.In) > 1 && isOneOf(v):
		return false // one row of an array: its numbers are features
	case v.Op == infer.OpItem && len(v.In) > 1:
		return isRows(v.In[1]) || isOfAllRows(v.In[1])
	case v.IsOp("tensor", "as_tensor", "FloatTensor", "Tensor", "array", "asarray", "stack", "vstack", "cat", "concatenate"):
		if seq, ok := v.In[0].Ref.(*infer.SeqRef); ok {
			if e := seq.Elem; seq.Elems == nil && e != nil {
				return !(e.Q.Shape.Known() && e.Q.Shape.Rank == 0)
			}
			return v.IsOp("cat", "concatenate") && slices.ContainsFunc(seq.Elems, func(x *infer.Val) bool { return g.hasBatch(x, depth-1) })
		}
		return v.IsOp("stack", "vstack") || g.hasBatch(v.In[0], depth-1)
	case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil, v.Fn != nil && v.Op != infer.OpIterate:
		return g.hasBatch(v.In[0], depth-1)
	}
	return false
}

// isOfAllRows reports whether an index is that of one element of each row, as x[:, -1]: what is left are the rows, and the features behind
// them.
func isOfAllRows(index *infer.Val) bool {
	of, ok := twoIndices(index)
	if !ok {
		return false
	}
	_, at := of[1].Int()
	return isSlice(of[0]) && at
}

// twoIndices are a and b of x[a, b].
func twoIndices(index *infer.Val) ([]*infer.Val, bool) {
	seq, ok := index.Ref.(*infer.SeqRef)
	if !ok || seq.List || len(seq.Elems) != 2 || seq.Elems[0] == nil || seq.Elems[1] == nil {
		return nil, false
	}
	return seq.Elems, true
}

// perRow are the kinds of which there is one number for each row of a batch.
const perRow = domain.Reward | domain.Return | domain.Advantage | domain.StateValue | domain.QValue | domain.TDError | domain.Done | domain.Terminated |
	domain.Truncated | domain.LogProb | domain.LogRatio | domain.Ratio | domain.Entropy | domain.KL

// IsPerRow reports whether v has one number for each row of a batch.
func (g *Graph) IsPerRow(v *infer.Val) bool { return g.isPerRow(v, maxMeant) }

// isPerRow reports whether v has one number for each row of a batch: by what it is, or by how it was made. What is
// the same for all rows, such as the support of a distribution or the scale of each action, is not. A squashed
// output is an action.
func (g *Graph) isPerRow(v *infer.Val, depth int) bool {
	switch {
	case v == nil || depth == 0:
		return false
	case v.Is(perRow):
		return true
	case isGrown(v):
		return true
	case len(v.In) == 0 || v.In[0] == nil:
		return false
	}
	last, ok := v.Q.Shape.Dim(-1)
	switch {
	case v.IsOp("tanh"):
		return false
	case v.IsOp(lossOps...):
		return g.isPerRow(v.In[0], depth-1) || len(v.In) > 1 && g.isPerRow(v.In[1], depth-1)
	case v.Op == infer.OpIterate: // what a loader puts together has one axis more than each of it
		of := v.In[0].Q.Shape
		return v.Q.Shape.Known() && of.Known() && v.Q.Shape.Rank > of.Rank
	case v.Op == infer.OpPhi:
		return !slices.ContainsFunc(v.In, func(x *infer.Val) bool { return !g.isPerRow(x, depth-1) })
	case strings.HasSuffix(v.Op, "Linear.__call__"):
		return ok && last.N == 1
	case v.IsOp("gather", "take_along_dim"), v.IsOp(chosenLoss...):
		return true
	case v.IsOp("max", "min", "amax", "argmax", "sum", "mean", "logsumexp"):
		d, named := v.Arg("dim").Int()
		return named && d != 0
	case v.Op == infer.OpItem && len(v.In) > 1 && isOneOf(v):
		return false // one row of an array: its numbers are features
	case v.Op == infer.OpItem && len(v.In) > 1:
		return isRows(v.In[1]) && !isSlice(v.In[1]) || g.picksOfRows(v, depth) || g.isPerRow(v.In[0], depth-1)
	case v.IsOp("tensor", "as_tensor", "FloatTensor", "Tensor", "array", "asarray", "stack", "cat", "concatenate", "vstack"):
		if _, ok := v.In[0].Ref.(*infer.SeqRef); ok {
			return isGrown(v.In[0])
		}
		return g.isPerRow(v.In[0], depth-1)
	case v.IsOp("add", "sub", "mul", "div", "maximum", "minimum") && len(v.In) > 1:
		return g.isPerRow(v.In[0], depth-1) || g.isPerRow(v.In[1], depth-1)
	case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil, IsElementwise(v), infer.Through(v) != nil:
		return g.isPerRow(v.In[0], depth-1)
	}
	return false
}

// isOneOf reports whether v is what stands at one position of an array.
func isOneOf(v *infer.Val) bool {
	i := v.In[1]
	return v.In[0].Ref == nil && i != nil && i.Ref == nil && i.Q.Shape.Known() && i.Q.Shape.Rank == 0 && (i.Is(domain.Count|domain.Index) || i.Const != nil)
}

// isGrown reports whether v is a list that grew by one computed number or row at a time.
func isGrown(v *infer.Val) bool {
	seq, ok := v.Ref.(*infer.SeqRef)
	return ok && seq.Elems == nil && seq.Elem != nil && !isConstant(seq.Elem) && !seq.Elem.Is(domain.Noise) && !isOfEachNetwork(v)
}

// isOfEachNetwork reports whether a list has one element for each of several networks, as judges that score the same answer.
func isOfEachNetwork(list *infer.Val) bool {
	comp, ok := list.Node.(*ast.Comp)
	return ok && list.Frame != nil && slices.ContainsFunc(comp.Clauses, func(c *ast.CompClause) bool {
		x := list.Frame.Val(c.Target)
		if x == nil {
			x = list.Frame.Val(c.Iter)
		}
		return x != nil && x.Is(domain.Module)
	})
}

func isConstant(v *infer.Val) bool { return v.Const != nil }

// useOf tells what a table is taken for by what is made of it, and of what.
func (g *Graph) useOf(v *infer.Val) PairUse {
	switch {
	case v.IsOp(lossOps...):
		return PairLoss
	case v.IsOp("mul", "div"):
		for _, x := range v.In[:2] {
			if isScore(x) {
				return PairScore
			}
		}
	case v.IsOp("sub"):
		switch {
		case g.becomesError(v, 6):
			return PairLoss
		case slices.ContainsFunc(v.In[:2], isWeighted): // a value less what entropy costs
			return PairTarget
		}
		return PairError
	}
	return PairTarget
}

// isWeighted reports whether v is a score times a weight, as a soft target takes off a value.
func isWeighted(v *infer.Val) bool {
	return v != nil && (isScore(v) || v.IsOp("mul") && slices.ContainsFunc(v.In, isScore))
}

// isScore reports whether v is what a policy gradient weights: log-probabilities or ratios, or a cross entropy that was left one number
// a row, which is the log-probability of each action with the other sign.
func isScore(v *infer.Val) bool {
	for range maxMeant {
		switch {
		case v == nil:
			return false
		case v.Is(domain.LogProb | domain.Ratio | domain.LogRatio), v.IsOp(chosenLoss...):
			return true
		case len(v.In) > 0 && (v.Op == infer.OpNarrow || v.IsOp("neg", "squeeze", "to", "float")):
			v = v.In[0]
		default:
			return false
		}
	}
	return false
}

// chosenLoss are the losses of which each row has its own: the negative log-probability of what was chosen in it.
var chosenLoss = []string{"cross_entropy", "nll_loss"}

// becomesError reports whether a difference is squared, or its absolute value is taken.
func (g *Graph) becomesError(v *infer.Val, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, u := range g.UsesOf(v) {
		switch {
		case u.IsOp("square", "abs"), u.IsOp("pow") && len(u.In) > 0 && u.In[0] == v, u.IsOp("mul") && len(u.In) > 1 && u.In[0] == v && u.In[1] == v,
			u.IsOp(lossOps...):
			return true
		case u.Op == infer.OpNarrow, u.Op == infer.OpPhi, u.IsOp("neg", "clamp", "add", "sub", "maximum", "where"):
			if g.becomesError(u, depth-1) {
				return true
			}
		}
	}
	return false
}

// pairsOnPurpose reports whether each with each is what is asked for: the axis is written where the operation
// stands, both sides are of one value, or the table is used as one.
func (g *Graph) pairsOnPurpose(p Pairing) bool {
	if infer.SameSource(p.Column, p.Vector) || asksAxes(p) || g.areOfOneNetwork(p) {
		return true
	}
	loss := p.At.IsOp(lossOps...)
	if loss {
		return !(p.At.Q.Shape.Known() && p.At.Q.Shape.Rank == 0)
	}
	if isWrittenColumn(p.Column) && isPickedColumn(p.Vector) {
		return true
	}
	x := p.Column
	if x.Frame == p.At.Frame && x.Node != nil && p.At.Node.Span().Covers(x.Node.Span()) && addsAxis(x) {
		return true
	}
	return g.isReadAsTable(p.At, 6)
}

// asksAxes reports whether the operation stands in a branch that asks for the axes of an operand: there they are others.
func asksAxes(p Pairing) bool {
	isOperand := func(x *infer.Val) bool { return infer.SameSource(x, p.Column) || infer.SameSource(x, p.Vector) }
	isShape := func(x *infer.Val) bool { return x.IsOp("shape", "size") && len(x.In) == 1 && isOperand(x.In[0]) }
	return p.At.Guarded(func(g *infer.Guard) bool {
		return infer.Within(g.Cond, nearStep, func(x *infer.Val) bool {
			switch {
			case len(x.In) == 0:
				return false
			case x.IsOp("dim", "ndim", "ndimension"):
				return isOperand(x.In[0])
			case x.IsOp("eq", "ne", "len", "size") && isShape(x.In[0]): // whole shapes, or how many axes there are
				return true
			case x.Op == infer.OpItem && len(x.In) > 1 && isShape(x.In[0]):
				at, ok := x.In[1].Int()
				return ok && at != 0
			case x.IsOp("size"):
				at, ok := x.Arg("dim").Int()
				return ok && at != 0 && isOperand(x.In[0])
			}
			return false
		})
	})
}

// areOfOneNetwork reports whether a difference is of two outputs of one network, as they are: who takes one axis off only one of them
// compares each row of one batch with each row of another, as a ranking or a distance of two distributions does.
func (g *Graph) areOfOneNetwork(p Pairing) bool {
	column, vector := g.See(p.Column).YieldedBy(), g.See(p.Vector).YieldedBy()
	return p.At.IsOp("sub") && len(column) > 0 && slices.Equal(column, vector)
}

// isWrittenColumn reports whether v is x[:, i:j], which keeps an axis that x[:, i] would not.
func isWrittenColumn(v *infer.Val) bool {
	if v.Op != infer.OpItem || len(v.In) < 2 || v.In[1] == nil {
		return false
	}
	of, ok := twoIndices(v.In[1])
	return ok && isSlice(of[0]) && isSlice(of[1])
}

// isPickedColumn reports whether v is x[:, i]: who writes it beside x[:, i:j] compares each row of one with each row of the other.
func isPickedColumn(v *infer.Val) bool {
	return v.Op == infer.OpItem && len(v.In) > 1 && v.In[1] != nil && isOfAllRows(v.In[1])
}

// addsAxis reports whether v is a value with a new last axis, as written.
func addsAxis(v *infer.Val) bool {
	switch {
	case v.IsOp("unsqueeze", "view", "reshape", "expand_dims"):
		return true
	case v.Op == infer.OpItem && len(v.In) > 1 && v.In[1] != nil:
		seq, ok := v.In[1].Ref.(*infer.SeqRef)
		return ok && slices.ContainsFunc(seq.Elems, func(x *infer.Val) bool { return x != nil && x.IsNone() })
	}
	return false
}

// isReadAsTable reports whether something is done to a table that nobody does to a vector.
func (g *Graph) isReadAsTable(v *infer.Val, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, u := range g.UsesOf(v) {
		if len(u.In) == 0 || u.In[0] == nil {
			continue
		}
		switch {
		case u.IsOp("mean", "sum", "max", "min", "argmax", "argmin", "softmax", "log_softmax", "logsumexp", "std", "sort", "argsort", "topk", "cumsum", "norm", "any", "all") && u.Arg("dim") != nil && !u.Arg("dim").IsNone():
			return true
		case u.IsOp("matmul", "mm", "bmm", "diag", "diagonal", "tril", "triu", "t", "transpose", "trace", "fill_diagonal", "masked_fill", "view", "reshape", "flatten"):
			return true
		case u.Op == infer.OpItem && u.In[0] == v && len(u.In) > 1 && u.In[1] != nil:
			if seq, ok := u.In[1].Ref.(*infer.SeqRef); ok && !seq.List {
				return true
			}
		case u.Op == infer.OpNarrow, u.Op == infer.OpPhi, IsElementwise(u), u.IsOp("detach", "where", "clone"):
			if g.isReadAsTable(u, depth-1) {
				return true
			}
		}
	}
	return false
}

// isOneNumber reports whether the program takes v, or what it makes of it number by number, for one number: it goes back from there without a
// gradient for each, or takes it out. That raises an error for a table, so the batch is of one row.
func (g *Graph) isOneNumber(v *infer.Val, depth int) bool {
	return depth > 0 && slices.ContainsFunc(g.UsesOf(v), func(u *infer.Val) bool {
		switch {
		case u.IsOp("backward"):
			return len(u.In) > 0 && u.In[0] == v && u.Arg("gradient") == nil
		case strings.HasSuffix(u.Op, ".item"): // an index is an "item", too
			return true
		case IsElementwise(u), infer.Through(u) == v:
			return g.isOneNumber(u, depth-1)
		}
		return false
	})
}

// onlyAveraged reports whether nothing but sums of a table go into means over all of it: the mean of the sums of
// each with each is the sum of the means.
func (g *Graph) onlyAveraged(v *infer.Val, depth int) bool {
	if depth == 0 {
		return false
	}
	uses := g.UsesOf(v)
	for _, u := range uses {
		switch {
		case u.IsOp("mean") && (u.Arg("dim") == nil || u.Arg("dim").IsNone()):
		case u.IsOp("mul", "div") && len(u.In) > 1:
			other := u.In[1]
			if other == v {
				other = u.In[0]
			}
			if !isScalar(other) || !g.onlyAveraged(u, depth-1) {
				return false
			}
		case u.IsOp("add", "sub", "neg"), u.Op == infer.OpNarrow, u.Op == infer.OpPhi:
			if !g.onlyAveraged(u, depth-1) {
				return false
			}
		default:
			return false
		}
	}
	return len(uses) > 0
}
