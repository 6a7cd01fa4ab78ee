package library

import (
	"math"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/domaintest"
)

func TestEmbeddedTablesLoad(t *testing.T) {
	table, err := parse(embedded())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(table.rows); n < 300 {
		t.Errorf("only %d rows", n)
	}
}

// op is an operand for a test: a kind and what else is known.
type op = func(*Operand)

// v builds an operand of a kind.
func v(kind domain.Kind, opts ...op) Operand {
	o := Operand{V: domain.Of(kind)}
	for _, f := range opts {
		f(&o)
	}
	return o
}

// c builds a constant operand.
func c(x any) Operand { return ConstOperand(x) }

func attached(o *Operand)   { o.V.Grad = domain.Attached }
func detached(o *Operand)   { o.V.Grad = domain.Detached }
func nameOnly(o *Operand)   { o.V.Evidence = domain.NameOnly }
func nonNeg(o *Operand)     { o.V.Range = domain.Between(domain.Zero, domain.PosInf) }
func nonZero(o *Operand)    { o.V.Range = o.V.Range.AwayFromZero() }
func unit(o *Operand)       { o.V.Range = domain.Between(domain.Zero, domain.One) }
func meanOf(o *Operand)     { o.V.Reduced = domain.MeanDim }
func unreduced(o *Operand)  { o.V.Reduced = domain.Unreduced }
func sumOf(o *Operand)      { o.V.Reduced = domain.SumDim }
func lse(o *Operand)        { o.V.Reduced = domain.LogSumExp }
func of(w domain.Whose) op  { return func(o *Operand) { o.V.Whose = w } }
func shape(sizes ...int) op { return func(o *Operand) { o.V.Shape = mkShape(sizes...) } }

func mkShape(sizes ...int) domain.Shape {
	dims := make([]domain.Dim, len(sizes))
	for i, n := range sizes {
		dims[i] = domain.UnknownDim
		if n >= 0 {
			dims[i] = domain.ConstDim(n)
		}
	}
	return domain.MakeShape(dims...)
}

type kwargs = map[string]Operand

