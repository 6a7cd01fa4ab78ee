package infer_test

import (
	"context"
	"slices"
	"testing"

	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// What the index hands out is what a look at every value finds, in the same order.
func TestIndexAgreesWithLooking(t *testing.T) {
	m := parsetest.Parse(t, `
import torch
def loss(logits, old, rewards):
    logp = torch.log_softmax(logits, dim=-1)
    ratio = (logp - old).exp()
    x, y = logits.max(dim=-1)
    for i in range(3):
        ratio = ratio * 2
    return -(ratio * rewards).mean() + torch.softmax(logits, -1).sum() - x.softmax(0).sum()
loss(torch.randn(4, 2), torch.zeros(4, 2), torch.ones(4, 2))
`)
	res := infer.Evaluate(context.Background(), infer.Config{Module: &infer.Module{Name: "m", Path: "m.py", AST: m}})
	takesDim := func(row *library.Func) bool { return slices.Contains(row.Params, "dim") }
	lists := []struct {
		name string
		got  []*infer.Val
		want func(*infer.Val) bool
	}{
		{"made by one", res.Made("mul"), func(v *infer.Val) bool { return v.IsOp("mul") }},
		{"made by several", res.Made("sum", "exp", "softmax"), func(v *infer.Val) bool { return v.IsOp("sum", "exp", "softmax") }},
		{"kinds", res.OfKind(domain.LogProb | domain.Prob), func(v *infer.Val) bool { return v.Is(domain.LogProb | domain.Prob) }},
		{"rows", res.OfRow(takesDim), func(v *infer.Val) bool { return v.Fn != nil && takesDim(v.Fn) }},
	}
	for _, l := range lists {
		want := slices.DeleteFunc(slices.Clone(res.Values()), func(v *infer.Val) bool { return !l.want(v) })
		if len(want) == 0 || !slices.Equal(l.got, want) {
			t.Errorf("%s: got %d values, want %d", l.name, len(l.got), len(want))
		}
	}
	if len(res.Made("conv2d")) != 0 || len(res.OfKind(domain.Entropy)) != 0 {
		t.Error("values of what the program does not do")
	}
}

// A value knows its place; one that stands at no expression has none.
func TestPosition(t *testing.T) {
	m := parsetest.Parse(t, "import torch\nx = torch.ones(2)\nfor i in range(3):\n    x = x + 1\n")
	res := infer.Evaluate(context.Background(), infer.Config{Module: &infer.Module{Name: "m", Path: "m.py", AST: m}})
	for i, v := range res.Values() {
		if at, ok := res.Position(v); !ok || at != i {
			t.Errorf("value %d is at %d, %v", i, at, ok)
		}
	}
	if _, ok := res.Position(&infer.Val{}); ok {
		t.Error("a value of nobody has a place")
	}
}
