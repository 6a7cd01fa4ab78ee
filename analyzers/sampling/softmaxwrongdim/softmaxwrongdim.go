// Package softmaxwrongdim is rule DIST025, softmax-wrong-dim; rule.md says what
// it finds.
package softmaxwrongdim

import (
	_ "embed"

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

// Analyzer reports softmaxes over another axis than the one actions are drawn from.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, name := range []string{"torch.multinomial", "numpy.random.choice", "numpy.random.Generator.choice"} {
		for _, draw := range p.Ops(name) {
			arg := "x"
			if name != "torch.multinomial" {
				arg = "p"
			}
			taken(p, draw, draw.Arg(arg), -1, 0)
		}
	}
	for _, name := range []string{"torch.distributions.Categorical", "torch.distributions.OneHotCategorical", "torch.distributions.Multinomial"} {
		for _, d := range p.Ops(name) {
			taken(p, d, d.Arg("probs"), -1, 0)
			taken(p, d, d.Arg("logits"), -1, 0)
		}
	}
	for _, pick := range p.Ops("torch.gather", "torch.take_along_dim") {
		if dim, ok := pick.Arg("dim").Int(); ok {
			taken(p, pick, pick.Arg("x"), int(dim), rankOf(pick.Arg("index")))
		}
	}
	for _, pick := range p.Ops("einx.get_at") {
		if axis, rank, ok := bracketed(pick.Arg("pattern")); ok {
			taken(p, pick, pick.Arg("x"), axis, rank)
		}
	}
	expectations(p)
	pairs(p)
	losses(p)
	choices(p)
	best(p)
}

// taken reports the softmax whose result x holds if it is over another axis than the one along which
// an action is taken. least is how many axes x has at least.
func taken(p *pass.Pass, draw, x *infer.Val, axis, least int) {
	s, ok := p.SoftmaxOf(x, axis, least)
	if !ok || isColumnLaidFlat(s.In[0]) {
		return
	}
	// A gather may pick whole distributions, unless these are over another axis than a layer's scores.
	dim, wrong := elsewhere(s)
	looked := draw.IsOp("gather", "take_along_dim")
	if wrong && (dim == 0 || !looked || before(s, dim) && isScores(s.In[0])) || (looked || s.Rows) && overFirst(s) {
		report(p, s, draw, "the action is taken along another dimension here")
	}
}

// report reports a softmax with the place that needs another dimension.
func report(p *pass.Pass, s query.Softmax, at *infer.Val, message string) {
	f := pass.At(s.Val, s.In[0])
	f.Evidence = domain.Derived // whatever the scores are: they are normalised along one axis, and read along another
	f.Fix = fix(p, s.Val)
	f.Related = p.Here(at, message)
	p.Report(f)
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