// What the tables say of the calls that RL code is made of. A name with a dot
// is a function, one with an @ an operator, else a method.
func TestWhatCallsYield(t *testing.T) {
	const any = domain.UnknownKind
	for _, tt := range []struct {
		call string
		pos  []Operand
		kw   kwargs
		want string
	}{
		// exponentials
		{"torch.exp", []Operand{v(domain.LogProb)}, nil, "prob >=0"},
		{"exp", []Operand{v(domain.LogRatio, attached)}, nil, "ratio attached >=0"},
		{"exp_", []Operand{v(domain.LogRatio)}, nil, "ratio"},
		{"numpy.exp", []Operand{v(domain.LogStd)}, nil, "std >=0"},
		{"exp", []Operand{v(domain.LogProb | domain.LogRatio)}, nil, "prob|ratio >=0"},
		{"exp", []Operand{v(any)}, nil, "unknown >=0"},
		{"exp", []Operand{v(domain.LogRatio, nameOnly)}, nil, "ratio ~name-only"},
		{"log", []Operand{v(domain.Prob, unit)}, nil, "log-prob <=0"},
		{"sqrt", []Operand{v(domain.Variance, nonNeg)}, nil, "std >=0"},

		// softmax and friends
		{"torch.softmax", []Operand{v(domain.Raw), c(int64(-1))}, nil, "prob >=0 <=1"},
		{"torch.nn.functional.softmax", []Operand{v(any)}, kwargs{"dim": c(int64(-1))}, "prob >=0 <=1 ~table"},
		{"softmax", []Operand{v(domain.Logits, shape(8, 4)), c(int64(-1))}, nil, "prob[8,4]"},
		{"log_softmax", []Operand{v(domain.Logits)}, nil, "log-prob <=0"},
		{"logsumexp", []Operand{v(domain.Logits), c(int64(-1))}, kwargs{"keepdim": c(true)}, "logits log-sum-exp"},
		{"@sub", []Operand{v(domain.Logits), v(domain.Logits, lse)}, nil, "log-prob"},
		{"sigmoid", []Operand{v(domain.Raw)}, nil, "prob >=0 <=1"},

		// ratios
		{"@sub", []Operand{v(domain.LogProb, of(domain.Current)), v(domain.LogProb, of(domain.Old))}, nil, "current log-ratio"},
		{"@sub", []Operand{v(domain.LogProb, of(domain.Old)), v(domain.LogProb, of(domain.Current))}, nil, "old log-ratio"},
		{"torch.sub", []Operand{v(domain.LogProb), v(domain.LogProb)}, nil, "log-ratio"},
		{"sub", []Operand{v(domain.LogProb), v(domain.LogProb)}, nil, "log-ratio"},
		{"@div", []Operand{v(domain.Prob), v(domain.Prob, unreduced)}, nil, "ratio"},
		{"@div", []Operand{v(domain.Prob), v(domain.Prob, sumOf)}, nil, "prob"},
		{"@div", []Operand{v(domain.LogProb), v(domain.LogProb, unreduced)}, nil, "unknown"},
		{"@mul", []Operand{v(domain.Ratio), v(domain.Advantage)}, nil, "loss"},
		{"@mul", []Operand{v(domain.LogProb), v(domain.Return)}, nil, "loss"},
		{"@neg", []Operand{v(domain.Entropy)}, nil, "entropy"},
		{"clamp", []Operand{v(domain.Ratio), c(0.8), c(1.2)}, nil, "ratio >=0 !=0"},

		// advantages and their denominators
		{"mean", []Operand{v(domain.Reward)}, nil, "reward[] mean-all"},
		{"mean", []Operand{v(domain.Reward, shape(16, 8))}, kwargs{"dim": c(int64(1)), "keepdim": c(true)}, "reward[16,1] mean-dim"},
		{"numpy.mean", []Operand{v(domain.Reward, shape(16, 8))}, kwargs{"axis": c(int64(1)), "keepdims": c(true)}, "reward[16,1] mean-dim"},
		{"@sub", []Operand{v(domain.Reward), v(domain.Reward, meanOf)}, nil, "advantage"},
		{"@sub", []Operand{v(domain.Reward), v(domain.Reward, unreduced)}, nil, "unknown"},
		{"@sub", []Operand{v(domain.Return), v(domain.StateValue)}, nil, "advantage"},
		{"std", []Operand{v(any)}, nil, "std[] >=0"},
		{"std", []Operand{v(any), c(false)}, nil, "std[] >=0"},
		{"std", []Operand{v(any, shape(4, 1)), c(int64(1))}, nil, "std[4]"},
		{"numpy.std", []Operand{v(any)}, kwargs{"ddof": c(int64(1))}, "std[] detached"},
		{"norm", []Operand{v(any)}, nil, "norm >=0"},
		{"@add", []Operand{v(domain.Std, nonNeg), c(1e-8)}, nil, "std >=0 !=0"},
		{"@add", []Operand{c(1e-8), v(domain.Std, nonNeg)}, nil, "std >=0 !=0"},
		{"clamp", []Operand{v(domain.Std, nonNeg)}, kwargs{"min": c(1e-6)}, "std >=0 !=0"},
		{"clamp_min", []Operand{v(domain.Std, nonNeg), c(1e-6)}, nil, "std !=0"},
		{"numpy.maximum", []Operand{v(domain.Std, nonNeg), c(1e-6)}, nil, "std !=0"},
		{"builtins.max", []Operand{v(domain.Std, nonNeg), c(1e-6)}, nil, "std !=0"},
		{"torch.max", []Operand{v(domain.Std, nonNeg), v(domain.Number, nonNeg, nonZero)}, nil, "std !=0"},
		{"@div", []Operand{v(domain.Advantage), v(domain.Std)}, nil, "advantage"},

		// targets
		{"@sub", []Operand{c(int64(1)), v(domain.Done, unit)}, nil, "mask >=0 <=1"},
		{"@mul", []Operand{v(domain.StateValue, of(domain.Target)), v(domain.Mask)}, nil, "target value"},
		{"@mul", []Operand{v(domain.Coef), v(domain.StateValue)}, nil, "value"},
		{"@add", []Operand{v(domain.Reward), v(domain.QValue, of(domain.Target))}, nil, "target return"},
		{"@sub", []Operand{v(domain.Return), v(domain.QValue)}, nil, "td-error"},
		{"@or", []Operand{v(domain.Terminated), v(domain.Truncated)}, nil, "done"},
		{"@bitor", []Operand{v(domain.Terminated), v(domain.Truncated)}, nil, "done"},
		{"numpy.logical_or", []Operand{v(domain.Terminated), v(domain.Truncated)}, nil, "done"},

		{"@add", []Operand{v(domain.Reward), v(domain.Raw, of(domain.Target))}, nil, "target return"},
		{"@div", []Operand{v(domain.Reward, sumOf), v(domain.Count)}, nil, "reward mean-all|mean-dim"},

		// KL
		{"@sub", []Operand{v(domain.Ratio), v(domain.LogRatio)}, nil, "kl"},
		{"@pow", []Operand{v(domain.LogRatio), c(int64(2))}, nil, "kl >=0"},
		{"@sub", []Operand{v(domain.Reward), v(domain.KL)}, nil, "reward"},

		// what keeps a quantity
		{"gather", []Operand{v(domain.LogProb, shape(8, 4)), c(int64(1)), v(domain.Index, shape(8, 1))}, nil, "log-prob[8,1]"},
		{"view", []Operand{v(domain.Reward, shape(32)), c(int64(-1)), c(int64(8))}, nil, "reward[4,8]"},
		{"view", []Operand{v(domain.Reward, shape(32)), {Const: []int64{-1, 8}}}, nil, "reward[4,8]"},
		{"reshape", []Operand{v(domain.Reward)}, kwargs{"shape": {Const: []int64{-1, 1}}}, "reward[?,1]"},
		{"unsqueeze", []Operand{v(domain.Reward, shape(4)), c(int64(1))}, nil, "reward[4,1]"},
		{"detach", []Operand{v(domain.LogProb, attached, of(domain.Current))}, nil, "current log-prob detached"},
		{"item", []Operand{v(domain.Loss, attached)}, nil, "loss[] detached"},
		{"sum", []Operand{v(domain.LogProb, shape(8, 3)), c(int64(-1))}, nil, "log-prob[8] sum-dim"},
		{"sum", []Operand{v(domain.Mask)}, nil, "count"},
		{"torch.where", []Operand{v(domain.Mask), v(domain.Std, nonNeg), c(1.0)}, nil, "std >=0"},
		{"torch.cat", []Operand{{Elems: []Operand{v(domain.LogProb), v(domain.LogProb)}}}, nil, "log-prob"},
		{"torch.stack", []Operand{{Elems: []Operand{v(domain.LogProb, shape(4)), v(domain.LogProb, shape(4))}}, c(int64(0))}, nil, "log-prob[2,4]"},
		{"einops.rearrange", []Operand{v(domain.Reward, shape(32)), c("(b g) -> b g")}, kwargs{"g": c(int64(8))}, "reward[4,8]"},
		{"torch.tensor", []Operand{{Elems: []Operand{c(1.0), c(2.0)}}}, nil, "number[2] detached >=1"},
		{"@div", []Operand{v(domain.Logits), v(domain.Coef, nameOnly)}, nil, "logits ~derived"},

		// samples
		{"torch.multinomial", []Operand{v(domain.Prob, shape(8, 4)), c(int64(1))}, nil, "index[8,1] detached"},
		{"torch.randn_like", []Operand{v(domain.Mean, shape(8, 2))}, nil, "nobody"},
		{"relu", []Operand{v(domain.Raw)}, nil, "raw >=0"},
		{"softplus", nil, nil, ""},
	} {
		t.Run(tt.call, func(t *testing.T) {
			f := lookup(tt.call)
			if tt.want == "" {
				if f != nil {
					t.Fatalf("%s is no method of tensors", tt.call)
				}
				return
			}
			if f == nil {
				t.Fatalf("no row for %s", tt.call)
			}
			a := f.Bind(tt.pos, tt.kw)
			match(t, f.Apply(a), tt.want)
		})
	}
}

