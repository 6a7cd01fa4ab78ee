package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// IsGiven reports whether the gradient g of a custom Function is one of forward's inputs, of which its result is not made: the
// Function is there to put this gradient in place of one.
func IsGiven(fn *infer.Function, g *infer.Val) bool {
	g = infer.Strip(g)
	if g != nil && g.Op == infer.OpSaved && len(g.In) > 0 {
		g = infer.Strip(g.In[0])
	}
	return g != nil && slices.Contains(fn.Inputs, g) && !infer.Reaches(g, fn.Forward.Result, 2000)
}
