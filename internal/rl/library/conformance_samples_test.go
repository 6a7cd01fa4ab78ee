package library

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// sample is one argument: what the tables are told of it and how Python makes
// it.
type sample struct {
	param  string // "" for one more positional argument
	op     Operand
	tensor string // Python text as a tensor
	array  string // as a numpy array
	scalar string // as a plain number, or list
}

// domains of sample numbers, as in the script, and their ranges.
var domainRanges = map[string]domain.Range{
	"signed": domain.AnyRange, "prob": domain.Between(domain.Zero, domain.One), "unit": domain.Between(domain.Zero, domain.One),
	"binary": domain.Between(domain.Zero, domain.One), "bool": domain.Between(domain.Zero, domain.One),
	"positive": domain.Between(domain.Zero, domain.PosInf), "away": domain.Between(domain.Zero, domain.PosInf).AwayFromZero(),
	"int": domain.Between(domain.Zero, domain.PosInf), "negative": domain.Between(domain.NegInf, domain.Zero), "equal": domain.RangeOf(2), "zero": domain.RangeOf(0),
}

// domainOf returns the numbers that a quantity may have.
func domainOf(k domain.Kind) string {
	switch {
	case k.Is(domain.Prob):
		return "prob"
	case k.Is(domain.Mask | domain.Done | domain.Terminated | domain.Truncated):
		return "binary"
	case k.Is(domain.Index | domain.TokenIDs):
		return "int"
	case k.Is(domain.Ratio | domain.Std | domain.Variance | domain.Norm | domain.Count):
		return "positive"
	}
	return "signed"
}

// ten is a tensor argument of some kind, domain and shape.
func ten(param string, k domain.Kind, dom string, grad bool, sizes ...int) sample {
	o := Operand{V: domain.Of(k)}
	o.V.Shape, o.V.Range, o.V.Grad, o.V.Reduced = mkShape(sizes...), domainRanges[dom], domain.Detached, domain.AnyReduced
	flag := "False"
	if grad {
		o.V.Grad, flag = domain.Attached, "True"
	}
	shape := strings.ReplaceAll(fmt.Sprint(sizes), " ", ", ")
	return sample{
		param: param, op: o, tensor: fmt.Sprintf("T(%q, %s, %s)", dom, shape, flag),
		array: fmt.Sprintf("A(%q, %s)", dom, shape),
	}
}

// raw is a detached tensor of no particular kind.
func raw(param, dom string, sizes ...int) sample {
	return ten(param, domain.UnknownKind, dom, false, sizes...)
}

// con is a constant argument.
func con(param string, value any) sample {
	text := fmt.Sprint(value)
	switch value := value.(type) {
	case string:
		text = fmt.Sprintf("%q", value)
	case bool:
		text = map[bool]string{true: "True", false: "False"}[value]
	case None:
		text = "None"
	case []int64:
		text = strings.NewReplacer(" ", ", ", "[", "[", "]", "]").Replace(text)
	}
	return sample{param: param, op: ConstOperand(value), tensor: text, array: text, scalar: text}
}

// text is an argument of which nothing is known.
func text(param, code string) sample {
	return sample{param: param, op: Operand{V: domain.Unknown}, tensor: code, array: code, scalar: code}
}

// listOf is a list of arguments.
func listOf(param string, list ...sample) sample {
	s := sample{param: param}
	var tensors, arrays []string
	for _, e := range list {
		s.op.Elems = append(s.op.Elems, e.op)
		tensors, arrays = append(tensors, e.tensor), append(arrays, e.array)
	}
	s.tensor, s.array = "["+strings.Join(tensors, ", ")+"]", "["+strings.Join(arrays, ", ")+"]"
	return s
}

// libraryNames are names that libraries give to parameters of the tables, in
// addition to the synonyms that Bind knows.
var libraryNames = map[string][]string{
	"x": {"x1", "ary", "v", "m", "number", "iterable", "data", "base", "value", "logits", "obj"}, "y": {"x2", "exp", "exponent", "b"},
	"size": {"shape"}, "decimals": {"ndigits"}, "dim": {"dims"}, "index": {"indices", "key"}, "data": {"x"}, "p": {"ord"},
	"tensors": {"sequences", "tup"}, "dim0": {"axis1"}, "dim1": {"axis2"}, "shifts": {"shift"}, "diagonal": {"k"},
	"low": {"a"}, "high": {"b"},
}

