package noisewrongshape

import (
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// narrower reports whether noise has one element along the last dimension and the other
// summand surely several.
func narrower(p *pass.Pass, noise, draw, other query.Seen) bool {
	x, known := noise.Q.Shape.Dim(-1)
	if !(known && noise.Q.Shape.Rank > 1 && x.N == 1) && !endsInOne(draw.Arg("size")) {
		return false
	}
	if y, ok := other.Q.Shape.Dim(-1); ok && y.N > 1 {
		return true
	}
	width := outputs(other, 8)
	return width != nil && width.Const == nil && !p.ActsInOneDimension()
}

// endsInOne reports whether a size of several dimensions is written with a last one
// of 1.
func endsInOne(size *infer.Val) bool {
	if size == nil {
		return false
	}
	seq, ok := size.Ref.(*infer.SeqRef)
	if !ok || len(seq.Elems) < 2 {
		return false
	}
	n, ok := seq.Elems[len(seq.Elems)-1].Int()
	return ok && n == 1
}

// isAction reports whether what gets the noise is an action: it is known as one, was squashed to a range as only a policy is, a network yields
// it and the sum is clipped, or an environment takes the sum. One draw for all values of a row is right elsewhere: for the brightness of
// an image, or for rewards that are shifted by a number for each prompt.
func isAction(p *pass.Pass, sum *infer.Val, of query.Seen) bool {
	if ownNoise(of, 8) {
		return false
	}
	return squashed(of, 8) || p.Becomes(sum, "tanh", "step") || outputs(of, 8) != nil && p.Becomes(sum, "clamp", "clip")
}

// ownNoise reports whether a value holds noise of its own already: what it then gets is a disturbance that its elements share.
func ownNoise(s query.Seen, depth int) bool {
	s = s.SameShape()
	switch {
	case !s.Known() || depth == 0:
		return false
	case s.IsOp("randn", "randn_like", "standard_normal", "normal", "sample", "rsample"):
		return true
	case s.IsOp("clamp", "clip"):
		return ownNoise(s.Input(0), depth-1)
	}
	return s.IsOp("mul", "add") && len(s.In) > 1 && (ownNoise(s.Input(0), depth-1) || ownNoise(s.Input(1), depth-1))
}

// squashed reports whether a value is an action by its quantity, or was squashed to a range, up to scaling.
func squashed(s query.Seen, depth int) bool {
	s = s.SameShape()
	switch {
	case !s.Known() || depth == 0:
		return false
	case s.Is(domain.Action), s.IsOp("tanh", "Tanh", "sigmoid", "Sigmoid"), s.IsOp("clamp", "clip") && outputs(s, 8) != nil:
		return true
	}
	return s.IsOp("mul", "add") && len(s.In) > 1 && (squashed(s.Input(0), depth-1) || squashed(s.Input(1), depth-1))
}

// outputs returns the width of the linear layer that computed s, up to squashing and
// scaling; nil where none did.
func outputs(s query.Seen, depth int) *infer.Val {
	s = s.SameShape()
	switch {
	case !s.Known() || len(s.In) == 0 || depth == 0:
		return nil
	case s.Op == "torch.nn.Linear.__call__":
		return s.Arg("out_features")
	case s.IsOp("mul", "add") && len(s.In) > 1:
		if w := outputs(s.Input(1), depth-1); w != nil {
			return w
		}
	case !s.IsOp("tanh", "clamp", "clip", "sigmoid"):
		return nil
	}
	return outputs(s.Input(0), depth-1)
}
