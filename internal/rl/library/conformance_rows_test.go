package library

import (
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// samplesOf returns the argument lists for a row under one name: written out
// below for that name or row, else made from the parameters.
func (l *lang) samplesOf(name string, f *Func) [][]sample {
	if own, ok := rowSamples[name]; ok {
		return own
	}
	if own, ok := rowSamples[f.Name]; ok {
		return own
	}
	if l.scalar {
		return scalarSamples(f)
	}
	return tensorSamples(f)
}

// tensorSamples makes arguments from the names of parameters: x and y over
// every kind that a guard mentions, axes, and constants.
func tensorSamples(f *Func) [][]sample {
	if len(f.Params) == 0 || f.Params[0] != "x" {
		return nil
	}
	var out [][]sample
	for _, k := range guardKinds(f, "x") {
		dom := domainOf(k)
		if strings.Contains(f.Name, "bitwise") {
			dom = "bool"
		}
		xs := []sample{ten("x", k, dom, false, 4, 3)}
		if dom != "int" && dom != "bool" {
			xs = append(xs, ten("x", k, dom, true, 4, 3))
		}
		for _, x := range xs {
			out = append(out, withRest(f, x)...)
		}
	}
	for _, dom := range []string{"positive", "negative", "away", "equal", "unit"} {
		if !strings.Contains(f.Name, "bitwise") {
			out = append(out, withRest(f, raw("x", dom, 4, 3))...)
		}
	}
	return out
}

// withRest adds the other parameters to x.
func withRest(f *Func, x sample) [][]sample {
	has := func(p string) bool { return (Args{f: f}).index(p) >= 0 }
	if has("y") {
		return pairs(f, x)
	}
	out := [][]sample{{x}}
	if has("dim") && needsDim[f.Name] {
		out = nil
	}
	if has("dim") {
		out = append(out, []sample{x, con("dim", int64(-1))}, []sample{x, con("dim", int64(0))})
	}
	if has("dim") && has("keepdim") {
		out = append(out, []sample{x, con("dim", int64(0)), con("keepdim", true)})
	}
	if has("unbiased") {
		out = append(out, []sample{x, con("unbiased", false)}, []sample{x, con("dim", int64(1)), con("unbiased", false), con("keepdim", true)})
	}
	if has("correction") {
		out = append(out, []sample{x, con("dim", int64(0)), con("correction", int64(0))})
	}
	return out
}

// needsDim are rows whose dim has no default.
var needsDim = map[string]bool{
	"torch.logsumexp": true, "torch.cumsum": true, "torch.cumprod": true, "torch.nn.functional.softmax": true,
	"torch.nn.functional.softmin": true, "torch.nn.functional.log_softmax": true, "torch.unsqueeze": true, "numpy.flip": true,
}

// pairs adds the second operand: of every guarded kind, of other shapes, and
// numbers.
func pairs(f *Func, x sample) [][]sample {
	var out [][]sample
	bits := strings.Contains(f.Name, "bitwise")
	for _, k := range guardKinds(f, "y") {
		dom := domainOf(k)
		if bits {
			dom = "bool"
		}
		out = append(out, []sample{x, ten("y", k, dom, false, 4, 3)})
	}
	for _, dom := range []string{"away", "positive", "signed"} {
		if !bits {
			out = append(out, []sample{x, raw("y", dom, 4, 1)}, []sample{x, raw("y", dom, 3)})
		}
	}
	if f.Name == "torch.matmul" || f.Name == "torch.logaddexp" {
		return out
	}
	for _, c := range []any{int64(1), int64(2), 0.5, -2.0} {
		if bits || strings.Contains(f.Name, "imum") || strings.Contains(f.Name, "logical") || f.Name == "torch.isclose" {
			break // tensors only
		}
		out = append(out, []sample{x, con("y", c)})
	}
	return out
}

// guardKinds returns the kinds that guards on p mention, and one that none does.
func guardKinds(f *Func, p string) []domain.Kind {
	out := []domain.Kind{domain.Observation}
	if strings.Contains(f.Name, "bitwise") {
		out = nil
	}
	for _, k := range allKinds() {
		if k.Is(domain.Distribution | domain.Optimizer | domain.Module | domain.Env | domain.Text | domain.Other) {
			continue
		}
		probe := Operand{V: domain.Of(k)}
		kw := map[string]Operand{p: probe}
		plain := map[string]Operand{p: {V: domain.Of(domain.Observation)}}
		if mentions(f, p) && f.Apply(call(f, kw)).Kind != f.Apply(call(f, plain)).Kind || strings.Contains(f.Name, "bitwise") && k.Is(domain.Mask|domain.Done) {
			out = append(out, k)
		}
	}
	return out
}

// mentions reports whether a guard reads the kind of p.
func mentions(f *Func, p string) bool {
	for _, t := range testedBy(f) {
		if t == p {
			return true
		}
	}
	return false
}

// scalarSamples are plain numbers, or lists for rows that take a collection.
func scalarSamples(f *Func) [][]sample {
	var out [][]sample
	for _, n := range []float64{-1000, -1, -0.5, 0, 0.5, 1, 2, 700} {
		s := con("x", n)
		s.op = Operand{V: domain.Of(domain.Number)}
		s.op.V.Range, s.op.V.Shape, s.op.V.Grad = domain.RangeOf(n), domain.MakeShape(), domain.Detached
		out = append(out, []sample{s})
	}
	return out
}

// numberList is a list of numbers as Python's statistics take it.
func numberList(dom, code string) sample {
	o := Operand{V: domain.Of(domain.Reward)}
	o.V.Range, o.V.Shape, o.V.Grad = domainRanges[dom], mkShape(4), domain.Detached
	return sample{param: "x", op: o, scalar: code}
}

func lists() [][]sample {
	return [][]sample{
		{numberList("signed", "[-1.0, 0.5, 2.0, 1.0]")}, {numberList("positive", "[0.0, 0.5, 2.0, 1.0]")}, {numberList("equal", "[2.0, 2.0, 2.0, 2.0]")},
	}
}

// x is the usual first argument.
func x(grad bool) sample { return ten("x", domain.Reward, "signed", grad, 4, 3) }

// both returns argument lists with x detached and attached.
func both(rest ...[]sample) [][]sample {
	var out [][]sample
	for _, r := range rest {
		for _, g := range []bool{false, true} {
			out = append(out, append([]sample{x(g)}, r...))
		}
	}
	return out
}

// args is one argument list.
func args(s ...sample) []sample { return s }

func target(sizes ...int) sample { return raw("target", "int", sizes...) }

// losses are argument lists for a loss of two like tensors in some domain.
func losses(dom string) [][]sample {
	in := func(g bool) sample { return ten("input", domain.UnknownKind, dom, g, 4, 3) }
	out := raw("target", dom, 4, 3)
	var list [][]sample
	for _, g := range []bool{false, true} {
		list = append(list, args(in(g), out), args(in(g), out, con("reduction", "none")), args(in(g), out, con("reduction", "sum")))
	}
	return append(list, args(raw("input", "equal", 4, 3), raw("target", "equal", 4, 3)))
}

// rowSamples are the arguments of rows, or of one name of a row, that their
// parameters' names do not tell.
var rowSamples = map[string][][]sample{
	"torch.clamp":                          both(args(con("lo", -0.5), con("hi", 2.0)), args(con("lo", 1e-6), con("hi", 2.0)), args(con("lo", 0.0), con("hi", 1.0))),
	"torch.clamp_min":                      both(args(con("lo", 1e-6)), args(con("lo", 0.0))),
	"torch.clamp_max":                      both(args(con("hi", 0.5)), args(con("hi", 0.0))),
	"torch.where":                          {args(raw("cond", "bool", 4, 3), x(true), raw("y", "away", 4, 3)), args(raw("cond", "bool", 4, 3), x(false), con("y", 1.0)), args(raw("cond", "bool", 4, 1), raw("x", "positive", 4, 3), raw("y", "away", 4, 3))},
	"torch.Tensor.where":                   both(args(raw("cond", "bool", 4, 3), raw("y", "away", 4, 3))),
	"torch.masked_fill":                    both(args(raw("mask", "bool", 4, 3), con("value", 0.0)), args(raw("mask", "bool", 4, 1), con("value", -1e9))),
	"torch.masked_select":                  both(args(raw("mask", "bool", 4, 3))),
	"torch.nan_to_num":                     append(both(nil, args(con("nan", 1.0))), args(raw("x", "positive", 4, 3)), args(raw("x", "positive", 4, 3), con("nan", 0.5))),
	"torch.nn.functional.normalize":        both(nil),
	"torch.norm":                           append(both(nil, args(con("p", int64(2)), con("dim", int64(1)), con("keepdim", true)), args(con("p", int64(2)), con("dim", int64(-1)))), args(raw("x", "zero", 4, 3))),
	"numpy.linalg.norm":                    append(both(nil, args(con("ord", int64(2)), con("dim", int64(1)), con("keepdim", true))), args(raw("x", "zero", 4, 3))),
	"torch.nn.functional.dropout":          both(nil),
	"torch.dropout":                        both(args(con("p", 0.5), con("training", true))),
	"torch.nn.functional.layer_norm":       both(args(text("", "[3]"))),
	"torch.nn.functional.batch_norm":       both(args(text("", "None"), text("", "None"), text("", "None"), text("", "None"), text("", "True"))),
	"torch.nn.functional.group_norm":       both(args(text("", "1"))),
	"torch.nn.functional.instance_norm":    {args(raw("x", "signed", 2, 3, 4))},
	"torch.nn.functional.linear":           {args(x(false), ten("weight", domain.UnknownKind, "signed", true, 5, 3)), args(x(false), raw("weight", "signed", 5, 3)), args(x(false), raw("weight", "signed", 5, 3), ten("bias", domain.UnknownKind, "signed", true, 5))},
	"torch.nn.functional.embedding":        {args(raw("x", "int", 4, 3), ten("weight", domain.UnknownKind, "signed", true, 5, 2))},
	"torch.nn.functional.elu":              both(nil),
	"torch.mean":                           append(append(both(nil, args(con("dim", int64(1)), con("keepdim", true)), args(con("dim", int64(-1)))), args(raw("x", "away", 4, 3)), args(raw("x", "negative", 4, 3), con("dim", int64(0)))), args(raw("x", "signed", 9))),
	"torch.quantile":                       both(args(con("q", 0.5))),
	"numpy.percentile":                     both(args(con("q", 50.0))),
	"numpy.quantile":                       both(args(con("q", 0.5))),
	"torch.topk":                           both(args(con("k", int64(2)))),
	"torch.Tensor.view":                    both(args(con("*size", int64(2)), con("", int64(-1))), args(con("*size", []int64{6, 2}))),
	"torch.reshape":                        both(args(con("*shape", []int64{2, -1}))),
	"torch.Tensor.reshape":                 both(args(con("*shape", []int64{2, -1})), args(con("*shape", int64(3)), con("", int64(4)))),
	"torch.Tensor.expand_as":               both(args(raw("y", "signed", 4, 3))),
	"torch.Tensor.view_as":                 both(args(raw("y", "signed", 4, 3))),
	"torch.flatten":                        both(nil),
	"torch.unflatten":                      both(args(con("dim", int64(0)), con("sizes", []int64{-1, 2}))),
	"torch.Tensor.flatten":                 both(nil, args(con("start_dim", int64(1))), args(con("start_dim", int64(0)), con("end_dim", int64(1)))),
	"torch.squeeze":                        {args(raw("x", "signed", 4, 1)), args(raw("x", "signed", 4, 1), con("dim", int64(1))), args(raw("x", "signed", 1, 3), con("dim", int64(0)))},
	"torch.unsqueeze":                      both(args(con("dim", int64(1))), args(con("dim", int64(-1)))),
	"torch.transpose":                      both(args(con("dim0", int64(0)), con("dim1", int64(1)))),
	"torch.permute":                        both(args(con("*dims", []int64{1, 0}))),
	"torch.Tensor.permute":                 both(args(con("*dims", []int64{1, 0})), args(con("*dims", int64(1)), con("", int64(0)))),
	"torch.movedim":                        both(args(con("source", int64(0)), con("destination", int64(1)))),
	"torch.Tensor.expand":                  {args(raw("x", "signed", 4, 1), con("*size", int64(4)), con("", int64(5))), args(raw("x", "signed", 4, 1), con("*size", int64(-1)), con("", int64(5)))},
	"torch.Tensor.repeat":                  both(args(con("*size", int64(2)), con("", int64(3)))),
	"torch.tile":                           both(args(con("*size", []int64{2, 3}))),
	"torch.repeat_interleave":              both(args(con("repeats", int64(2)), con("dim", int64(0))), args(con("repeats", int64(3)), con("dim", int64(-1))), args(con("repeats", int64(2)))),
	"torch.broadcast_to":                   {args(raw("x", "signed", 4, 1), con("*size", []int64{4, 5}))},
	"torch.cat":                            {args(listOf("tensors", x(true), x(false))), args(listOf("tensors", x(false), raw("", "away", 4, 3)), con("dim", int64(1)))},
	"torch.vstack":                         {args(listOf("tensors", x(true), x(false))), args(listOf("tensors", x(false), x(false)))},
	"torch.hstack":                         {args(listOf("tensors", x(true), x(false))), args(listOf("tensors", x(false), x(false)))},
	"torch.stack":                          {args(listOf("tensors", x(true), x(false))), args(listOf("tensors", x(false), x(false)), con("dim", int64(1)))},
	"torch.nn.utils.rnn.pad_sequence":      {args(listOf("tensors", x(true), x(false)))},
	"torch.gather":                         both(args(con("dim", int64(1)), raw("index", "int", 4, 2))),
	"torch.take_along_dim":                 both(args(raw("index", "int", 4, 2), con("dim", int64(1)))),
	"torch.index_select":                   both(args(con("dim", int64(0)), raw("index", "int", 3))),
	"torch.take":                           both(args(raw("index", "int", 2, 2))),
	"torch.narrow":                         both(args(con("dim", int64(0)), con("start", int64(0)), con("length", int64(2)))),
	"torch.select":                         both(args(con("dim", int64(0)), con("index", int64(0)))),
	"torch.flip":                           both(args(con("*dims", []int64{0}))),
	"torch.roll":                           both(args(con("shifts", int64(1)), con("", int64(0)))),
	"torch.nn.functional.pad":              both(args(text("pad", "(1, 1)"))),
	"torch.nn.functional.one_hot":          {args(raw("x", "int", 4), con("num_classes", int64(5)))},
	"torch.Tensor.to":                      both(args(text("", "torch.float64"))),
	"torch.Tensor.type_as":                 both(args(text("", "torch.zeros(1)"))),
	"torch.clone":                          both(nil),
	"numpy.ndarray.astype":                 both(args(text("", "float"))),
	"torch.Tensor.requires_grad_":          both(nil, args(con("requires_grad", true))),
	"torch.Tensor.__getitem__":             both(args(con("index", int64(0))), args(con("index", None{}))),
	"torch.Tensor.numpy":                   {args(x(false))},
	"torch.Tensor.item":                    {args(raw("x", "signed")), args(raw("x", "away", 1))},
	"torch.Tensor.copy_":                   {args(x(false), raw("src", "positive", 4, 3)), args(x(false), ten("src", domain.Prob, "prob", true, 4, 3))},
	"torch.Tensor.fill_":                   {args(x(false), con("value", 2.0))},
	"torch.Tensor.size":                    {args(x(false), con("dim", int64(0)))},
	"torch.zeros":                          {args(con("*size", int64(2)), con("", int64(3))), args(con("*size", []int64{2, 3})), args(con("*size", int64(2)), con("requires_grad", true))},
	"torch.ones":                           {args(con("*size", int64(2)), con("", int64(3)))},
	"torch.ones_like":                      {args(x(false)), args(x(false), con("requires_grad", true))},
	"numpy.zeros":                          {args(con("shape", []int64{2, 3})), args(con("shape", int64(4))), args(con("shape", []int64{2, 3}), text("", "numpy.float32"))},
	"torch.full":                           {args(con("size", []int64{2, 3}), con("fill_value", 2.0))},
	"numpy.full":                           {args(con("size", []int64{2, 3}), con("fill_value", 2.0))},
	"torch.full_like":                      {args(x(false), con("fill_value", 2.0))},
	"torch.zeros_like":                     {args(x(false)), args(x(true)), args(x(false), con("requires_grad", true))},
	"torch.BoolTensor":                     {args(listOf("data", con("", 1.0), con("", 0.0)))},
	"torch.FloatTensor":                    {args(listOf("data", con("", 1.0), con("", 2.0), con("", 3.0))), args(con("data", int64(2)), con("", int64(3)))},
	"torch.tensor":                         {args(listOf("data", con("", 1.0), con("", 2.0), con("", 3.0))), args(listOf("data", con("", 0.0), con("", -2.0)))},
	"torch.as_tensor":                      {args(listOf("data", con("", 1.0), con("", 2.0))), args(ten("data", domain.Prob, "prob", true, 4, 3))},
	"torch.autograd.Variable":              {args(ten("data", domain.Prob, "prob", true, 4, 3)), args(raw("data", "signed", 4, 3), con("requires_grad", true))},
	"torch.from_numpy":                     {args(sample{param: "data", op: x(false).op, tensor: x(false).array})},
	"numpy.array":                          {args(listOf("data", con("", 1.0), con("", 2.0))), args(raw("data", "positive", 4, 3))},
	"numpy.float32":                        {args(con("data", 2.0)), args(raw("data", "positive", 4, 3))},
	"numpy.float64":                        {args(con("data", 2.0)), args(raw("data", "positive", 4, 3))},
	"torch.arange":                         {args(con("*bounds", int64(4)))},
	"numpy.arange":                         {args(con("*bounds", int64(4)))},
	"torch.linspace":                       {args(con("start", 0.0), con("end", 1.0), con("steps", int64(5)))},
	"numpy.linspace":                       {args(con("start", 0.0), con("stop", 1.0), con("num", int64(5)))},
	"torch.eye":                            {args(con("n", int64(4)))},
	"torch.nn.Parameter":                   {args(raw("data", "signed", 4, 3)), args(raw("data", "signed", 4, 3), con("requires_grad", false))},
	"torch.rand":                           {args(con("*size", int64(4)), con("", int64(3)))},
	"torch.randn":                          {args(con("*size", int64(4)), con("", int64(3))), args(con("*size", []int64{4}), con("requires_grad", true))},
	"torch.rand_like":                      {args(x(false)), args(x(true))},
	"torch.randn_like":                     {args(x(false)), args(x(true))},
	"torch.normal":                         {args(raw("mean", "signed", 4, 3), raw("std", "positive", 4, 3)), args(con("mean", 0.0), con("std", 1.0), con("size", []int64{4, 3}))},
	"torch.randint":                        {args(con("low", int64(0)), con("high", int64(5)), text("size", "(4,)")), args(con("", int64(5)), text("", "(4,)"))},
	"torch.randperm":                       {args(con("n", int64(5)))},
	"torch.bernoulli":                      {args(raw("x", "unit", 4, 3)), args(ten("x", domain.Prob, "prob", true, 4, 3))},
	"torch.multinomial":                    {args(raw("x", "away", 4, 3), con("num_samples", int64(2))), args(ten("x", domain.Prob, "away", true, 4, 3), con("num_samples", int64(1)))},
	"torch.nn.functional.cross_entropy":    {args(ten("input", domain.Logits, "signed", true, 4, 3), target(4)), args(raw("input", "signed", 4, 3), target(4), con("reduction", "none"))},
	"torch.nn.functional.nll_loss":         {args(ten("input", domain.LogProb, "negative", true, 4, 3), target(4)), args(raw("input", "negative", 4, 3), target(4), con("reduction", "none"))},
	"torch.nn.functional.mse_loss":         losses("signed"),
	"torch.nn.functional.smooth_l1_loss":   losses("signed"),
	"torch.nn.functional.huber_loss":       losses("signed"),
	"torch.nn.functional.poisson_nll_loss": losses("signed"),
	"torch.nn.functional.gaussian_nll_loss": {
		args(ten("input", domain.UnknownKind, "signed", true, 4, 3), raw("target", "signed", 4, 3), raw("var", "unit", 4, 3)),
		args(raw("input", "signed", 4, 3), raw("target", "signed", 4, 3), raw("var", "unit", 4, 3), con("reduction", "none")),
	},
	"torch.nn.functional.binary_cross_entropy":             losses("unit")[:6],
	"torch.nn.functional.binary_cross_entropy_with_logits": losses("unit")[:6],
	"torch.nn.functional.cosine_similarity":                {args(raw("x1", "positive", 4, 3), raw("x2", "negative", 4, 3)), args(raw("x1", "away", 4, 3), raw("x2", "away", 4, 3), con("dim", int64(-1)))},
	"torch.nn.functional.kl_div":                           {args(ten("input", domain.LogProb, "negative", true, 4, 3), raw("target", "prob", 4, 3)), args(raw("input", "negative", 4, 3), raw("target", "prob", 4, 3), con("reduction", "none")), args(raw("input", "negative", 4, 3), raw("target", "negative", 4, 3), con("reduction", "batchmean"), con("log_target", true))},
	"torch.nn.utils.clip_grad_norm_":                       {args(text("parameters", "[torch.nn.Parameter(T('signed', [3]))]"), con("max_norm", 1.0))},
	"torch.nn.utils.clip_grad_value_":                      {args(text("parameters", "[torch.nn.Parameter(T('signed', [3]))]"), con("clip_value", 1.0))},
	"torch.einsum":                                         {args(con("equation", "ij->i"), sample{op: x(true).op, tensor: x(true).tensor})},
	"torch.nn.functional.softplus":                         both(nil, args(con("beta", 2.0))),
	"torch.nn.functional.gumbel_softmax":                   both(args(con("", 1.0))),
	"torch.matmul":                                         {args(x(true), raw("y", "signed", 3, 2)), args(x(false), raw("y", "signed", 3, 2))},
	"torch.bmm":                                            {args(raw("x", "signed", 2, 4, 3), raw("y", "signed", 2, 3, 5))},
	"torch.Tensor.bmm":                                     {args(raw("x", "signed", 2, 4, 3), raw("y", "signed", 2, 3, 5))},
	"torch.dot":                                            {args(raw("x", "signed", 3), raw("y", "signed", 3))},
	"torch.Tensor.dot":                                     {args(raw("x", "signed", 3), raw("y", "signed", 3))},
	"operator.not_":                                        {args(raw("x", "signed")), args(raw("x", "away", 1))},
	"numpy.transpose":                                      both(nil),
	"numpy.random.choice":                                  {args(con("a", int64(4)), con("size", int64(3)))},
	"numpy.random.multinomial":                             {args(con("n", int64(4)), text("pvals", "[0.5, 0.5]"))},
	"numpy.random.normal":                                  {args(con("loc", 0.0), con("scale", 1.0), con("size", int64(4))), nil},
	"numpy.random.randn":                                   {args(con("*size", int64(4)), con("", int64(3)))},
	"numpy.random.standard_normal":                         {args(con("*size", int64(4)))},
	"numpy.random.rand":                                    {args(con("*size", int64(4)), con("", int64(3)))},
	"numpy.random.random":                                  {args(con("size", int64(4))), nil},
	"random.random":                                        {nil},
	"numpy.random.uniform":                                 {args(con("low", 0.0), con("high", 1.0), con("size", int64(4))), nil},
	"random.uniform":                                       {args(con("low", -1.0), con("high", 1.0))},
	"numpy.random.randint":                                 {args(con("low", int64(0)), con("high", int64(5))), args(con("low", int64(0)), con("high", int64(5)), con("size", int64(3)))},
	"random.randint":                                       {args(con("*bounds", int64(0)), con("", int64(5)))},
	"numpy.random.permutation":                             {args(con("x", int64(5)))},
	"random.randrange":                                     {args(con("*bounds", int64(5)))},
	"random.choices":                                       {args(text("population", "[1, 2, 3]"))},
	"builtins.len":                                         lists(),
	"builtins.sum":                                         lists(),
	"builtins.max":                                         lists(),
	"builtins.min":                                         lists(),
	"statistics.mean":                                      lists(),
	"statistics.stdev":                                     lists(),
	"statistics.variance":                                  lists(),
	"statistics.median":                                    lists(),
	"math.pow":                                             {args(scalar("x", 2), con("y", int64(2))), args(scalar("x", 0.5), con("y", 0.5))},
	"math.isnan":                                           scalarSamples(nil),
	"math.isinf":                                           scalarSamples(nil),
	"math.isfinite":                                        scalarSamples(nil),
	"math.fabs":                                            scalarSamples(nil),
	"builtins.round":                                       scalarSamples(nil),
	"builtins.abs":                                         both(nil),
}

// scalar is a number of which only the range is known.
func scalar(param string, n float64) sample {
	s := con(param, n)
	s.op.Const = nil
	return s
}

// noSample are names that are not called, with the reason.
var noSample = map[string]string{
	"torch.Tensor.cuda":                    "needs a device",
	"torch.Tensor.pin_memory":              "needs a device",
	"torch.Tensor.share_memory_":           "changes how memory is shared, not values",
	"torch.Tensor.backward":                "returns nothing",
	"torch.distributions.kl_divergence":    "checked with the distributions",
	"torch.distributions.kl.kl_divergence": "checked with the distributions",
	"operator.and_":                        "checked as torch.bitwise_and",
	"operator.or_":                         "checked as torch.bitwise_or",
	"operator.xor":                         "checked as torch.bitwise_xor",
}

// noObject are classes without a sample, with the reason.
var noObject = map[string]string{
	"torch.nn.Module":                             "abstract",
	"torch.nn.Sequential":                         "the interpreter calls its layers",
	"torch.nn.ModuleList":                         "a container",
	"torch.nn.ModuleDict":                         "a container",
	"torch.nn.LazyLinear":                         "as Linear, once it is initialised",
	"torch.nn.TransformerEncoder":                 "takes other layers; the shape rule is that of its layers",
	"torch.optim.Optimizer":                       "abstract",
	"torch.optim.lr_scheduler.LambdaLR":           "takes an optimizer; yields coefficients only",
	"torch.distributions.Distribution":            "abstract",
	"torch.distributions.TransformedDistribution": "takes transforms; nothing is claimed of its values beyond the base class",
	"torch.distributions.MixtureSameFamily":       "takes distributions; nothing is claimed of its values beyond the base class",
	"numpy.random.Generator":                      "built by default_rng",
}

// in is a detached input of a layer.
func in(sizes ...int) []sample { return args(ten("", domain.Observation, "signed", false, sizes...)) }

// objectSamples are instances of classes and what is done with them.
var objectSamples = []objectSample{
	{class: "torch.nn.Linear", ctor: args(con("", int64(3)), con("", int64(5))), call: in(4, 3)},
	{class: "torch.nn.Bilinear", ctor: args(con("", int64(3)), con("", int64(3)), con("", int64(5))), call: append(in(4, 3), in(4, 3)...)},
	{class: "torch.nn.Embedding", ctor: args(con("", int64(10)), con("", int64(5))), call: args(raw("", "int", 4, 3))},
	{class: "torch.nn.Conv2d", ctor: args(con("", int64(3)), con("", int64(5)), con("", int64(2))), call: in(2, 3, 4, 4)},
	{class: "torch.nn.LSTM", ctor: args(con("", int64(3)), con("", int64(5))), call: in(2, 4, 3)},
	{class: "torch.nn.GRU", ctor: args(con("", int64(3)), con("", int64(5))), call: in(2, 4, 3)},
	{class: "torch.nn.GRUCell", ctor: args(con("", int64(3)), con("", int64(5))), call: in(4, 3)},
	{class: "torch.nn.LSTMCell", ctor: args(con("", int64(3)), con("", int64(5))), call: in(4, 3)},
	{class: "torch.nn.LayerNorm", ctor: args(con("", int64(3))), call: in(4, 3)},
	{class: "torch.nn.BatchNorm1d", ctor: args(con("", int64(3))), call: in(4, 3)},
	{class: "torch.nn.Softmax", ctor: args(con("dim", int64(-1))), call: in(4, 3)},
	{class: "torch.nn.LogSoftmax", ctor: args(con("dim", int64(-1))), call: in(4, 3)},
	{class: "torch.nn.Softmin", ctor: args(con("dim", int64(-1))), call: in(4, 3)},
	{class: "torch.nn.Sigmoid", call: in(4, 3)},
	{class: "torch.nn.LogSigmoid", call: in(4, 3)},
	{class: "torch.nn.Tanh", call: in(4, 3)},
	{class: "torch.nn.ReLU", call: in(4, 3)},
	{class: "torch.nn.ReLU6", call: in(4, 3)},
	{class: "torch.nn.Softplus", call: in(4, 3)},
	{class: "torch.nn.Softsign", call: in(4, 3)},
	{class: "torch.nn.Hardsigmoid", call: in(4, 3)},
	{class: "torch.nn.ELU", call: in(4, 3)},
	{class: "torch.nn.GELU", call: in(4, 3)},
	{class: "torch.nn.LeakyReLU", call: in(4, 3)},
	{class: "torch.nn.Dropout", call: in(4, 3)},
	{class: "torch.nn.Identity", call: in(4, 3)},
	{class: "torch.nn.Flatten", call: in(4, 3, 2)},
	{class: "torch.nn.Flatten", ctor: args(con("start_dim", int64(0))), call: in(4, 3)},
	{class: "torch.nn.Unflatten", ctor: args(con("", int64(1)), text("", "(3, 1)")), call: in(4, 3)},
	{class: "torch.nn.CrossEntropyLoss", ctor: args(con("reduction", "none")), call: args(raw("", "signed", 4, 3), raw("", "int", 4))},
	{class: "torch.nn.NLLLoss", call: args(raw("", "negative", 4, 3), raw("", "int", 4))},
	{class: "torch.nn.MSELoss", call: append(in(4, 3), in(4, 3)...)},
	{class: "torch.nn.SmoothL1Loss", call: append(in(4, 3), in(4, 3)...)},
	{class: "torch.nn.PoissonNLLLoss", call: append(in(4, 3), in(4, 3)...)},
	{class: "torch.nn.GaussianNLLLoss", call: append(append(in(4, 3), in(4, 3)...), raw("var", "unit", 4, 3))},
	{class: "torch.nn.HuberLoss", ctor: args(con("reduction", "none")), call: append(in(4, 3), in(4, 3)...)},
	{class: "torch.nn.BCELoss", call: args(raw("", "unit", 4, 3), raw("", "unit", 4, 3))},
	{class: "torch.nn.BCEWithLogitsLoss", call: args(raw("", "signed", 4, 3), raw("", "unit", 4, 3))},
	{class: "torch.nn.KLDivLoss", call: args(raw("", "negative", 4, 3), raw("", "prob", 4, 3))},
	{class: "torch.optim.Adam", ctor: params, methods: optimizerMethods},
	{class: "torch.optim.AdamW", ctor: params, methods: optimizerMethods},
	{class: "torch.optim.SGD", ctor: append(args(params...), con("", 0.1)), methods: optimizerMethods},
	{class: "torch.optim.RMSprop", ctor: params, methods: optimizerMethods},
	{class: "torch.optim.Adagrad", ctor: params, methods: optimizerMethods},
	{class: "torch.optim.Adadelta", ctor: params, methods: optimizerMethods},
	{
		class: "torch.distributions.Categorical", ctor: args(ten("logits", domain.Logits, "signed", true, 4, 3)),
		methods: map[string][]sample{"log_prob": args(raw("", "int", 4)), "entropy": nil, "sample": nil}, attrs: []string{"probs", "logits"},
	},
	{
		class: "torch.distributions.Categorical", ctor: args(ten("probs", domain.Prob, "away", false, 4, 3)),
		methods: map[string][]sample{"log_prob": args(raw("", "int", 2, 4)), "entropy": nil, "sample": args(con("", []int64{2}))}, attrs: []string{"probs"},
	},
	{
		class: "torch.distributions.OneHotCategorical", ctor: args(ten("logits", domain.Logits, "signed", true, 4, 3)),
		methods: map[string][]sample{"entropy": nil, "sample": nil}, attrs: []string{"probs"},
	},
	{
		class: "torch.distributions.Bernoulli", ctor: args(ten("logits", domain.Logits, "signed", true, 4, 3)),
		methods: map[string][]sample{"log_prob": args(raw("", "binary", 4, 3)), "entropy": nil, "sample": nil}, attrs: []string{"probs", "logits", "mean", "variance"},
	},
	{
		class: "torch.distributions.Multinomial", ctor: args(con("total_count", int64(3)), ten("logits", domain.Logits, "signed", true, 4, 3)),
		methods: map[string][]sample{"sample": nil},
	},
	{
		class: "torch.distributions.Normal", ctor: args(ten("", domain.Mean, "signed", true, 4, 3), ten("", domain.Std, "away", false, 3)),
		methods: map[string][]sample{"log_prob": args(raw("", "signed", 4, 3)), "entropy": nil, "sample": nil, "rsample": nil, "cdf": args(raw("", "signed", 4, 3))},
		attrs:   []string{"loc", "scale", "mean", "stddev", "variance", "mode"},
	},
	{
		class: "torch.distributions.Normal", ctor: args(ten("", domain.Mean, "signed", false, 4, 3), ten("", domain.Std, "away", true, 4, 3)),
		methods: map[string][]sample{"entropy": nil}, attrs: []string{"loc", "scale", "mean", "stddev", "variance"},
	},
	{
		class: "torch.distributions.Laplace", ctor: args(ten("", domain.Mean, "signed", true, 4, 3), con("", 1.0)),
		methods: map[string][]sample{"log_prob": args(raw("", "signed", 4, 3)), "rsample": nil},
	},
	{
		class: "torch.distributions.Beta", ctor: args(raw("", "away", 4, 3), ten("", domain.UnknownKind, "away", true, 4, 3)),
		methods: map[string][]sample{"log_prob": args(text("", "torch.tensor(0.5)")), "sample": nil, "entropy": nil},
	},
	{
		class: "torch.distributions.Uniform", ctor: args(con("", 0.0), ten("", domain.UnknownKind, "away", true, 4, 3)),
		methods: map[string][]sample{"log_prob": args(text("", "torch.tensor(0.0)")), "rsample": nil},
	},
	{
		class: "torch.distributions.MultivariateNormal", ctor: args(ten("", domain.Mean, "signed", true, 3), text("covariance_matrix", "torch.eye(3)")),
		methods: map[string][]sample{"log_prob": args(raw("", "signed", 4, 3)), "rsample": nil, "entropy": nil},
	},
	{
		class: "torch.distributions.Dirichlet", ctor: args(ten("", domain.UnknownKind, "away", true, 4, 3)),
		methods: map[string][]sample{"entropy": nil, "sample": nil},
	},
	{
		class: "torch.distributions.Independent", ctor: args(normalSample(), con("", int64(1))),
		methods: map[string][]sample{"log_prob": args(raw("", "signed", 4, 3)), "entropy": nil, "rsample": nil, "sample": nil},
	},
}

var params = args(text("", "[torch.nn.Parameter(T('signed', [3]))]"))

var optimizerMethods = map[string][]sample{"step": nil, "zero_grad": nil}

// normalSample is Normal(mean, std) over (4, 3), with gradient.
func normalSample() sample {
	c := Load().Class("torch.distributions.Normal")
	mean, std := ten("", domain.Mean, "signed", true, 4, 3), ten("", domain.Std, "away", false, 4, 3)
	v := c.New.Apply(c.New.Bind([]Operand{mean.op, std.op}, nil))
	return sample{op: Operand{V: v}, tensor: "torch.distributions.Normal(" + mean.tensor + ", " + std.tensor + ")"}
}
