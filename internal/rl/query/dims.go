package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// PerDimension returns the log-density of independent dimensions that v holds, one for each dimension of an action: what
// a Normal yields, changed number by number and summed over nothing. It is nil for anything else, and where the
// action has one dimension.
func (g *Graph) PerDimension(v *infer.Val) *infer.Val {
	return dimensions{g, map[*infer.Val]*infer.Val{}}.of(v, maxMeant)
}

// dimensions holds what of found: a value may be an operand of an operand many times over.
type dimensions struct {
	g     *Graph
	found map[*infer.Val]*infer.Val
}

const maxDimensions = 256 // values that one question looks at

func (d dimensions) of(v *infer.Val, depth int) *infer.Val {
	if v == nil || depth == 0 || len(v.In) == 0 || v.In[0] == nil {
		return nil
	}
	if found, ok := d.found[v]; ok || len(d.found) == maxDimensions {
		return found
	}
	d.found[v] = nil // a value of itself is none
	d.found[v] = d.find(v, depth)
	return d.found[v]
}

func (d dimensions) find(v *infer.Val, depth int) *infer.Val {
	switch {
	case isOfNumbers(v, "log_prob"):
		last, ok := v.Q.Shape.Dim(-1)
		if !ok || last.N == 1 || d.g.isOfOneNumber(v) {
			return nil
		}
		return v
	case v.Op == infer.OpPhi:
		var of *infer.Val
		for _, x := range v.In {
			if of = d.of(x, depth-1); of == nil {
				return nil
			}
		}
		return of
	case v.IsOp("add", "sub", "mul", "div", "minimum", "maximum") && len(v.In) > 1:
		if x := d.of(v.In[0], depth-1); x != nil {
			return x
		}
		return d.of(v.In[1], depth-1)
	case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil, IsElementwise(v), v.IsOp("detach", "to", "cpu", "float", "clone"):
		return d.of(v.In[0], depth-1)
	}
	return nil
}

// NotSummed is an operation of a log-density of each dimension of an action, and a number for the action as a whole.
type NotSummed struct {
	At          *infer.Val
	LogProb     *infer.Val // the call of log_prob
	Each, Whole *infer.Val // the operands
}

// NotSummed returns such operations: a value, or an advantage, is of an action, whose density is the product of the densities of
// its dimensions. A product is no such operation where the log-density itself is weighted: the gradient is a sum then.
func (g *Graph) NotSummed() []NotSummed {
	var out []NotSummed
	for _, v := range g.Made("add", "sub", "mul") {
		if v.Fn == nil || len(v.In) < 2 || v.Node == nil {
			continue
		}
		for i, x := range v.In[:2] {
			y := v.In[1-i]
			at := g.PerDimension(x)
			if at == nil || g.PerDimension(y) != nil {
				continue
			}
			ratio := v.IsOp("mul") && raised(x, maxMeant)
			if v.IsOp("mul") && !ratio || !g.isOfRow(y) && !(ratio && isOfUnknownRow(y)) {
				continue
			}
			out = append(out, NotSummed{At: v, LogProb: at, Each: x, Whole: y})
			break
		}
	}
	return out
}

// isOfRow reports whether v has one number for each row, as a column.
func (g *Graph) isOfRow(v *infer.Val) bool {
	s := g.Meant(v)
	last, ok := s.Dim(-1)
	return ok && last.N == 1 && s.Rank != 1 && g.isPerRow(v, maxMeant) && !v.Is(domain.LogProb)
}

// isOfUnknownRow reports whether v is an advantage of unknown shape: there is one for each action, and where it is not a column, its product
// with a ratio for each dimension fails.
func isOfUnknownRow(v *infer.Val) bool {
	last, known := v.Q.Shape.Dim(-1)
	return v.Is(domain.Advantage|domain.TDError) && !v.Q.Shape.Known() && (!known || last.N < 0)
}

// raised reports whether v is made of an exponential: a ratio.
func raised(v *infer.Val, depth int) bool {
	if v == nil || depth == 0 || len(v.In) == 0 {
		return false
	}
	if v.IsOp("exp") {
		return true
	}
	return (v.Op == infer.OpNarrow || IsElementwise(v) || v.Op == infer.OpCall && !v.Unfollowed()) && slices.ContainsFunc(v.In[:1], func(x *infer.Val) bool { return raised(x, depth-1) })
}

// oneDimensional are the environments of gym whose actions have one dimension. Gym finds an environment by its name.
var oneDimensional = []string{"Pendulum-", "MountainCarContinuous-", "InvertedPendulum-", "InvertedDoublePendulum-"}

// ActsInOneDimension reports whether the module makes an environment with actions of one dimension, or takes an action as one number: others that
// it makes may be for other agents.
func (g *Graph) ActsInOneDimension() bool {
	return g.takesOneNumber() || slices.ContainsFunc(g.Made("make"), func(v *infer.Val) bool {
		id, ok := v.Arg("id").Str()
		return ok && slices.ContainsFunc(oneDimensional, func(name string) bool { return strings.HasPrefix(id, name) })
	})
}
