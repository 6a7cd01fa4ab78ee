package numeric_test

import (
	"context"
	"math"
	"testing"

	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/numeric"
)

// custom returns the source of a Function with these halves.
func custom(forward, backward string) string {
	return `
import torch
import torch.nn.functional as F

class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        y = ` + forward + `
        ctx.save_for_backward(x, w, y)
        ctx.slope = 0.1
        return y

    @staticmethod
    def backward(ctx, g):
        x, w, y = ctx.saved_tensors
        ` + backward + `
`
}

func check(t *testing.T, code string) ([]numeric.Check, bool) {
	t.Helper()
	p := parse.New()
	defer p.Close()
	m, err := p.Parse(context.Background(), "gate.py", []byte(code))
	if err != nil || len(m.Errors) > 0 {
		t.Fatal(err, m.Errors)
	}
	res := infer.Evaluate(context.Background(), infer.Config{Module: &infer.Module{Name: "gate", AST: m}})
	if len(res.Functions) != 1 {
		t.Fatalf("%d Functions found, want 1", len(res.Functions))
	}
	return numeric.CheckFunction(res.Functions[0])
}

func TestRightBackwards(t *testing.T) {
	for name, c := range map[string][2]string{
		"product":        {"x * w", "return g * w, g * x"},
		"sigmoid":        {"torch.sigmoid(x)", "return g * y * (1 - y), None"},
		"matrix product": {"x @ w", "return g @ w.t(), x.t() @ g"},
		"linear":         {"torch.matmul(x, w)", "return g.matmul(w.transpose(0, 1)), x.T.matmul(g)"},
		"swish":          {"x * x.sigmoid()", "s = torch.sigmoid(x)\n        return g * (s + x * s * (1 - s)), None"},
		"leaky":          {"torch.where(x > 0, x, 0.1 * x)", "return torch.where(x > 0, g, ctx.slope * g), None"},
		"clamped":        {"x.clamp(min=0)", "d = g.clone()\n        d[x < 0] = 0\n        return d, None"},
		"sum of squares": {"(x ** 2).sum()", "return 2 * x * g, None"},
		"bias":           {"x @ x.t() + w", "return g @ x + g.t() @ x, g.sum(0)"},
		"logarithm":      {"torch.log(x) * w", "return g * w / x, g * torch.log(x)"},
		"masked":         {"F.relu(x)", "return g * (x > 0).float(), None"},
		"tanh":           {"torch.tanh(x)", "return g * (1 - y.pow(2)), None"},
	} {
		t.Run(name, func(t *testing.T) {
			checks, ok := check(t, custom(c[0], c[1]))
			if !ok {
				t.Fatal("not computed")
			}
			for _, k := range checks {
				if k.Wrong() {
					t.Errorf("a right gradient has error %g (%g against %g)", k.Error, k.Analytic, k.Numeric)
				}
			}
		})
	}
}

func TestWrongBackwards(t *testing.T) {
	for name, c := range map[string]struct {
		forward, backward string
		factor            float64
		ignores           bool
	}{
		"missing factor":   {"x ** 2", "return g * x, None", 0.5, false},
		"wrong sign":       {"torch.cos(x)", "return g * torch.sin(x), None", -1, false},
		"upstream ignored": {"torch.exp(x)", "return y, None", 0, true},
		"wrong tensor":     {"torch.sigmoid(x)", "return g * x * (1 - x), None", 0, false},
		"not transposed":   {"x @ w", "return g @ w, None", 0, false},
		"offset":           {"torch.log(x)", "return g / x + 0.1, None", 0, false},
		"forgotten slope":  {"torch.where(x > 0, x, 0.2 * x)", "return torch.where(x > 0, g, torch.zeros_like(g)), None", 0, false},
		"chain rule":       {"torch.tanh(x) ** 2", "return g * 2 * torch.tanh(x), None", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			checks, ok := check(t, custom(c.forward, c.backward))
			if !ok {
				t.Fatal("not computed")
			}
			k := checks[0]
			if !k.Wrong() {
				t.Fatalf("a wrong gradient passed: %g against %g", k.Analytic, k.Numeric)
			}
			if math.Abs(k.Factor-c.factor) > 1e-3 {
				t.Errorf("factor %g, want %g", k.Factor, c.factor)
			}
			if k.IgnoresUpstream != c.ignores {
				t.Errorf("ignores upstream: %v", k.IgnoresUpstream)
			}
		})
	}
}

func TestUnknownOperationsDecline(t *testing.T) {
	for name, c := range map[string][2]string{
		"unknown call": {"mystery(x)", "return g, None"},
		"own kernel":   {"torch.ops.mine.gate(x, w)", "return g * w, None"},
		"wrong shape":  {"x.sum()", "return g.expand(7, 7), None"},
	} {
		t.Run(name, func(t *testing.T) {
			if checks, ok := check(t, custom(c[0], c[1])); ok {
				t.Errorf("claimed to know: %+v", checks)
			}
		})
	}
}
