// Package maskedstatnokeepdim is rule ADV011, masked-stat-no-keepdim; rule.md says
// what it finds.
package maskedstatnokeepdim

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports statistics that drop a later dimension and are combined with the
// values they were computed from.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.sub", "torch.div") {
		if len(v.In) < 2 || v.In[0] == nil || v.In[1] == nil || query.HasKeyword(v, "axis") {
			continue
		}
		s := p.See(v)
		x, stat := s.Input(0), s.Input(1)
		c := collector{}
		if !c.collect(stat, 8) || c.dim == 0 || !sameRankKnown(x, stat) {
			continue
		}
		if c.about(x) || x.IsOp("sub") && c.about(x.Input(0)) {
			p.Report(finding(p, v, &c))
		}
	}
}

// about reports whether one of the reductions is of x.
func (c *collector) about(x query.Seen) bool {
	return slices.ContainsFunc(c.reductions, func(r query.Seen) bool { return about(r.Input(0), x, 6) })
}

// collector gathers the reductions that a statistic is made of.
type collector struct {
	reductions []query.Seen
	dim        int // the dimension that all of them drop, counted from the front
}

// plain operations keep the shape, so a dropped dimension stays dropped.
var plain = []string{
	"sqrt", "rsqrt", "abs", "neg", "exp", "log", "square", "pow", "clamp", "clip", "clamp_min", "nan_to_num",
}

// collect reads s as arithmetic on reductions over one later dimension that is not kept;
// false if it is anything else.
func (c *collector) collect(s query.Seen, depth int) bool {
	switch {
	case !s.Known() || depth == 0:
		return false
	case isNumber(s.Val):
		return true
	case s.Op == infer.OpPhi:
		for i, v := range s.In {
			if v == nil || v.IsNone() || !c.collect(s.Input(i), depth-1) {
				return false
			}
		}
		return true
	case s.SameShape().Val != s.Val:
		return c.collect(s.SameShape(), depth-1)
	case s.IsOp(plain...) && len(s.In) > 0 && s.In[0] != nil:
		return c.collect(s.Input(0), depth-1)
	case s.IsOp("add", "sub", "mul", "div", "maximum", "minimum") && len(s.In) > 1:
		return c.collect(s.Input(0), depth-1) && c.collect(s.Input(1), depth-1)
	case s.IsOp("mean", "sum", "std", "var", "nanmean", "nansum", "nanstd", "norm", "amax", "amin"):
		return c.reduction(s)
	}
	return false
}

func isNumber(v *infer.Val) bool {
	_, ok := v.Float()
	return ok || v.Op == infer.OpConfig
}

func (c *collector) reduction(s query.Seen) bool {
	d, ok := s.Arg("dim").Int()
	if !ok || d < 1 || c.dim != 0 && c.dim != int(d) {
		return false
	}
	if keep := s.Arg("keepdim"); keep != nil && keep.Const != false {
		return false
	}
	c.dim = int(d)
	c.reductions = append(c.reductions, s)
	return true
}

// sameRankKnown is false if the known shapes contradict a dropped dimension.
func sameRankKnown(x, stat query.Seen) bool {
	a, b := x.Q.Shape, stat.Q.Shape
	return !a.Known() || !b.Known() || a.Rank == b.Rank+1
}

// about reports whether data is x, element by element: x itself, x times a mask,
// its square, its distance from its mean.
func about(data, x query.Seen, depth int) bool {
	data, x = data.SameShape(), x.SameShape()
	switch {
	case !data.Known() || !x.Known():
		return false
	case data.Val == x.Val || data.Node != nil && data.Node == x.Node && data.Frame == x.Frame:
		return true
	case depth == 0:
		return false
	case data.IsOp("mul", "sub", "add") && len(data.In) > 1:
		return about(data.Input(0), x, depth-1) || about(data.Input(1), x, depth-1)
	case data.IsOp("pow", "square", "where", "masked_fill", "abs") && len(data.In) > 0:
		return about(data.Input(0), x, depth-1) || data.IsOp("where") && about(data.Input(1), x, depth-1)
	}
	return false
}

func finding(p *pass.Pass, v *infer.Val, c *collector) pass.Finding {
	keyword := "keepdim=True"
	if v.Lib == infer.LibNumpy {
		keyword = "keepdims=True"
	}
	f := pass.At(v)
	f.Help = fmt.Sprintf("keep dimension %d with `%s`", c.dim, keyword)
	if e := p.Operand(v, v.In[1]); e != nil {
		f.Fix = fix(p.In(v.Frame), v, e, c, keyword)
	}
	return f
}

// fix keeps the dimension if the operand holds the only reduction, else restores it.
func fix(src *pass.Source, v *infer.Val, e ast.Expr, c *collector, keyword string) *pass.Fix {
	only := c.reductions[0]
	if call, ok := only.Node.(*ast.Call); ok && len(c.reductions) == 1 && only.Frame == v.Frame && e.Span().Covers(call.Span()) {
		name, value, _ := strings.Cut(keyword, "=")
		return &pass.Fix{Message: "Keep the dimension", EveryContext: true, Edits: src.SetArg(call, -1, name, value)}
	}
	if v.Lib == infer.LibNumpy {
		text, imports := src.Spell("numpy.expand_dims")
		return &pass.Fix{Message: "Restore the dimension", Edits: src.Wrap(e, text+"(", fmt.Sprintf(", %d)", c.dim)), Imports: imports}
	}
	return &pass.Fix{Message: "Restore the dimension", Edits: src.Method(e, fmt.Sprintf(".unsqueeze(%d)", c.dim))}
}