// lang is how one library is called.
type lang struct {
	text     func(s sample) string
	grad     bool              // gradients exist
	keywords map[string]string // what a parameter is called
	scalar   bool
}

var (
	torchLang = &lang{
		text: func(s sample) string { return s.tensor }, grad: true,
		keywords: map[string]string{"lo": "min", "hi": "max"},
	}
	numpyLang = &lang{
		text:     func(s sample) string { return s.array },
		keywords: map[string]string{"dim": "axis", "keepdim": "keepdims", "correction": "ddof", "lo": "a_min", "hi": "a_max"},
	}
	scalarLang = &lang{text: func(s sample) string { return s.scalar }, scalar: true}
)

// library returns how the library of a name is called; nil for libraries that
// the conformance run does not cover.
func library(name string) *lang {
	root, _, _ := strings.Cut(name, ".")
	switch {
	case name == "builtins.abs" || name == "builtins.pow" || root == "torch" || root == "operator" || root == "copy":
		return torchLang
	case root == "numpy":
		return numpyLang
	case strings.HasSuffix(name, ".pair"):
		return nil
	case root == "math" || root == "statistics" || root == "builtins" || root == "random":
		return scalarLang
	}
	return nil
}

// cases runs a row under one of its names.
func (l *lang) cases(name string, f *Func) []testCase {
	var out []testCase
	for _, args := range l.samplesOf(name, f) {
		if !l.grad && slicesAttached(args) {
			continue
		}
		if f.InPlace && (slicesAttached(args) || strings.Contains(args[0].tensor, `"int"`)) {
			continue // a leaf that requires grad, or integers, cannot be changed in place
		}
		out = append(out, l.case_(name, f, args, false))
		if k := l.case_(name, f, args, true); k.Code != out[len(out)-1].Code {
			out = append(out, k)
		}
	}
	return out
}

// slicesAttached reports whether an argument requires grad.
func slicesAttached(args []sample) bool {
	for _, a := range args {
		if a.op.V.Grad == domain.Attached {
			return true
		}
		for _, e := range a.op.Elems {
			if e.V.Grad == domain.Attached {
				return true
			}
		}
	}
	return false
}

// case_ writes one call, with arguments by position as far as they come in
// order, or by keyword where the library has them, and its claims.
func (l *lang) case_(name string, f *Func, args []sample, keywords bool) testCase {
	var pos []Operand
	var texts []string
	kw := map[string]Operand{}
	for i, a := range args {
		inOrder := a.param == "" || i < len(f.Params) && len(kw) == 0 && strings.TrimPrefix(f.Params[i], "*") == strings.TrimPrefix(a.param, "*")
		if inOrder && !(keywords && l.byKeyword(a)) {
			pos = append(pos, a.op)
			texts = append(texts, l.text(a))
			continue
		}
		key := strings.TrimPrefix(a.param, "*")
		if own := l.keywords[key]; own != "" {
			key = own
		}
		kw[key] = a.op
		texts = append(texts, key+"="+l.text(a))
	}
	code := name + "(" + strings.Join(texts, ", ") + ")"
	if method, ok := strings.CutPrefix(name, "torch.Tensor."); ok && len(texts) > 0 {
		code = texts[0] + "." + method + "(" + strings.Join(texts[1:], ", ") + ")"
	} else if method, ok := strings.CutPrefix(name, "numpy.ndarray."); ok {
		code = texts[0] + "." + method + "(" + strings.Join(texts[1:], ", ") + ")"
	}
	return claims(f, f.Bind(pos, kw), testCase{Row: f.Name, Code: code, Scalar: l.scalar})
}

