package pass_test

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// alone runs an analyzer on one file as a plain driver of go/analysis would: no
// step is handed in, no module imports another.
func alone(t *testing.T, a *analysis.Analyzer, text string) []analysis.Diagnostic {
	t.Helper()
	if err := analysis.Validate([]*analysis.Analyzer{a}); err != nil {
		t.Fatal(err)
	}
	var out []analysis.Diagnostic
	results := map[*analysis.Analyzer]any{}
	fset := token.NewFileSet()
	var run func(a *analysis.Analyzer)
	run = func(a *analysis.Analyzer) {
		if _, done := results[a]; done {
			return
		}
		for _, r := range a.Requires {
			run(r)
		}
		v, err := a.Run(&analysis.Pass{
			Analyzer: a, Fset: fset, OtherFiles: []string{"m.py"}, Pkg: types.NewPackage("m", "m"), ResultOf: results,
			ReadFile:          func(string) ([]byte, error) { return []byte(text), nil },
			Report:            func(d analysis.Diagnostic) { out = append(out, d) },
			ExportPackageFact: func(analysis.Fact) {},
		})
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		results[a] = v
	}
	run(a)
	return out
}

// doc makes a page that is good enough to run a rule.
func doc(name string) []byte {
	return fmt.Appendf(nil, "---\ncode: OBJ900\nname: %s\nfamily: objective\n---\n\n## What it finds\n\nA test of\nthe pass. More.\n\n## Why\n", name)
}

// related writes the explanation of a diagnostic as LINE: MESSAGE.
func related(text string, d analysis.Diagnostic) []string {
	var out []string
	for _, r := range d.Related {
		row := 1 + strings.Count(text[:int(r.Pos)-1], "\n")
		out = append(out, fmt.Sprintf("%d: %s", row, r.Message))
	}
	return out
}

func TestRuleIsAnAnalyzer(t *testing.T) {
	a := pass.Rule(doc("exp-twice"), func(*pass.Pass) {})
	if a.Name != "OBJ900" || a.Doc != "exp-twice: A test of the pass. More." || !strings.HasSuffix(a.URL, "/rules/OBJ900/") {
		t.Errorf("%q %q %q", a.Name, a.Doc, a.URL)
	}
	if err := analysis.Validate([]*analysis.Analyzer{a, pass.Syntax, pass.Values, pass.Graph, pass.Roles, pass.Contracts}); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a page without a code makes a rule")
		}
	}()
	pass.Rule([]byte("---\nname: x\n---\n"), func(*pass.Pass) {})
}

func TestStepsStandAlone(t *testing.T) {
	seen := 0
	a := pass.Rule(doc("steps"), func(p *pass.Pass) {
		seen++
		if p.Source.Name != "m" || p.Source.Torch != "" {
			t.Errorf("steps: %+v", p.Source)
		}
		frames := 0
		for range p.EachFrame {
			frames++
		}
		if frames != 2 || len(p.Roles.Networks) != 0 {
			t.Errorf("%d frames", frames)
		}
	})
	alone(t, a, "import torch\ndef f(x):\n    for i in x:\n        pass\n")
	if seen != 1 {
		t.Error("the rule did not run")
	}
}

// ops reports every exp with its input.
func ops(values func(v *infer.Val) []*infer.Val) *analysis.Analyzer {
	return pass.Rule(doc("ops"), func(p *pass.Pass) {
		for _, v := range p.Ops("torch.exp") {
			f := pass.At(v, values(v)...)
			f.Message = p.Text(v)
			p.Report(f)
		}
	})
}