// lookup finds the row that a test names.
func lookup(call string) *Func {
	if o, ok := strings.CutPrefix(call, "@"); ok {
		return Load().Operator(o)
	}
	if strings.Contains(call, ".") {
		return Load().Func(call)
	}
	return Load().Method(call)
}

// match fails unless the value is what a reveal mark says.
func match(t *testing.T, got domain.Value, want string) {
	t.Helper()
	if want == "nobody" {
		if got.Whose != 0 {
			t.Errorf("belongs to %s", got.Whose)
		}
		return
	}
	p, err := domaintest.Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Mismatch(got); m != "" {
		t.Error(m)
	}
}

// Softmax, sigmoid, exp and softplus reach 0 in floating point.
func TestUnderflowIsNotForgotten(t *testing.T) {
	for _, name := range []string{
		"torch.softmax", "torch.sigmoid", "torch.exp", "torch.nn.functional.softplus", "torch.std", "torch.var", "torch.norm",
		"torch.relu", "torch.abs", "torch.square", "numpy.std", "statistics.stdev",
	} {
		f := Load().Func(name)
		got := f.Apply(f.Bind([]Operand{v(domain.UnknownKind)}, nil))
		if got.Range.NonZero || !got.Range.NonNegative() {
			t.Errorf("%s: %s, want >=0 and not bounded away from 0", name, got)
		}
	}
}

