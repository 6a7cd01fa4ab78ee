package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Actions of one number
//
// The log-density of each dimension of an action is that of the action where it has one dimension. How wide an action is often shows elsewhere
// than in the shape of the log-density, which an index of unknown shape makes unknown: in the width of the mean's last layer, in the column
// that the actions of a batch are laid out as, or in item() of a draw, which fails of more numbers.

// lawsOfNumbers are the distributions of independent numbers, with the parameter that has one number for each.
var lawsOfNumbers = map[string]string{"Normal": "loc", "Beta": "concentration1", "Uniform": "low"}

// isOfNumbers reports whether v is what such a distribution returns for one of the methods.
func isOfNumbers(v *infer.Val, methods ...string) bool {
	rest, ok := strings.CutPrefix(v.Op, "torch.distributions.")
	class, method, found := strings.Cut(rest, ".")
	return ok && found && lawsOfNumbers[class] != "" && slices.Contains(methods, method)
}

// isOfOneNumber reports whether the distribution, or the action, of a call of log_prob has one number for each row.
func (g *Graph) isOfOneNumber(logp *infer.Val) bool {
	known := oneWide{g, map[*infer.Val]bool{}}
	if len(logp.In) > 1 && known.is(logp.In[1], maxMeant) || known.is(logp.In[0], maxMeant) {
		return true
	}
	law, ok := infer.RefOf(logp.In[0]).(*infer.LibObject)
	if !ok || law.Class == nil {
		return false
	}
	return known.is(law.Args[lawsOfNumbers[strings.TrimPrefix(law.Class.Name, "torch.distributions.")]], maxMeant)
}

// oneWide remembers, for each value, whether it has one number for each row.
type oneWide struct {
	g     *Graph
	found map[*infer.Val]bool
}

// is reports whether v has one number for each row: as a column, as one column of a table, or as rows of such a thing. Who drops the last
// axis by squeeze(-1), or adds one by unsqueeze(-1), has one number.
func (w oneWide) is(v *infer.Val, depth int) bool {
	if v == nil || depth == 0 {
		return false
	}
	if found, ok := w.found[v]; ok {
		return found
	}
	w.found[v] = true // a variable that a loop changes is what the other values are
	w.found[v] = w.find(v, depth)
	return w.found[v]
}

func (w oneWide) find(v *infer.Val, depth int) bool {
	if last, ok := w.g.meantWithin(v, depth).Dim(-1); ok && last.N == 1 {
		return true
	}
	if len(v.In) == 0 || v.In[0] == nil {
		return false
	}
	from := func() bool { return w.is(v.In[0], depth-1) }
	switch {
	case v.Op == infer.OpPhi:
		return !slices.ContainsFunc(v.In, func(x *infer.Val) bool { return !w.is(x, depth-1) })
	case v.Op == infer.OpItem && len(v.In) > 1 && v.In[1] != nil:
		if parts, ok := v.In[1].Ref.(*infer.SeqRef); ok && !parts.List {
			return len(parts.Elems) > 1 && isOneOfAxis(parts.Elems[len(parts.Elems)-1])
		}
		return v.In[0].Ref == nil && from()
	case v.IsOp("squeeze", "unsqueeze"):
		n, ok := v.Arg("dim").Int()
		return ok && (n == -1 || n == 1)
	case IsElementwise(v) && len(v.In) > 1 && IsNumber(v.In[0]):
		return w.is(v.In[1], depth-1)
	case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil, IsElementwise(v),
		v.IsOp("detach", "to", "cpu", "cuda", "float", "double", "clone", "contiguous"):
		return from()
	}
	return false
}

// isOneOfAxis reports whether an index of the last axis takes one number, or adds an axis behind one for each row.
func isOneOfAxis(idx *infer.Val) bool {
	if idx == nil {
		return false
	}
	part, ok := idx.Ref.(*infer.SliceRef)
	if !ok {
		_, isNumber := idx.Int()
		return isNumber || idx.IsNone()
	}
	low, lowKnown := part.Low.Int()
	high, highKnown := part.High.Int()
	switch {
	case part.Step != nil:
		return false
	case part.High == nil:
		return lowKnown && low == -1
	case part.Low == nil:
		return highKnown && high == 1
	}
	return lowKnown && highKnown && high == low+1
}

// takesOneNumber reports whether the program takes a draw of independent numbers, or their log-density, out of its tensor as one number: item()
// and float() fail of several.
func (g *Graph) takesOneNumber() bool {
	for v := range g.Each {
		if len(v.In) > 0 && (strings.HasSuffix(v.Op, ".item") || IsConversion(v)) && isOfDraw(v.In[0]) {
			return true
		}
	}
	return false
}

// isOfDraw reports whether v has as many numbers as a draw of a distribution of independent numbers, or as their log-density, and is made of one.
func isOfDraw(v *infer.Val) bool {
	seen := map[*infer.Val]bool{}
	for work := []*infer.Val{v}; len(work) > 0 && len(seen) < maxDimensions; work = work[1:] {
		v := work[0]
		switch {
		case v == nil || seen[v]:
			continue
		case isOfNumbers(v, "sample", "rsample", "log_prob"):
			return true
		}
		seen[v] = true
		switch {
		case len(v.In) == 0:
		case v.Op == infer.OpPhi, IsElementwise(v):
			work = append(work, v.In...)
		case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0] != nil && v.In[0].Frame != nil,
			v.IsOp("detach", "to", "cpu", "cuda", "float", "double", "clone", "contiguous", "numpy", "data", "clip", "squeeze", "unsqueeze", "view", "reshape", "flatten"):
			work = append(work, v.In[0])
		}
	}
	return false
}
