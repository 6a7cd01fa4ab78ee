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
		"bias, any rank": {"x @ x.t() + w", "return g @ x + g.t() @ x, g.sum(tuple(range(g.dim() - 1)))"},
		"leading axes":   {"x * 2 + w", "return g * 2, g.sum(dim=list(range(0, g.ndim - 1)))"},
		"axes by shape":  {"x * 2 + w", "axes = tuple(range(len(g.shape) - 1))\n        return g * 2, g.sum(axes)"},
		"batch by len":   {"x.sum(0) / len(x)", "return (g / len(x)).expand_as(x), None"},
		"two axes":       {"(x * w).sum((0, -1))", "return g * w, g * x"},
		"logarithm":      {"torch.log(x) * w", "return g * w / x, g * torch.log(x)"},
		"masked":         {"F.relu(x)", "return g * (x > 0).float(), None"},
		"tanh":           {"torch.tanh(x)", "return g * (1 - y.pow(2)), None"},
		"softmax":        {"torch.softmax(x, dim=-1)", "return y * (g - (g * y).sum(-1, keepdim=True)), None"},
		"log softmax":    {"x - x.logsumexp(dim=1, keepdim=True)", "return g - y.exp() * g.sum(1, keepdim=True), None"},
		"softplus":       {"F.softplus(x)", "return g * x.sigmoid(), None"},
		"gelu":           {"F.gelu(x)", "return g * (0.5 * (1 + torch.erf(x / 2 ** 0.5)) + x * torch.exp(-x * x / 2) / (2 * 3.141592653589793) ** 0.5), None"},
		"leaky relu":     {"F.leaky_relu(x)", "return torch.where(x > 0, g, 0.01 * g), None"},
		"mean by count":  {"x.mean()", "return g * torch.ones_like(x) / x.numel(), None"},
		"rows":           {"(x * w).sum(-1)", "return g.unsqueeze(-1) * w, g.unsqueeze(-1) * x"},
		"bounded":        {"x.clamp_min(0.5).log()", "return (g / x).masked_fill(x < 0.5, 0.0), None"},
		"number":         {"x / (1 + w * w)", "return g / (1 + w * w), None"},
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
		"beside a bias":    {"x * 2 + w", "return g * 3, g.sum(tuple(range(g.dim() - 1)))", 1.5, false},
		"wrong tensor":     {"torch.sigmoid(x)", "return g * x * (1 - x), None", 0, false},
		"not transposed":   {"x @ w", "return g @ w, None", 0, false},
		"offset":           {"torch.log(x)", "return g / x + 0.1, None", 0, false},
		"forgotten slope":  {"torch.where(x > 0, x, 0.2 * x)", "return torch.where(x > 0, g, torch.zeros_like(g)), None", 0, false},
		"normaliser":       {"F.log_softmax(x, dim=-1)", "return g - y.exp(), None", 0, false},
		"shift forgotten":  {"x - x.amax(dim=-1, keepdim=True)", "return 2 * g, None", 0, false},
		"mean as sum":      {"x.mean(-1)", "return g.unsqueeze(1).expand_as(x), None", 3, false},
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

// TestNonlinear: what is not linear in the incoming gradient is no surrogate, but for what forward
// returns unchanged.
func TestNonlinear(t *testing.T) {
	for name, c := range map[string]struct {
		forward, backward string
		want              bool
	}{
		"sign":            {"(x > 0).float()", "return g.sign() * (x.abs() < 1).float(), None", true},
		"squared":         {"x * 1.0 + w", "return g * g, g", true},
		"window":          {"(x > 0).float()", "return g * (x.abs() < 1).float(), None", false},
		"large clipped":   {"0.5 * x * x", "return (g * x).clamp(-0.01, 0.01), None", false},
		"scaled to one":   {"x.clone()", "return g / (g * g).sum().sqrt(), None", false},
		"penalty beside":  {"x * w", "return g * w + 0.1 * x, g * x", false},
		"right, a square": {"x * x", "return 2 * g * x, None", false},
	} {
		t.Run(name, func(t *testing.T) {
			checks, ok := check(t, custom(c.forward, c.backward))
			if !ok {
				t.Fatal("not computed")
			}
			if checks[0].Nonlinear != c.want {
				t.Errorf("nonlinear: %v, want %v", checks[0].Nonlinear, c.want)
			}
		})
	}
}

// TestSurrogates: what is not the derivative on purpose is said to look so.
func TestSurrogates(t *testing.T) {
	for name, c := range map[string][2]string{
		"rounded":     {"torch.round(x)", "return 2 * g, None"},
		"cut off":     {"x.clamp(-1, 1)", "return g.clone(), None"},
		"reversed":    {"x.clone()", "return -0.3 * g, None"},
		"tame":        {"0.5 * x * x", "return (g * x).clamp(-0.01, 0.01), None"},
		"on the side": {"x * 1.0", "return g, torch.ones_like(w)"},
	} {
		t.Run(name, func(t *testing.T) {
			checks, ok := check(t, custom(c[0], c[1]))
			if !ok {
				t.Fatal("not computed")
			}
			wrong := 0
			for _, k := range checks {
				if k.Wrong() {
					wrong++
				}
				if k.Wrong() && !k.Surrogate {
					t.Errorf("it is called a mistake: %g against %g", k.Analytic, k.Numeric)
				}
			}
			if wrong == 0 {
				t.Error("it is called the derivative")
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
