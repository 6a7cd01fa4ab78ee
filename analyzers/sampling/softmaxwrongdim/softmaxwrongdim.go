// Package softmaxwrongdim is rule DIST025, softmax-wrong-dim; rule.md says what
// it finds.
package softmaxwrongdim

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports softmaxes over another axis than the one actions are drawn from.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, name := range []string{"torch.multinomial", "numpy.random.choice", "numpy.random.Generator.choice"} {
		for _, draw := range p.Ops(name) {
			arg := "x"
			if name != "torch.multinomial" {
				arg = "p"
			}
			check(p, draw, draw.Arg(arg), -1)
		}
	}
	for _, name := range []string{"torch.distributions.Categorical", "torch.distributions.OneHotCategorical", "torch.distributions.Multinomial"} {
		for _, d := range p.Ops(name) {
			check(p, d, d.Arg("probs"), -1)
			check(p, d, d.Arg("logits"), -1)
		}
	}
	for _, pick := range p.Ops("torch.gather") {
		if dim, ok := pick.Arg("dim").Int(); ok {
			check(p, pick, pick.Arg("x"), int(dim))
		}
	}
}

// check reports the softmax that computed probs if it is over another axis than the one
// along which an action is taken.
func check(p *pass.Pass, draw, probs *infer.Val, axis int) {
	v := probs
	for range 32 {
		switch {
		case v == nil || len(v.In) == 0 || v.In[0] == nil:
			return
		case v.IsOp("softmax", "log_softmax"):
			// A gather may pick whole distributions, unless these are over another axis than a layer's scores.
			dim, wrong := elsewhere(v, axis, leastRank(draw, v))
			if wrong && (dim == 0 || !draw.IsOp("gather") || before(v, dim, axis) && isScores(v.In[0])) {
				p.Report(finding(p, draw, v))
			}
			return
		case !keeps(v, axis):
			return
		}
		v = v.In[0]
	}
}

func finding(p *pass.Pass, draw, v *infer.Val) pass.Finding {
	f := pass.At(v, v.In[0])
	f.Fix = fix(p, v)
	f.Related = p.Here(draw, "the action is taken along another dimension here")
	return f
}

// fix names the last dimension where the call itself names a dimension, or none.
func fix(p *pass.Pass, v *infer.Val) *pass.Fix {
	call, ok := v.Node.(*ast.Call)
	if !ok {
		return nil
	}
	scores, dim := p.Operand(v, v.In[0]), p.Operand(v, v.Arg("dim"))
	if scores == nil || v.Arg("dim") != nil && (dim == nil || v.Arg("dim").Op != infer.OpConst) {
		return nil // set where the layer was made, or by the caller
	}
	index := 1
	if at, ok := call.Fun.(*ast.Attribute); ok && at.X == scores {
		index = 0
	}
	return &pass.Fix{Message: "Take the softmax over the last dimension", Edits: p.In(v.Frame).SetArg(call, index, "dim", "-1")}
}
