package roles_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/query"
)

var divisors = map[query.Divisor]string{query.Undivided: "sum", query.ByElements: "by elements", query.ByMask: "by the mask", query.ByOther: "by other"}

// meanOf describes what a variable of the module is a mean of.
func (p program) meanOf(name string) string {
	m, ok := query.ReductionOf(p.assigned(name))
	if !ok {
		return "no mean"
	}
	out := p.source(m.Of.Val) + ", " + divisors[m.By]
	for _, u := range m.Under {
		out += ", under "
		if u.Not {
			out += "not "
		}
		out += p.source(u.Strip().Val)
		if u.Of.Known() {
			out += " of " + p.source(u.Of.Val)
		}
	}
	return out
}

// assigned is what a variable is assigned last.
func (p program) assigned(name string) (out query.Seen) {
	g := query.New(p.res)
	for f := range g.EachFrame {
		for _, n := range f.Nodes() {
			as, ok := n.(*ast.Assign)
			if !ok {
				continue
			}
			if to, ok := as.Targets[0].(*ast.Name); ok && to.Ident == name {
				out = g.See(f.Val(as.Value))
			}
		}
	}
	return out
}

func TestReductionOf(t *testing.T) {
	const given = `
from trl.core import masked_mean
x, ids, pad = torch.randn(4, 7), torch.randint(0, 9, (4, 7)), 3
keep = ids != pad
done = torch.zeros(4, 7).bool()
def average(values, mask, eps=1e-8):
    return (values * mask).sum() / (mask.sum() + eps)
`
	tests := []struct{ text, want string }{
		{"y = x.mean()", "torch.randn(4, 7), by elements"},
		{"y = (x * keep).sum() / keep.sum()", "torch.randn(4, 7), by the mask, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"m = keep.float()\ny = (m * x).sum(-1) / m.sum(-1).clamp(min=1)", "torch.randn(4, 7), by the mask, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = (x * keep).mean()", "torch.randn(4, 7), by elements, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = (x * keep).sum()", "torch.randn(4, 7), sum, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = (x * keep).sum() / 1024", "torch.randn(4, 7), by other, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = (x * keep).sum() / x.numel()", "torch.randn(4, 7), by elements, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = x[keep].mean()", "torch.randn(4, 7), by the mask, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = torch.masked_select(x, keep).mean()", "torch.randn(4, 7), by the mask, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = x[:, 1:].mean()", "x[:, 1:], by elements"},
		{"y = x.masked_fill(~keep, 0.0).sum() / keep.sum()", "torch.randn(4, 7), by the mask, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = torch.where(keep, x, torch.zeros_like(x)).sum() / keep.sum()", "torch.randn(4, 7), by the mask, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = (x * (1 - keep.float())).sum()", "torch.randn(4, 7), sum, under not ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = (x * ~keep).sum() / (~keep).sum()", "torch.randn(4, 7), by the mask, under not ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = (x * ~keep).sum() / keep.sum()", "torch.randn(4, 7), by other, under not ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = masked_mean(x, keep)", "torch.randn(4, 7), by the mask, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"y = average(x, keep)", "torch.randn(4, 7), by the mask, under ids != pad of torch.randint(0, 9, (4, 7))"},
		{"w = torch.rand(4, 7)\ny = (x * w).sum() / w.sum()", "torch.randn(4, 7), by the mask, under torch.rand(4, 7)"},
		{"y = x + 1", "no mean"},
	}
	for i, test := range tests {
		t.Run(fmt.Sprint(i, test.text), func(t *testing.T) {
			if d := cmp.Diff(test.want, derive(t, given+test.text+"\n").meanOf("y")); d != "" {
				t.Error(d)
			}
		})
	}
}
