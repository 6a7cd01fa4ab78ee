// Package dualclipallsigns is rule OBJ005, dual-clip-all-signs; rule.md says what it finds.
package dualclipallsigns

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports dual clips that bound the gain of good actions, too.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, d := range p.Roles.DualClips() {
		s := d.Inner
		if d.Max == (s.Max != d.Negated) || !s.AroundOne() || s.Max != s.Negated || p.In(d.At.Frame) == nil || d.At.Node == nil || bySign(p, d) {
			continue
		}
		f := pass.At(d.At.Val, s.Ratio.Val)
		f.Evidence = domain.Derived
		p.Report(f)
	}
}

// bySign reports whether the bound, or what it is made of, is chosen for some actions only: by where(), by an index, by a
// product with a comparison; or whether the program asks for the sign of the advantage before.
func bySign(p *pass.Pass, d roles.DualClip) bool {
	if chosen(p, d.At.Val, 6) {
		return true
	}
	for _, o := range d.Inner.Others {
		if p.ChecksContent(d.At.Val, o.Val) || isNegativePart(o.Strip()) || o.Strip().Known() && (o.Strip().IsOp("where", "clamp", "relu") || o.Strip().Op == infer.OpItem && !o.Strip().Is(domain.Advantage)) {
			return true
		}
	}
	for _, in := range d.At.In {
		if x := d.At.Of(in).Strip(); x.Known() && x.IsOp("where") {
			return true
		}
	}
	return false
}

// isNegativePart reports whether a value is never positive: min(x, 0), or x less its positive part.
func isNegativePart(x query.Seen) bool {
	if !x.Known() || !x.IsOp("minimum", "min", "sub") || len(x.In) < 2 {
		return false
	}
	y := x.Input(1).Strip()
	if x.IsOp("sub") {
		return y.Known() && y.IsOp("relu") && y.Input(0).Same(x.Input(0))
	}
	zero, ok := y.Float()
	return ok && zero == 0 || y.Known() && y.IsOp("zeros_like", "zeros", "new_zeros")
}

// choosers take elements of what they are given, or may.
var choosers = []string{"where", "masked_fill", "masked_fill_", "index_put", "index_put_", "masked_select", infer.OpItem, infer.OpStore}

// chosen reports whether elements of v, or of what is made of it element by element, are chosen, or multiplied by a comparison.
func chosen(p *pass.Pass, v *infer.Val, depth int) bool {
	if depth == 0 || p.Becomes(v, choosers...) {
		return true
	}
	for _, u := range p.UsesOf(v) {
		if !u.IsOp("neg", "mul", "div", "add", "sub") && u.Op != infer.OpPhi && u.Op != infer.OpCall && !u.IsOp("view", "reshape", "squeeze", "unsqueeze", "flatten", "expand", "float") {
			continue
		}
		if u.IsOp("mul") && byComparison(p, u) || chosen(p, u, depth-1) {
			return true
		}
	}
	return false
}

func byComparison(p *pass.Pass, product *infer.Val) bool {
	for _, f := range query.FactorsOf(p.See(product)).List {
		if x := f.Strip(); x.Known() && x.IsOp("lt", "gt", "le", "ge", "sign", "heaviside") {
			return true
		}
	}
	return false
}
