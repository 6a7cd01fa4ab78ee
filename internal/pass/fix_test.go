package pass_test

import (
	"context"
	"slices"
	"testing"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
)

// parsed returns a module of that text.
func parsed(t *testing.T, text string) *pass.Source {
	t.Helper()
	file, err := source.FromBytes("m.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := parse.New()
	defer p.Close()
	src, err := pass.Parse(context.Background(), p, file, nil)
	if err != nil || len(src.AST.Errors) > 0 {
		t.Fatal(text, err, src)
	}
	return src
}

// find returns the last expression with that source.
func find(t *testing.T, src *pass.Source, text string) ast.Expr {
	t.Helper()
	var found ast.Expr
	ast.WalkModule(src.AST, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && src.Text(n) == text {
			found = e
		}
		return true
	})
	if found == nil {
		t.Fatalf("no expression %q in %q", text, src.AST.Text)
	}
	return found
}

// applied returns the text after edits; it must parse.
func applied(t *testing.T, src *pass.Source, edits []pass.Edit) string {
	t.Helper()
	var plain []edit.Edit
	for _, e := range edits {
		plain = append(plain, edit.Edit{Start: int(e.Span.Start), End: int(e.Span.End), New: e.New})
	}
	out, err := edit.Apply(src.AST.Text, plain)
	if err != nil {
		t.Fatal(err)
	}
	parsed(t, string(out))
	return string(out)
}

func TestOperate(t *testing.T) {
	for _, c := range []struct {
		text, at string
		op       ast.Operator
		want     string
	}{
		{"x / s", "s", ast.Add, "x / (s + 1e-8)"},
		{"x / (s)", "s", ast.Add, "x / (s + 1e-8)"},
		{"x / (a - b)", "a - b", ast.Add, "x / (a - b + 1e-8)"},
		{"x / (a if b else c)", "a if b else c", ast.Add, "x / ((a if b else c) + 1e-8)"},
		{"y = s", "s", ast.Add, "y = s + 1e-8"},
		{"x /= s.std()", "s.std()", ast.Add, "x /= s.std() + 1e-8"},
		{"div(x, s)", "s", ast.Add, "div(x, s + 1e-8)"},
		{"div(x, other=s)", "s", ast.Add, "div(x, other=s + 1e-8)"},
		{"x.div(s)", "s", ast.Add, "x.div(s + 1e-8)"},
		{"s.sqrt()", "s", ast.Add, "(s + 1e-8).sqrt()"},
		{"s[0]", "s", ast.Add, "(s + 1e-8)[0]"},
		{"x[s]", "s", ast.Add, "x[s + 1e-8]"},
		{"-s", "s", ast.Add, "-(s + 1e-8)"},
		{"s ** 2", "s", ast.Mult, "(s * 1e-8) ** 2"},
		{"s < 2", "s", ast.Add, "s + 1e-8 < 2"},
		{"not s", "s", ast.Add, "not s + 1e-8"},
		{"f(lambda: s)", "s", ast.Add, "f(lambda: s + 1e-8)"},
		{"x / s.std(\n    1)", "s.std(\n    1)", ast.Add, "x / (s.std(\n    1) + 1e-8)"},
		{"(a) / (b)", "b", ast.Add, "(a) / (b + 1e-8)"},
		{"y = a - b", "a - b", ast.Mult, "y = (a - b) * 1e-8"},
	} {
		src := parsed(t, c.text+"\n")
		if got := applied(t, src, src.Operate(find(t, src, c.at), c.op, "1e-8")); got != c.want+"\n" {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestMethod(t *testing.T) {
	for _, c := range []struct{ text, at, want string }{
		{"f(x)", "x", "f(x.exp())"},
		{"f(a - b)", "a - b", "f((a - b).exp())"},
		{"y = (a - b)", "a - b", "y = (a - b).exp()"},
		{"y = ((a - b))", "a - b", "y = ((a - b)).exp()"},
		{"y = a - b", "a - b", "y = (a - b).exp()"},
		{"return_(x[0])", "x[0]", "return_(x[0].exp())"},
		{"y = -x", "-x", "y = (-x).exp()"},
		{"y = (  # why\n    a - b)", "a - b", "y = (  # why\n    (a - b).exp())"},
	} {
		src := parsed(t, c.text+"\n")
		if got := applied(t, src, src.Method(find(t, src, c.at), ".exp()")); got != c.want+"\n" {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestSetArg(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"f()", "f(dim=-1)"},
		{"f(x)", "f(x, dim=-1)"},
		{"f(x, 0)", "f(x, -1)"},
		{"f(x, dim=0)", "f(x, dim=-1)"},
		{"f(x, keepdim=True)", "f(x, keepdim=True, dim=-1)"},
		{"f(x,)", "f(x, dim=-1,)"},
		{"f((a + b))", "f((a + b), dim=-1)"},
		{"f(\n    x,  # the logits\n)", "f(\n    x, dim=-1,  # the logits\n)"},
		{"f(x, **kw)", "f(x, **kw, dim=-1)"},
	} {
		src := parsed(t, c.text+"\n")
		call := src.AST.Body[0].(*ast.ExprStmt).X.(*ast.Call)
		value := "-1"
		if got := applied(t, src, src.SetArg(call, 1, "dim", value)); got != c.want+"\n" {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestWrapAndOperand(t *testing.T) {
	src := parsed(t, "r = new - old\ns = f(x)\n")
	if got := applied(t, src, src.Wrap(find(t, src, "new - old"), "torch.exp(", ")")); got != "r = torch.exp(new - old)\ns = f(x)\n" {
		t.Error(got)
	}
	if got := src.Operand(find(t, src, "new - old")); got != "(new - old)" {
		t.Error(got)
	}
	if got := src.Operand(find(t, src, "f(x)")); got != "f(x)" {
		t.Error(got)
	}
}

func TestSpell(t *testing.T) {
	const name = "torch.nn.functional.softmax"
	for _, c := range []struct {
		text, want string
		imports    []string
	}{
		{"import torch\n", name, nil},
		{"import torch.nn.functional as F\nimport torch\n", "F.softmax", nil},
		{"from torch.nn import functional as fn\n", "fn.softmax", nil},
		{"import torch.nn as nn\n", "nn.functional.softmax", nil},
		{"from torch.nn.functional import softmax\n", "softmax", nil},
		{"from torch.nn.functional import softmax as s\nimport torch as t\n", "s", nil},
		{"try:\n    import torch\nexcept ImportError:\n    pass\n", name, nil},
		{"def f():\n    import torch\n", name, []string{"import torch"}},
		{"import numpy\n", name, []string{"import torch"}},
		{"import torchvision\n", name, []string{"import torch"}},
	} {
		got, imports := parsed(t, c.text).Spell(name)
		if got != c.want || !slices.Equal(imports, c.imports) {
			t.Errorf("%q: %s %v, want %s %v", c.text, got, imports, c.want, c.imports)
		}
	}
}