func TestTuples(t *testing.T) {
	x := v(domain.QValue, shape(8, 4), attached)
	for _, tt := range []struct {
		call string
		pos  []Operand
		want []string
	}{
		{"max", []Operand{x, c(int64(1))}, []string{"q-value[8] attached", "index[8] detached"}},
		{"max", []Operand{x}, nil},
		{"torch.max", []Operand{x, v(domain.QValue)}, nil},
		{"sort", nil, nil},
		{"topk", []Operand{x, c(int64(2))}, []string{"q-value", "index detached"}},
		{"torch.std_mean", []Operand{x}, []string{"std[] >=0", "q-value[] mean-all"}},
		{"torch.var_mean", []Operand{x, c(int64(0))}, []string{"variance[4]", "q-value[4] mean-dim"}},
	} {
		f := lookup(tt.call)
		if tt.pos == nil {
			if f != nil {
				t.Errorf("%s: lists have a method of that name", tt.call)
			}
			continue
		}
		elems, ok := f.Elements(f.Bind(tt.pos, nil))
		if ok != (tt.want != nil) || len(elems) != len(tt.want) {
			t.Errorf("%s: %d elements, want %d", tt.call, len(elems), len(tt.want))
			continue
		}
		for i, e := range elems {
			match(t, e.V, tt.want[i])
		}
	}
}

func TestEnvironmentStep(t *testing.T) {
	f := Load().Class("gymnasium.Env").Method("step")
	elems, ok := f.Elements(f.Bind([]Operand{v(domain.Env), v(domain.Action)}, nil))
	if !ok || len(elems) != 5 {
		t.Fatalf("%d elements", len(elems))
	}
	for i, want := range []string{"observation", "reward", "terminated", "truncated", "other"} {
		match(t, elems[i].V, want)
	}
	if m := Load().Class("gymnasium.wrappers.TimeLimit").Method("step"); m == nil {
		t.Error("a wrapper steps like the environment it wraps")
	}
}

func TestDistributions(t *testing.T) {
	table := Load()
	logits := v(domain.Logits, shape(8, 4), attached, of(domain.Current))
	cat := table.Class("torch.distributions.categorical.Categorical")
	d := cat.New.Apply(cat.New.Bind(nil, kwargs{"logits": logits}))
	match(t, d, "current distribution[8] attached")
	self := Operand{V: d}
	for name, want := range map[string]string{
		"log_prob": "current log-prob[8] attached <=0", "entropy": "entropy[8] >=0", "sample": "action[8] detached",
	} {
		f := cat.Method(name)
		pos := []Operand{self}
		if name == "log_prob" {
			pos = append(pos, v(domain.Action, shape(8), detached))
		}
		match(t, f.Apply(f.Bind(pos, nil)), want)
	}
	normalised := cat.AttrFunc("logits")
	if q := normalised.Apply(normalised.Bind([]Operand{{V: domain.Of(cat.Kind)}}, nil)); !q.Is(domain.LogProb) {
		t.Errorf("Categorical normalises its logits: %s", q)
	}

	normal := table.Class("torch.distributions.Normal")
	d = normal.New.Apply(normal.New.Bind([]Operand{v(domain.Mean, shape(8, 2), attached), v(domain.Std, shape(2))}, nil))
	f := normal.Method("log_prob")
	got := f.Apply(f.Bind([]Operand{{V: d}, v(domain.Action, shape(8, 2))}, nil))
	match(t, got, "log-prob[8,2] attached")
	if got.Range.NonPositive() {
		t.Error("a density exceeds 1: its logarithm has no sign")
	}
	ind := table.Class("torch.distributions.Independent")
	match(t, ind.New.Apply(ind.New.Bind([]Operand{{V: d}, c(int64(1))}, nil)), "distribution[8]")
}

