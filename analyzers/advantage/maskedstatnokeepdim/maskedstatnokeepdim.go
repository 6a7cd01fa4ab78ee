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
		if !c.collect(stat, 8) || c.dim == 0 || !sameRankKnown(x, stat) || becomesColumn(p, v) || c.dim == 1 && (isOneRow(x, maxBack) || isSymmetric(x)) {
			continue
		}
		if c.about(x) || x.IsOp("sub") && c.about(x.Input(0)) {
			p.Report(finding(p, v, &c))
		}
	}
}

// sameRankKnown is false if the known shapes contradict a dropped dimension.
func sameRankKnown(x, stat query.Seen) bool {
	a, b := x.Q.Shape, stat.Q.Shape
	return !a.Known() || !b.Known() || a.Rank == b.Rank+1
}

// becomesColumn reports whether the result is turned into a column: whoever does so has a vector, and the statistics fit it.
func becomesColumn(p *pass.Pass, v *infer.Val) bool {
	return slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool {
		call, ok := u.Node.(*ast.Call)
		if !ok || len(u.In) == 0 || u.In[0] != v || len(call.Args) == 0 || !u.IsOp("view", "reshape", "unsqueeze") {
			return false
		}
		last, ok := u.Frame.Val(call.Args[len(call.Args)-1]).Int()
		if u.IsOp("unsqueeze") {
			return ok && (last == 1 || last == -1)
		}
		return ok && last == 1 && len(call.Args) == 2
	})
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
