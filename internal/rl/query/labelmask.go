package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Distributions under a mask of labels
//
// Where a student learns from a teacher, whole distributions are compared, and no token picks a score. Yet labels say which positions
// count: those whose label is not the one that losses ignore. A label is that of a token, and the token is predicted one position
// before, so labels are cut for their mask as tokens are for a gather.

// wholePicks returns where what is made of whole distributions meets a mask of labels.
func (g *Graph) wholePicks() (out []Pick) {
	for _, v := range g.Made("mul", infer.OpItem, "masked_select", "where", "masked_fill") {
		for _, s := range g.Paths(v) {
			of, m, ok := unmasked(s)
			if !ok || !m.Of.Known() || !m.asksForIgnored() {
				continue
			}
			for _, scores := range distributionsIn(of) {
				out = append(out, Pick{At: v, Scores: scores, Tokens: m.Of, Whole: true, way: s})
			}
		}
	}
	return out
}

// asksForIgnored reports whether a mask compares with the label that losses ignore.
func (m Mask) asksForIgnored() bool {
	x := m.Seen.Strip()
	return slices.ContainsFunc([]int{0, 1}, func(i int) bool {
		n, ok := x.Input(i).Int()
		return ok && n == ignored
	})
}

// distributionsIn returns the logits of the distributions that s is made of, unless a token has picked a score of them.
func distributionsIn(s Seen) (out []Seen) {
	seen := map[*infer.Val]bool{}
	var visit func(s Seen, depth int)
	visit = func(s Seen, depth int) {
		x := s.Strip()
		if !x.Known() || seen[x.Val] || depth == 0 || len(seen) > 100 {
			return
		}
		seen[x.Val] = true
		switch {
		case x.IsOp("log_softmax", "softmax"):
			out = append(out, x.Input(0))
		case x.IsOp(infer.OpCall):
			visit(x.Returned(), depth-1)
		case !x.IsOp(picks...):
			for i := range x.In {
				visit(x.Input(i), depth-1)
			}
		}
	}
	visit(s, 16)
	return out
}
