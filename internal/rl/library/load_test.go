package library

import (
	"strings"
	"testing"
)

// A table that says something the program does not understand is not loaded;
// the error names file, line and row.
func TestLoaderRejects(t *testing.T) {
	row := func(lines ...string) string {
		return "# a comment\n[fn.\"torch.f\"]\nparams = [\"x\", \"dim\"]\n" + strings.Join(lines, "\n") + "\n"
	}
	for name, tt := range map[string]struct{ text, want string }{
		"unknown kind":          {row(`kind = "probability"`), `t.toml:2: torch.f: unknown kind "probability"`},
		"unknown shape rule":    {row(`shape = "shrink(x)"`), `t.toml:2: torch.f: shape: unknown rule "shrink"`},
		"unknown grad rule":     {row(`grad = "lost"`), `t.toml:2: torch.f: grad: unknown rule "lost"`},
		"unknown range rule":    {row(`range = "cube(x)"`), `t.toml:2: torch.f: range: unknown rule "cube"`},
		"unknown owner rule":    {row(`whose = "mine"`), `t.toml:2: torch.f: whose: unknown rule "mine"`},
		"unknown reduction":     {row(`reduced = "product"`), `t.toml:2: torch.f: reduced: unknown rule "product"`},
		"empty range":           {row(`range = [1, 0]`), `t.toml:2: torch.f: range [1 0]: want a rule`},
		"range of other bounds": {row(`range = [0, 2]`), `t.toml:2: torch.f: range [0 2]: want a rule`},
		"rule without argument": {row(`shape = "reduce(x)"`), `rule "reduce(x)": 1 parameters, want 2 to 3`},
		"rule left open":        {row(`shape = "same(x"`), `no closing parenthesis`},
		"rule of no parameter":  {row(`shape = "same(y)"`), `t.toml:2: torch.f: shape: rule "same(y)": no parameter "y"`},
		"kind of no parameter":  {row(`kind = "=y"`), `no parameter "y"`},
		"condition on nothing":  {row(`result = [{ if = "y:prob", kind = "prob" }]`), `condition "y:prob": no parameter "y"`},
		"condition of no kind":  {row(`result = [{ if = "x:proba", kind = "prob" }]`), `unknown kind "proba"`},
		"condition of no sense": {row(`result = [{ if = "x", kind = "prob" }]`), `want ARG:KIND`},
		"condition > 0":         {row(`result = [{ if = "x>0", kind = "prob" }]`), `condition "x>0" is not understood`},
		"no such reduction":     {row(`result = [{ if = "x~total", kind = "prob" }]`), `unknown reduction "total"`},
		"no such owner":         {row(`result = [{ if = "x@mine", kind = "prob" }]`), `unknown owner "mine"`},
		"misspelt key":          {row(`knd = "prob"`), `t.toml:4: unknown key "fn.torch.f.knd"`},
		"no TOML":               {row(`kind = `), `t.toml:4: `},
		"row twice":             {row() + row(), `t.toml:6: `},
		"name twice":            {row(`alias = ["torch.f"]`), `name "torch.f" is defined twice`},
		"operator twice":        {row(`op = "add"`) + "[fn.\"torch.g\"]\nop = \"add\"\nparams = []\n", `torch.g: operator "add" is defined twice`},
		"like nothing":          {row(`like = "torch.g"`), `like names no row: "torch.g"`},
		"like itself":           {row(`like = "torch.f"`), `like names no row: "torch.f"`},
		"second form":           {row(`tensor2 = "torch.g"`), `second form names no row: "torch.g"`},
		"flag of no parameter":  {row(`flag = "unbiased"`), `flag "unbiased" is no parameter`},
		"evidence of a row":     {row(`evidence = "sure"`), `unknown evidence "sure"`},
		"evidence of nothing":   {row(`result = [{ if = "x:prob", kind = "prob", evidence = ["y"] }]`), `evidence: no parameter "y"`},
		"contract on nothing":   {row(`contract = [{ arg = "y", rejects = ["raw"], rule = "r" }]`), `contract: no parameter "y"`},
		"contract of no rule":   {row(`contract = [{ arg = "x", rejects = ["raw"] }]`), `want rejects and rule`},
		"contract torn":         {row(`contract = [{ arg = "x", accepts = ["raw"], rejects = ["raw"], rule = "r" }]`), `accepts and rejects raw`},
		"returns no class":      {row(`returns = "torch.C"`), `returns "torch.C", which is no class`},
		"class of no kind":      {"[class.\"torch.C\"]\nkind = \"layer\"\nparams = []\n", `t.toml:1: torch.C: unknown kind "layer" of a class`},
		"class of no base":      {"[class.\"torch.C\"]\nkind = \"module\"\nbases = [\"torch.B\"]\n", `base "torch.B" is no class`},
		"class calls nothing":   {"[class.\"torch.C\"]\nkind = \"module\"\ncall = \"torch.g\"\n", `call names no row: "torch.g"`},
		"class of no settings":  {"[class.\"torch.C\"]\nkind = \"other\"\nconfigures = \"all\"\n", `configures "all", which is neither`},
		"noun of no kind":       {"[names.nouns]\n\"logp\" = { kind = \"lp\" }\n", `noun "logp": unknown kind "lp"`},
		"word of no owner":      {"[names.whose]\nold = \"former\"\n", `unknown owner "former"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse([]document{{name: "t.toml", text: []byte(tt.text)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// A rule or guard that no row uses is dead knowledge.
func TestEveryRuleIsUsed(t *testing.T) {
	var all strings.Builder
	for _, d := range embedded() {
		all.Write(d.text)
	}
	text := all.String()
	used := func(list string, names []string) {
		for _, n := range names {
			if !strings.Contains(text, list+` = "`+n+`"`) && !strings.Contains(text, list+` = "`+n+`(`) {
				t.Errorf("no row uses the %s rule %q", list, n)
			}
		}
	}
	used("shape", sorted(shapeRules))
	used("grad", sorted(gradRules))
	used("range", sorted(rangeRules))
	used("whose", sorted(whoseRules))
	used("reduced", sorted(reducedRules))
}

// FuzzCondition feeds conditions, which are read when tables are loaded.
func FuzzCondition(f *testing.F) {
	for _, s := range []string{"x:prob|logits, !y?", "x>=0", "x!=0", "dim=-1", "x~mean,x@old", "x:=y", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCondition(text, []string{"x", "y", "dim"})
		if err != nil {
			return
		}
		if got := c.eval(Args{}); len(c) == 0 && got != yes {
			t.Fatalf("the empty condition is %v", got)
		}
	})
}
