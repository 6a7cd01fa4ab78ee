// Package scalarnoise is rule DIST008, scalar-noise; rule.md says what it finds.
package scalarnoise

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports reparameterised actions whose noise is one number for the whole
// batch.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, sum := range p.Ops("torch.add") {
		s := p.See(sum)
		for i := range min(2, len(sum.In)) {
			mean, noise := s.Input(1-i), scaledNoise(s.Input(i))
			if noise == nil && wide(mean) {
				noise = fixedNoise(s.Input(i))
			}
			if noise != nil && manifold(mean) && broad(mean, 8) && !isOneAction(p, sum, mean) {
				f := report(p, sum, sum.In[1-i], noise)
				f.Severity = severity(p, sum)
				p.Report(f)
			}
		}
	}
}

// severity is that of a note where nothing is done with the noisy value, since every call that
// is seen asks for the mean, or where nobody makes an object of the class.
func severity(p *pass.Pass, sum *infer.Val) finding.Severity {
	if !p.Roles.FateOf(sum).Matters() || neverMade(p, sum.Frame) {
		return finding.Note
	}
	return ""
}

// neverMade reports whether a frame is a method, which nobody calls, of a class of which no
// object is made.
func neverMade(p *pass.Pass, f *infer.Frame) bool {
	if !f.Entry || f.Func == nil || f.Func.Class == nil {
		return false
	}
	for _, v := range p.Made(infer.OpNew) {
		if o, ok := v.Ref.(*infer.Instance); ok && v.Node != nil && o.Class.Inherits(f.Func.Class) {
			return false
		}
	}
	return true
}

// ofNetwork reports whether a scale is what a network yields: a standard deviation
// that gradients flow through, or the exponential of a logarithm of one.
func ofNetwork(s query.Seen) bool {
	s = s.Strip()
	if !s.Known() || s.Const != nil || s.Op == infer.OpConfig {
		return false
	}
	return s.Is(domain.Std) && s.Q.Evidence != domain.NameOnly || s.Q.Grad == domain.Attached && s.IsOp("exp", "softplus", "sqrt", "clamp", "Linear")
}

// wide reports whether an action of a network is known to have several elements: to one of them a
// single number is right.
func wide(s query.Seen) bool {
	s = s.Strip()
	if !s.Known() || !s.Is(domain.Mean|domain.Raw|domain.Action) || s.Q.Evidence == domain.NameOnly {
		return false
	}
	d, ok := s.Q.Shape.Dim(-1)
	return ok && d.N > 1
}

// broad reports whether s is known to have several elements along its last axis, or was computed, up to squashing and scaling, by a linear layer
// with as many outputs as something says. Of one output the action is a number, and so it is where one is taken out.
func broad(s query.Seen, depth int) bool {
	if !s.Known() || depth == 0 {
		return false
	}
	if d, ok := s.Q.Shape.Dim(-1); ok && d.N > 0 {
		return d.N > 1
	}
	s = s.SameShape()
	switch {
	case !s.Known() || len(s.In) == 0:
		return false
	case s.Op == "torch.nn.Linear.__call__":
		width := s.Arg("out_features")
		return width != nil && width.Const == nil
	case s.IsOp("mul", "add") && len(s.In) > 1:
		return broad(s.Input(0), depth-1) || broad(s.Input(1), depth-1)
	}
	return s.IsOp("tanh", "clamp", "clip", "sigmoid", "softsign") && broad(s.Input(0), depth-1)
}

// isOneAction reports whether an action is taken, not learned from, and is one number: its gradient is cut, and an environment of the module
// takes one. What is learned from has many rows.
func isOneAction(p *pass.Pass, sum *infer.Val, mean query.Seen) bool {
	d, known := mean.Q.Shape.Dim(-1)
	return !(known && d.N > 1) && p.Becomes(sum, "detach") && p.ActsInOneDimension()
}

// manifold reports whether a mean comes from a network and may have several elements.
func manifold(s query.Seen) bool {
	s = s.Strip()
	if !s.Known() || s.Const != nil {
		return false
	}
	if n, ok := s.Q.Shape.Numel(); ok && n == 1 {
		return false
	}
	return s.Q.Grad == domain.Attached || s.Is(domain.Mean|domain.Raw|domain.Action) && s.Q.Evidence != domain.NameOnly
}

func report(p *pass.Pass, sum, mean, noise *infer.Val) pass.Finding {
	f := pass.At(noise, mean)
	f.Evidence = domain.Derived
	f.Related = p.Here(sum, "the number is broadcast over all elements here")
	f.Fix = fix(p, sum, mean, noise)
	return f
}

// fix draws with the shape of the mean if the mean has a name before the draw.
func fix(p *pass.Pass, sum, mean, noise *infer.Val) *pass.Fix {
	e := p.Operand(sum, mean)
	name, ok := e.(*ast.Name)
	if !ok || noise.Node == nil || noise.Frame != sum.Frame || mean.Seq >= noise.Seq || mean.Frame != sum.Frame || noise.Lib == infer.LibNumpy {
		return nil
	}
	src := p.In(noise.Frame)
	text, imports := src.Spell("torch.randn_like")
	return &pass.Fix{Message: "Draw with the shape of the mean", Edits: src.Replace(noise.Node, text+"("+name.Ident+")"), Imports: imports}
}
