package library

import (
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// None is the Const of an operand that is Python's None.
type None struct{}

// Operand is what inference knows of one argument.
type Operand struct {
	V domain.Value
	// Const is nil where the value is not constant, else a bool, int64,
	// float64, string, None, domain.Dim (an integer known by its symbol), or
	// []int64 or []any of those for a tuple or list.
	Const any
	// Elems are the elements of a tuple or list display, so that cat and stack
	// see what they join.
	Elems []Operand
	// List says that the operand is a tuple or list and V stands for its
	// elements, of which Elems need not know how many there are.
	List bool
	// Handle is the caller's own; Bind carries it along.
	Handle any
}

// ConstOperand returns the operand of a Python constant.
func ConstOperand(c any) Operand { return Operand{V: domain.ConstValue(c), Const: c} }

// Func is one row: what a function or method makes of its arguments.
type Func struct {
	Name      string
	As        string   // the operation that it is: the name, unless it is another spelling
	Params    []string // "*rest" collects positional arguments
	Receiver  bool     // called as a method: pos[0] is the receiver
	InPlace   bool     // exp_, clamp_ ...: the result also rebinds the receiver
	Contracts []Contract
	// Guards says that the function is written to guard against zero, NaN or
	// infinity (clamp, nan_to_num, where), whatever its arguments. Of a setting it says that the library
	// refuses what makes no sense, as groups of one.
	Guards bool
	// Returns is the class that the result is an instance of, or nil.
	Returns *Class
	// Leaf says that the result is a leaf of the graph: whether it requires gradients is what the call
	// says, also where gradients are switched off.
	Leaf bool
	// From are the parameters of the constructor that a part of an object is made of, where that
	// is not all of them: gradients flow to what was given for them.
	From []string
	// Since is the first version of the library that has the function, or "".
	Since string

	operands int // what an operator needs, 0 for other functions

	flagged string // a constant bool in the second position binds to this one
	second  *Func  // the row that applies when the second argument is a tensor,
	// or with anySecond whenever there is one
	anySecond bool
	evidence  domain.Evidence
	results   []outcome
	elements  []element
	elemsIf   condition
}

// Contract says which kinds an argument must not be, and under which rule
// that is reported.
type Contract struct {
	Arg     string
	Accepts domain.Kind // zero: no statement
	Rejects domain.Kind
	Rule    string    // name of the rule
	If      condition // must surely hold
	Unless  condition // must not surely hold
}

// Violated returns the operand that surely breaks c, if it does.
func (c Contract) Violated(a Args) (Operand, bool) {
	o, ok := a.Get(c.Arg)
	if !ok || c.Rejects == 0 || !o.V.Is(c.Rejects) || c.If.eval(a) != yes || len(c.Unless) > 0 && c.Unless.eval(a) == yes {
		return Operand{}, false
	}
	return o, true
}

// Args are the arguments of one call, bound by parameter name.
type Args struct {
	f     *Func
	vals  []Operand
	given uint32             // bit i: the i-th parameter is given
	rest  []Operand          // what *param collected
	extra map[string]Operand // keywords that are no parameters
}

// Func returns the row that the call uses, which may differ from the one
// bound to: torch.max(a, b) is torch.maximum.
func (a Args) Func() *Func { return a.f }

// Get returns the operand of a parameter; ok is false where it is not given.
func (a Args) Get(param string) (o Operand, ok bool) {
	i := a.index(param)
	if i < 0 {
		o, ok = a.extra[param]
		return o, ok
	}
	if p := a.at(i); p != nil {
		return *p, true
	}
	return Operand{}, false
}

// Lacking reports whether an operator is called without one of its operands, as in
// torch.div(x): Python refuses that, so there is no value.
func (a Args) Lacking() bool {
	for i := range a.f.operands {
		if a.at(i) == nil {
			return true
		}
	}
	return false
}

func (a Args) index(param string) int {
	if a.f == nil {
		return -1
	}
	for i, p := range a.f.Params {
		if p == param {
			return i
		}
	}
	return -1
}

// synonyms are parameter names that libraries use for one another.
var synonyms = map[string]string{
	"input": "x", "self": "x", "a": "x", "arr": "x", "tensor": "x", "array": "x", "axis": "dim", "keepdims": "keepdim",
	"other": "y", "ddof": "correction", "min": "lo", "max": "hi", "a_min": "lo", "a_max": "hi",
	"condition": "cond", "arrays": "tensors", "seq": "tensors", "object": "data", "obj": "data", "newshape": "*shape",
}

// Bind binds positional and keyword arguments to f's parameters; unknown
// keywords are kept aside. The receiver of a method is pos[0].
func (f *Func) Bind(pos []Operand, kw map[string]Operand) Args { return f.BindIn(nil, pos, kw) }

// BindIn is Bind with memory that the Args use until it is released.
func (f *Func) BindIn(memory *Scratch, pos []Operand, kw map[string]Operand) Args {
	if f.second != nil && (f.anySecond && len(pos) > 1 || !f.anySecond && tensorSecond(pos, kw)) {
		return f.second.BindIn(memory, pos, kw)
	}
	n := len(f.Params)
	a := Args{f: f, vals: memory.Take(n)}
	i := 0
	for ; i < n && i < len(pos) && !strings.HasPrefix(f.Params[i], "*"); i++ {
		at := i
		if i == 1 && f.flagged != "" && isBool(pos[i]) {
			at = a.index(f.flagged)
		}
		a.set(at, pos[i])
	}
	if i < len(pos) {
		a.collect(i, pos[i:])
	}
	for name, o := range kw {
		a.keyword(name, o)
	}
	return a
}

// set stores an operand; one that carries only a constant gets its value.
func (a *Args) set(i int, o Operand) {
	if o.V.IsBottom() {
		o = complete(o)
	}
	a.vals[i] = o
	a.given |= 1 << i
}

// complete fills in the value of a constant, or of a display: the join of its
// elements.
func complete(o Operand) Operand {
	if !o.V.IsBottom() {
		return o
	}
	if o.Const != nil {
		o.V = domain.ConstValue(o.Const)
	}
	for _, e := range o.Elems {
		o.V = o.V.Join(complete(e).V)
	}
	return o
}

// collect gives the remaining positional arguments to a *param at i.
func (a *Args) collect(i int, pos []Operand) {
	if i < len(a.f.Params) {
		a.rest = pos
		a.given |= 1 << i
		a.vals[i] = complete(Operand{Elems: pos})
		if len(pos) == 1 {
			a.vals[i] = complete(pos[0])
		}
	}
}

// keyword binds one keyword argument, by its own name or a synonym.
func (a *Args) keyword(name string, o Operand) {
	i := a.index(name)
	if i < 0 {
		i = a.index("*" + name)
	}
	if s, ok := synonyms[name]; ok && i < 0 {
		i = a.index(s)
	}
	if i >= 0 {
		a.set(i, o)
		return
	}
	if a.extra == nil {
		a.extra = map[string]Operand{}
	}
	a.extra[name] = complete(o)
}

// tensorSecond reports whether the second argument is a tensor rather than
// an axis: max(a, b) against max(a, 1).
func tensorSecond(pos []Operand, kw map[string]Operand) bool {
	o, ok := kw["other"]
	if len(pos) > 1 {
		o, ok = pos[1], true
	}
	_, dim := kw["dim"]
	return ok && !dim && o.Const == nil && !o.V.Is(domain.Count)
}

// isBool reports whether o is True or False.
func isBool(o Operand) bool {
	_, ok := o.Const.(bool)
	return ok
}