// byKeyword reports whether an argument may be given by the name that the
// tables use.
func (l *lang) byKeyword(a sample) bool {
	switch a.param {
	case "dim", "keepdim", "unbiased", "correction", "reduction", "log_target", "num_classes", "requires_grad":
		return !l.scalar
	case "lo", "hi":
		return l == torchLang
	}
	return false
}

// claims fills in what the tables say of the call.
func claims(f *Func, a Args, c testCase) testCase {
	c.Claim = claimOf(f.Apply(a))
	c.Opaque = c.Claim.Opaque
	if elems, ok := f.Elements(a); ok {
		for _, e := range elems {
			ec := claimOf(e.V)
			ec.Name = e.Name
			c.Elements = append(c.Elements, ec)
		}
	}
	return c
}

// claimsOfPart are the claims of a member of an object, with the gradient of what the row says it is made of.
func claimsOfPart(f *Func, a, ctor Args, c testCase) testCase {
	c = claims(f, a, c)
	g := domain.GradBottom
	for _, p := range f.From {
		if o, ok := ctor.Get(p); ok && !o.V.Is(domain.Distribution) {
			g = g.Flow(o.V.Grad)
		}
	}
	if g == domain.Attached || g == domain.Detached {
		c.Claim.Grad = g.String()
	}
	return c
}

// objectCases runs classes: construct, call, methods and attributes.
func objectCases(t *testing.T) []testCase {
	t.Helper()
	var out []testCase
	covered := map[string]bool{}
	for _, o := range objectSamples {
		c := Load().Class(o.class)
		if c == nil {
			t.Errorf("objectSamples names %s, which is no class", o.class)
			continue
		}
		covered[c.Name] = true
		ctor, code := o.construct(c)
		self := Operand{V: c.New.Apply(ctor)}
		if o.call != nil {
			a := c.BindCall(nil, ctor, operandsOf(o.call), nil)
			out = append(out, claims(a.Func(), a, testCase{Row: c.Name, Code: code + "(" + textsOf(o.call) + ")"}))
		}
		for _, m := range sorted(o.methods) {
			args := o.methods[m]
			f := c.Method(m)
			if f == nil {
				t.Errorf("%s has no method %s in the tables", o.class, m)
				continue
			}
			a := f.Bind(append([]Operand{self}, operandsOf(args)...), nil)
			out = append(out, claimsOfPart(f, a, ctor, testCase{Row: f.Name, Code: code + "." + m + "(" + textsOf(args) + ")"}))
		}
		for _, m := range o.attrs {
			f := c.AttrFunc(m)
			if f == nil {
				t.Errorf("%s has no attribute %s in the tables", o.class, m)
				continue
			}
			out = append(out, claimsOfPart(f, f.Bind([]Operand{self}, nil), ctor, testCase{Row: f.Name, Code: code + "." + m}))
		}
	}
	for _, name := range sorted(Load().classes) {
		if c := Load().classes[name]; library(name) != nil && !covered[c.Name] && noObject[c.Name] == "" {
			t.Errorf("%s has neither a sample nor a reason why not", c.Name)
		}
	}
	return out
}

// objectSample is an instance of a class and what is done with it.
type objectSample struct {
	class   string
	ctor    []sample
	call    []sample
	methods map[string][]sample
	attrs   []string
}

// construct binds the constructor and writes it; named arguments are keywords.
func (o objectSample) construct(c *Class) (Args, string) {
	var pos []Operand
	kw := map[string]Operand{}
	var texts []string
	for _, a := range o.ctor {
		if a.param == "" {
			pos = append(pos, a.op)
			texts = append(texts, a.tensor)
			continue
		}
		kw[a.param] = a.op
		texts = append(texts, a.param+"="+a.tensor)
	}
	return c.New.Bind(pos, kw), o.class + "(" + strings.Join(texts, ", ") + ")"
}

func operandsOf(args []sample) []Operand {
	var out []Operand
	for _, a := range args {
		out = append(out, a.op)
	}
	return out
}

func textsOf(args []sample) string {
	var out []string
	for _, a := range args {
		out = append(out, a.tensor)
	}
	return strings.Join(out, ", ")
}