// An instance called is its function, with the constructor's arguments.
func TestModulesCall(t *testing.T) {
	table := Load()
	lin := table.Class("torch.nn.Linear")
	ctor := lin.New.Bind([]Operand{c(int64(64)), c(int64(6))}, nil)
	a := lin.BindCall(nil, ctor, []Operand{v(domain.Observation, shape(8, 64))}, nil)
	match(t, a.Func().Apply(a), "raw[8,6] attached")

	soft := table.Class("torch.nn.Softmax")
	ctor = soft.New.Bind(nil, kwargs{"dim": c(int64(-1))})
	a = soft.BindCall(nil, ctor, []Operand{v(domain.Raw)}, nil)
	if o, ok := a.Get("dim"); !ok || o.Const != int64(-1) {
		t.Errorf("dim of nn.Softmax(dim=-1)(x): %v", o.Const)
	}
	match(t, a.Func().Apply(a), "prob >=0 <=1")

	ce := table.Class("torch.nn.CrossEntropyLoss")
	a = ce.BindCall(nil, ce.New.Bind(nil, kwargs{"reduction": c("none")}), []Operand{v(domain.Prob), v(domain.Index, shape(8))}, nil)
	match(t, a.Func().Apply(a), "loss[8]")
	if broken := violations(a); len(broken) != 1 || broken[0] != "double-softmax" {
		t.Errorf("cross entropy of probabilities breaks %v", broken)
	}
}

// violations returns the rules whose contracts the call breaks.
func violations(a Args) []string {
	var rules []string
	for _, c := range a.Func().Contracts {
		if _, bad := c.Violated(a); bad {
			rules = append(rules, c.Rule)
		}
	}
	return rules
}

