package pass

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// maxGraph bounds the values of one autograd graph that are looked at.
const maxGraph = 5000

// InGraph calls yield for the values that backward() of a loss goes through: the loss,
// and what it was made of, as far as gradients flow.
func InGraph(loss *infer.Val, yield func(*infer.Val) bool) {
	more := true
	infer.Walk(loss, maxGraph, func(v *infer.Val) bool {
		if !more || v.Q.Grad == domain.Detached {
			return false
		}
		more = yield(v)
		return more
	})
}

// GraphHolds reports whether backward() of a loss goes through v, or through what a
// later round of a loop computes at the same place.
func GraphHolds(loss, v *infer.Val) bool {
	found := false
	InGraph(loss, func(x *infer.Val) bool {
		found = x == v || v.Node != nil && x.Node == v.Node && x.Frame == v.Frame
		return !found
	})
	return found
}

// HasGraph reports whether v is known to be the result of an operation that
// backward() goes back through: not a leaf, such as a parameter.
func HasGraph(v *infer.Val) bool {
	return v != nil && v.Q.Grad == domain.Attached && len(v.In) > 0 && !v.Is(domain.Module) &&
		!v.IsOp("Parameter", infer.OpRequiresGrad) && !slices.ContainsFunc(leafMakers, func(op string) bool { return v.Op == op })
}

// leafMakers make a leaf where they are told to require a gradient.
var leafMakers = append([]string{
	"torch.zeros", "torch.ones", "torch.rand", "torch.randn", "torch.full", "torch.empty", "torch.eye", "torch.arange", "torch.linspace",
}, copies...)
