package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Gradients of a loss that was multiplied
//
// In half precision small gradients vanish, so the loss is multiplied by a large number, and all gradients are divided by the
// same one before the step. A GradScaler does both; many programs have a scaler of their own:
//
//	(loss * scale).backward() ... p.grad /= scale
//
// The number is one where both places read the same attribute of one object, or one variable, or equal constants.

// ClipsScaled returns the backward pass before a clip and the place behind it where the scale is taken out of the gradients, where
// every way to the clip comes from a loss that was multiplied; ok is false where they are clipped at their own size.
func (r *Rounds) ClipsScaled(clip *Event) (before, after *Event, ok bool) {
	acts := []Act{Computes, Steps, Zeroes, Unscales, Touches}
	last, next := r.Last(clip, nil, acts...), r.Next(clip, nil, acts...)
	isScaled := func(a Act) func(*Event) bool {
		return func(e *Event) bool { return r.Is(e, a) && r.at[e.Place].Scaled }
	}
	if Every(last, isScaled(Computes)) && Every(next, isScaled(Steps)) {
		return last[0], next[0], true
	}
	if !Every(last, func(e *Event) bool { return r.Is(e, Computes) }) {
		return nil, nil, false
	}
	// A loop over the parameters may run no round, and so be passed by; a step may be left out.
	i := slices.IndexFunc(next, func(e *Event) bool { return r.dividesBy(e, last) })
	if i < 0 || !Every(next, func(e *Event) bool { return !e.Known() || r.dividesBy(e, last) || r.Is(e, Steps) || r.Is(e, Zeroes) }) {
		return nil, nil, false
	}
	return last[0], next[i], true
}

// dividesBy reports whether gradients are divided by what the loss of each of some backward passes was multiplied by.
func (r *Rounds) dividesBy(e *Event, passes []*Event) bool {
	x := r.at[e.Place]
	return x != nil && x.divisor != nil && Every(passes, func(b *Event) bool {
		return slices.ContainsFunc(multipliersOf(r.at[b.Place].Loss), x.divisor.same)
	})
}

// multiplier is a number as the program keeps it.
type multiplier struct {
	root  any
	path  string
	value float64
}

func (a multiplier) same(b multiplier) bool {
	return a.value != 0 && a.value == b.value || a.root != nil && a.root == b.root && a.path == b.path
}

func multiplierOf(f *infer.Frame, e ast.Expr) multiplier {
	m := multiplier{}
	m.root, m.path = rootOf(f, e)
	if x, ok := f.Val(e).Float(); ok && x != 1 {
		m.value = x
	}
	return m
}

// maxMultipliers bounds the products and calls behind a loss that are looked at.
const maxMultipliers = 8

// multipliersOf are the factors of a loss that is a product.
func multipliersOf(loss *infer.Val) (out []multiplier) {
	for range maxMultipliers {
		loss = infer.Strip(loss)
		if loss == nil {
			break
		}
		if loss.Op == infer.OpCall && len(loss.In) > 0 {
			loss = loss.In[0]
			continue
		}
		n, ok := loss.Node.(*ast.BinOp)
		if !ok || !loss.IsOp("mul") {
			break
		}
		out = append(out, multiplierOf(loss.Frame, n.X), multiplierOf(loss.Frame, n.Y))
		loss = loss.In[0]
	}
	return out
}

// divisorOf is the number by which p.grad.div_(s), p.grad.mul_(1 / s), p.grad /= s, p.grad *= 1 / s or p.grad = p.grad / s divide.
func divisorOf(f *infer.Frame, n ast.Node) *multiplier {
	var by ast.Expr
	inverse := false
	switch n := n.(type) {
	case *ast.Call:
		if name := query.CalleeName(n); len(n.Args) == 1 && (name == "div_" || name == "mul_") {
			by, inverse = n.Args[0], name == "mul_"
		}
	case *ast.AugAssign:
		by, inverse = n.Value, n.Op == ast.Mult
		if n.Op != ast.Mult && n.Op != ast.Div {
			return nil
		}
	case *ast.Assign:
		if x, ok := n.Value.(*ast.BinOp); ok && holdsGrad(x.X) && (x.Op == ast.Mult || x.Op == ast.Div) {
			by, inverse = x.Y, x.Op == ast.Mult
		}
	}
	if by == nil {
		return nil
	}
	if inverse {
		v := infer.Strip(f.Val(by))
		if v == nil || !v.IsOp("div") {
			return nil
		}
		x, ok := v.Node.(*ast.BinOp)
		if !ok {
			return nil
		}
		f, by = v.Frame, x.Y
	}
	m := multiplierOf(f, by)
	return &m
}