func TestContracts(t *testing.T) {
	table := Load()
	cat := table.Class("torch.distributions.Categorical").New
	for _, tt := range []struct {
		name string
		f    *Func
		pos  []Operand
		kw   kwargs
		want string
	}{
		{"Categorical(raw)", cat, []Operand{v(domain.Raw)}, nil, "logits-as-probs"},
		{"Categorical(logits)", cat, []Operand{v(domain.Logits)}, nil, "logits-as-probs"},
		{"Categorical(log_probs)", cat, []Operand{v(domain.LogProb)}, nil, "logits-as-probs"},
		{"Categorical(probs)", cat, []Operand{v(domain.Prob)}, nil, ""},
		{"Categorical(probs or raw)", cat, []Operand{v(domain.Prob | domain.Raw)}, nil, ""},
		{"Categorical(unknown)", cat, []Operand{v(domain.UnknownKind)}, nil, ""},
		{"Categorical(relu(raw))", cat, []Operand{v(domain.Raw, nonNeg)}, nil, ""},
		{"Categorical(logits=probs)", cat, nil, kwargs{"logits": v(domain.Prob)}, "double-softmax"},
		{"Categorical(logits=log_probs)", cat, nil, kwargs{"logits": v(domain.LogProb)}, ""},
		{"multinomial(logits)", table.Func("torch.multinomial"), []Operand{v(domain.Logits), c(int64(1))}, nil, "multinomial-on-logits"},
		{"x.multinomial", table.Method("multinomial"), []Operand{v(domain.Raw), c(int64(1))}, nil, "multinomial-on-logits"},
		{"multinomial(relu(raw))", table.Func("torch.multinomial"), []Operand{v(domain.Raw, nonNeg), c(int64(1))}, nil, ""},
		{"multinomial(log_probs)", table.Func("torch.multinomial"), []Operand{v(domain.LogProb), c(int64(1))}, nil, "multinomial-on-log-probs"},
		{"np.random.choice(p=logits)", table.Func("numpy.random.choice"), []Operand{c(int64(4))}, kwargs{"p": v(domain.Logits)}, "multinomial-on-logits"},
		{"rng.choice(p=logits)", table.Class("numpy.random.default_rng").Method("choice"), []Operand{v(domain.Other), c(int64(4))}, kwargs{"p": v(domain.Logits)}, "multinomial-on-logits"},
		{"kl_div(probs, probs)", table.Func("torch.nn.functional.kl_div"), []Operand{v(domain.Prob), v(domain.Prob)}, nil, "f-kl-div-misuse"},
		{"kl_div(log_probs, probs)", table.Func("torch.nn.functional.kl_div"), []Operand{v(domain.LogProb), v(domain.Prob)}, nil, ""},
		{"kl_div(log_probs, log_probs)", table.Func("torch.nn.functional.kl_div"), []Operand{v(domain.LogProb), v(domain.LogProb)}, nil, "f-kl-div-misuse"},
		{"kl_div(.., log_target=True)", table.Func("torch.nn.functional.kl_div"), []Operand{v(domain.LogProb), v(domain.LogProb)}, kwargs{"log_target": c(true)}, ""},
		{"softmax(softmax)", table.Func("torch.softmax"), []Operand{v(domain.Prob)}, nil, "double-softmax"},
	} {
		if got := strings.Join(violations(tt.f.Bind(tt.pos, tt.kw)), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestBinding(t *testing.T) {
	table := Load()
	std := table.Func("torch.Tensor.std")
	a := std.Bind([]Operand{v(domain.Reward), c(false)}, nil)
	if o, ok := a.Get("unbiased"); !ok || o.Const != false {
		t.Error("x.std(False) is unbiased=False")
	}
	if _, ok := a.Get("dim"); ok {
		t.Error("x.std(False) has no dim")
	}
	a = std.Bind([]Operand{v(domain.Reward), c(int64(1))}, kwargs{"correction": c(int64(0)), "keepdims": c(true), "nonsense": c(int64(7))})
	for name, want := range map[string]any{"dim": int64(1), "correction": int64(0), "keepdim": true, "nonsense": int64(7)} {
		if o, ok := a.Get(name); !ok || o.Const != want {
			t.Errorf("%s is %v, want %v", name, o.Const, want)
		}
	}
	if m := table.Method("clamp_"); m == nil || !m.InPlace || !m.Receiver {
		t.Error("clamp_ rebinds its receiver")
	}
	if m := table.Method("clamp"); m == nil || m.InPlace || !m.Guards {
		t.Error("clamp is a guard and does not rebind")
	}
	if f := table.Func("torch.exp"); f.Receiver {
		t.Error("torch.exp has no receiver")
	}
	for _, name := range []string{"get", "update", "items", "append", "index", "add", "format", "log_softmaxx"} {
		if table.Method(name) != nil {
			t.Errorf("%s tells nothing of a tensor", name)
		}
	}
}

// All spellings of one operation are one row.
func TestAliases(t *testing.T) {
	for _, group := range [][]string{
		{"torch.softmax", "torch.nn.functional.softmax", "torch.Tensor.softmax"},
		{"torch.exp", "torch.Tensor.exp", "torch.Tensor.exp_", "numpy.exp"},
		{"torch.sub", "torch.subtract", "torch.Tensor.sub_", "numpy.subtract"},
		{"torch.clamp", "torch.clip", "numpy.clip", "torch.Tensor.clamp_"},
	} {
		for _, name := range group {
			f := Load().Func(name)
			if f == nil || f.Name != Load().Func(group[0]).Name {
				t.Errorf("%s is not %s", name, group[0])
			}
		}
	}
}

func TestBottomStaysBottom(t *testing.T) {
	f := Load().Operator("add")
	if got := f.Apply(f.Bind([]Operand{v(domain.Reward), {}}, nil)); !got.IsBottom() {
		t.Errorf("reward + nothing is %s", got)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"log_probs":           "log-prob ~name-only",
		"logprobs":            "log-prob",
		"old_log_probs":       "old log-prob",
		"log_probs_old":       "old log-prob",
		"mb_old_logprobs":     "old log-prob",
		"ref_per_token_logps": "reference log-prob",
		"newlogprob":          "",
		"new_log_prob":        "current log-prob",
		"ratio":               "ratio",
		"logratio":            "log-ratio",
		"log_ratio":           "log-ratio",
		"advantages":          "advantage",
		"b_advantages":        "advantage",
		"adv":                 "advantage",
		"returns":             "return",
		"rewards":             "reward",
		"rewards_t":           "reward",
		"rewardsBatch":        "reward",
		"next_values":         "value",
		"target_q_values":     "target q-value",
		"logits":              "logits",
		"logits_BA":           "logits",
		"LOGITS_BA":           "",
		"old_logp_BT":         "old log-prob",
		"logits_ABCDE":        "",
		"_BA":                 "",
		"action_std":          "std",
		"log_std":             "log-std",
		"attention_mask":      "mask",
		"policy_loss":         "loss",
		"vf_coef":             "coef",
		"num_generations":     "count",
		"completion_ids":      "tokens",
		"gamma":               "coef >=0 <=1",
		"dones":               "done",
		"obs":                 "observation",
		"reward_model":        "",
		"log_probs_fn":        "",
		"compression_ratio":   "",
		"prob_dist":           "",
		"value":               "",
		"x":                   "",
		"":                    "",
		"_":                   "",
		"é":                   "",
		"std_workers":         "",
	} {
		got, ok := Load().Name(name)
		if ok != (want != "") {
			t.Errorf("%q: %v %s, want %q", name, ok, got, want)
			continue
		}
		if ok {
			match(t, got, want)
			if got.Evidence != domain.NameOnly {
				t.Errorf("%q is no proof: %s", name, got.Evidence)
			}
		}
	}
}

// TestWeights reads names of settings: whether they weigh a KL, and whether that is sure.
func TestWeights(t *testing.T) {
	for name, want := range map[string][2]bool{
		"kl_coef": {true, false}, "init_kl_coef": {true, false}, "klWeight": {true, false}, "beta_kl": {true, false}, "beta": {true, true}, "BETA": {true, true},
		"beta1": {}, "betas": {}, "target_kl": {}, "kl_coef_horizon": {}, "use_kl_penalty": {}, "kl": {}, "entropy_coef": {}, "": {},
	} {
		if is, alone := Load().Weighs(name, domain.KL); is != want[0] || alone != want[1] {
			t.Errorf("%q: weighs %v, alone %v; want %v", name, is, alone, want)
		}
	}
	if is, _ := Load().Weighs("beta", domain.Entropy); is {
		t.Error("beta weighs an entropy")
	}
}

// TestOwners reads whose a thing is from its name alone.
func TestOwners(t *testing.T) {
	for name, want := range map[string]domain.Whose{"ref_model": domain.Reference, "reference": domain.Reference, "preference": 0, "old_policy": domain.Old, "model": 0} {
		if got := Load().Owner(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// TestWhatClassesAreFor reads what is known of trainers, models and settings beyond their values.
func TestWhatClassesAreFor(t *testing.T) {
	for _, tt := range []struct {
		class, loss string
		configures  Configured
		scores      domain.Kind
	}{
		{class: "trl.trainer.grpo_config.GRPOConfig", configures: Rollouts},
		{class: "vllm.SamplingParams", configures: Sampling},
		{class: "trl.DPOTrainer", loss: "get_batch_loss_metrics"},
		{class: "trl.GRPOTrainer", loss: "compute_loss"},
		{class: "transformers.Trainer", loss: "compute_loss"},
		{class: "pytorch_lightning.LightningModule", loss: "training_step"},
		{class: "transformers.AutoModelForCausalLM", scores: domain.TokenIDs},
		{class: "torch.nn.Linear"},
	} {
		c := Load().Class(tt.class)
		if c == nil {
			t.Errorf("%s is not known", tt.class)
		} else if c.LossMethod() != tt.loss || c.Configures != tt.configures || c.Scores != tt.scores {
			t.Errorf("%s: loss %q, configures %d, scores %v; want %+v", tt.class, c.LossMethod(), c.Configures, c.Scores, tt)
		}
	}
}

// TestAsksForLoss reads which methods of a trainer yield the loss: its own, and that of the trainer that it is made of.
func TestAsksForLoss(t *testing.T) {
	for _, tt := range []struct {
		class, method string
		want          bool
	}{
		{"trl.trainer.orpo_trainer.ORPOTrainer", "get_batch_loss_metrics", true},
		{"trl.trainer.orpo_trainer.ORPOTrainer", "compute_loss", true},
		{"trl.GRPOTrainer", "get_batch_loss_metrics", false},
		{"transformers.Trainer", "training_step", false},
		{"torch.nn.Linear", "", false},
	} {
		if got := Load().Class(tt.class).AsksForLoss(tt.method); got != tt.want {
			t.Errorf("%s asks %q for the loss: %v, want %v", tt.class, tt.method, got, tt.want)
		}
	}
}

func TestNumbersAsInPython(t *testing.T) {
	for _, tt := range []struct {
		got, want any
		equal     bool
	}{
		{int64(1), 1.0, true}, {true, int64(1), false}, {math.NaN(), math.NaN(), false}, {"mean", "mean", true}, {None{}, None{}, true},
		{[]int64{1}, int64(1), false},
	} {
		if equalConst(tt.got, tt.want) != tt.equal {
			t.Errorf("%v == %v is %v", tt.got, tt.want, !tt.equal)
		}
	}
}