func TestOrigins(t *testing.T) {
	input := func(v *infer.Val) []*infer.Val { return v.In[:1] }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"birth through views and names": {
			"import torch\nx = torch.randn(4, 2).log_softmax(-1)\ny = x.view(-1)\nz = torch.exp(y.detach())\n",
			[]string{"2: y.detach(): log-prob since line 2: log_softmax"},
		},
		"nothing to say of what stands there": {
			"import torch\nz = torch.randn(4, 2).log_softmax(-1).exp()\n", nil,
		},
		"through a call": {
			"import torch\ndef up(a):\n    return a.exp()\ndef mid(b):\n    return up(b[0])\nx = torch.randn(4, 2).log_softmax(-1)\nmid(x)\n",
			[]string{"6: a: log-prob since line 6: log_softmax", "5: `up` is called here", "7: `mid` is called here"},
		},
		"a lambda goes by what it is called": {
			"import torch\nup = lambda a: a.exp()\nx = torch.randn(4, 2).log_softmax(-1)\nup(x)\n",
			[]string{"3: a: log-prob since line 3: log_softmax", "4: `up` is called here"},
		},
		"born in a callee": {
			"import torch\ndef born():\n    return torch.randn(2).log_softmax(-1)\ndef up(a):\n    return a.exp()\ndef main():\n    up(born())\nmain()\n",
			[]string{"3: a: log-prob since line 3: log_softmax", "7: `up` is called here"},
		},
		"in the words of readers, without the call of a call": {
			"import torch\nnet = torch.nn.Linear(4, 2)\nx = net(torch.randn(4))\ntorch.exp(x)\n",
			[]string{"3: x: network output since line 3: torch.nn.Linear"},
		},
		"what may be one of several, or anything, goes without a kind": {
			"import torch\nx = torch.tensor([1.5, 2.5])\ntorch.exp(x)\n",
			[]string{"2: x: from line 2: torch.tensor"},
		},
		"a name is a weak witness": {
			"def up(logp):\n    return logp.exp()\n",
			[]string{"1: logp: log-prob since line 1, by the name of logp"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := alone(t, ops(input), c.text)
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			if diff := cmp.Diff(c.want, related(c.text, found[0])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEvidenceIsTheWeakest(t *testing.T) {
	val := func(k domain.Kind, e domain.Evidence) *infer.Val {
		return &infer.Val{Q: domain.Value{Kind: k, Evidence: e}}
	}
	for _, c := range []struct {
		vals []*infer.Val
		want domain.Evidence
	}{
		{nil, domain.Derived},
		{[]*infer.Val{nil, val(domain.Prob, domain.FromTable)}, domain.FromTable},
		{[]*infer.Val{val(domain.Prob, domain.FromTable), val(domain.Logits, domain.NameOnly)}, domain.NameOnly},
		{[]*infer.Val{val(domain.Prob, domain.Derived), val(domain.UnknownKind, domain.NameOnly)}, domain.Derived},
	} {
		if got := pass.WeakestOf(c.vals...); got != c.want {
			t.Errorf("%v: %s, want %s", c.vals, got, c.want)
		}
	}
}

// A fix is not safe where the function is right in another context, unless it is
// right in every context.
func TestFixInContexts(t *testing.T) {
	text := "import torch\ndef up(a):\n    return a.exp()\nx = torch.randn(4, 2)\nup(x.log_softmax(-1))\nup(x.softmax(-1))\n"
	for everywhere, want := range map[bool]finding.Applicability{false: finding.Unsafe, true: ""} {
		found := alone(t, pass.Rule(doc("contexts"), func(p *pass.Pass) {
			for _, v := range p.Ops("torch.exp") {
				if v.In[0].Is(domain.LogProb) {
					f := pass.At(v, v.In[0])
					f.Message = "exp"
					f.Fix = &pass.Fix{Message: "Replace", EveryContext: everywhere, Edits: p.In(v.Frame).Replace(v.Node, "a"), Imports: []string{"import torch", "import math as m"}}
					p.Report(f)
				}
			}
		}), text)
		if len(found) != 1 {
			t.Fatalf("%d findings", len(found))
		}
		if _, got, _ := pass.ParseCategory(found[0].Category); got != want {
			t.Errorf("right in every context %v: applicability %q, want %q", everywhere, got, want)
		}
		if edits := found[0].SuggestedFixes[0].TextEdits; len(edits) != 2 || string(edits[1].NewText) != "import math as m\n" {
			t.Errorf("torch is imported, math is not: %v", edits)
		}
	}
}

func TestGuards(t *testing.T) {
	text := `import torch
def f(x, y):
    a = torch.exp(x)
    if x.numel() > 1:
        b = torch.exp(x)
    if x.sum() > 0:
        c = torch.exp(x)
    if y > 0:
        d = torch.exp(x)
    e = torch.nan_to_num(torch.exp(x).view(-1))
    if not torch.isnan(x.std()):
        g = torch.exp(x)
    return torch.clamp(torch.exp(x), 0, 1), a, b, c, d, e
`
	var got []string
	alone(t, pass.Rule(doc("guards"), func(p *pass.Pass) {
		for _, v := range p.Ops("torch.exp") {
			x := v.In[0]
			row := p.Source.File.Position(int(v.Node.Span().Start)).Row
			got = append(got, fmt.Sprintf("%d size %v content %v protected %v", row, p.ChecksSize(v, x), p.ChecksContent(v, x), p.Protected(v)))
		}
	}), text)
	slices.Sort(got)
	want := []string{
		"10 size false content false protected true",
		"12 size false content false protected false",
		"13 size false content false protected true",
		"3 size false content false protected false",
		"5 size true content false protected false",
		"7 size false content true protected false",
		"9 size false content false protected false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOperandIsTheTextAtThePlace(t *testing.T) {
	var got []string
	alone(t, pass.Rule(doc("operands"), func(p *pass.Pass) {
		for _, v := range p.Ops("torch.div") {
			if e := p.Operand(v, v.In[1]); e != nil {
				got = append(got, p.Source.Text(e))
			}
		}
	}), "import torch\nx = torch.ones(3)\ns = x.std()\na = x / s\nb = torch.div(x, s)\nc = x.div(other=s)\nx /= s\n")
	slices.Sort(got)
	if diff := cmp.Diff([]string{"s", "s", "s", "s"}, got); diff != "" {
		t.Error(diff)
	}
}
