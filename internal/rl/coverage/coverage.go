// Package coverage measures how much of a program's tensor code inference understood, so
// that a check which finds nothing can be told from one that understood nothing.
//
// Input: the infer.Result of each module. Output: a [Coverage], which can be added up over
// modules. It reports nothing and decides nothing.
package coverage

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Aspect is a set of what can be known of an expression.
type Aspect uint8

// The aspects.
const (
	Derived  Aspect = 1 << iota // its kind, from how it was computed
	Named                       // its kind, from a name or an annotation alone
	Shape                       // its shape, as far as one axis
	Grad                        // whether gradients flow through it
	Attached                    // that they do
	Owner                       // whose network it comes from, or that no network made it
)

// Place is where something stands: Start is an offset in the file, in bytes.
type Place struct {
	Path  string
	Start int
}

// expression is one expression of a file.
type expression struct {
	Place
	end int
}

// Coverage is how much of some modules was understood. Only expressions that hold tensors,
// or may hold them, count; each counts once, and an aspect is known where it is in some
// call of the function around it.
type Coverage struct {
	known   map[expression]Aspect
	kinds   causes
	grads   causes
	entries map[Place]string
	called  map[Place]bool // functions that some module calls
}

// causes are why expressions are unknown in one aspect: of each the first reason that was met,
// of which that nothing calls the function counts least.
type causes map[expression]cause

// cause is a reason and where it stands.
type cause struct {
	why      string
	at       Place
	uncalled Place // the function, where the reason is that its module does not call it
}

// Cause is why the kind, or the gradient, of expressions is unknown: what the first of them
// on the way is.
type Cause struct {
	// Why is what was not understood, as "call of self.model, which is not resolved".
	Why string
	// Expressions is how many are unknown because of it.
	Expressions int
	// Places are where it stands, in order, each once.
	Places []Place
}

// Entry is a function whose parameters are unknown, since no module that was added calls it.
type Entry struct {
	Place
	Name string // with its class, as "Trainer.compute_loss"
}

// New returns the coverage of nothing.
func New() *Coverage {
	return &Coverage{known: map[expression]Aspect{}, entries: map[Place]string{}, called: map[Place]bool{}, kinds: causes{}, grads: causes{}}
}

// Add adds what the evaluation of a module understood, of the module itself and of the
// functions of others that it calls.
func (c *Coverage) Add(res *infer.Result) {
	t := findTensors(res)
	kinds, grads := kindOrigins(t), gradOrigins(t)
	for _, f := range res.Frames {
		if f.Stale() {
			continue
		}
		c.note(f)
		for v := range f.Each {
			if t.is[v] {
				c.add(v, kinds, grads)
			}
		}
	}
}

// note notes whether a function was called. Each module is evaluated by itself, so that one which
// others import calls little of its own: what any of them calls is no entry.
func (c *Coverage) note(f *infer.Frame) {
	if f.Func == nil || f.Func.Def == nil {
		return
	}
	at := placeOf(f)
	switch {
	case f.Entry:
		c.entries[at] = nameOf(f.Func)
	case !callsItself(f):
		c.called[at] = true
	}
}

// placeOf is where the function of a frame is defined.
func placeOf(f *infer.Frame) Place { return Place{f.Module.Path, int(f.Func.Def.Span().Start)} }

// callsItself reports whether only a call of the same function, which nothing calls, led to this one.
func callsItself(f *infer.Frame) bool {
	for g := f.Caller; g != nil; g = g.Caller {
		if g.Entry && g.Func != nil && g.Func.Def == f.Func.Def {
			return true
		}
	}
	return false
}

func (c *Coverage) add(v *infer.Val, kinds, grads *origins) {
	span := v.Node.Span()
	e := expression{Place{v.Frame.Module.Path, int(span.Start)}, int(span.End)}
	c.known[e] |= aspects(v.Q)
	if v.Q.Kind == domain.UnknownKind {
		c.kinds.note(e, v, kinds)
	}
	if v.Q.Grad == domain.GradUnknown {
		c.grads.note(e, v, grads)
	}
}

// note keeps the cause of an unknown expression.
func (c causes) note(e expression, v *infer.Val, o *origins) {
	old, ok := c[e]
	if ok && old.uncalled == (Place{}) {
		return
	}
	root := o.root(v)
	uncalled := Place{}
	if fn := root.in.Func; root.of.Op == infer.OpParam && root.in.Entry && fn != nil && fn.Def != nil {
		uncalled = placeOf(root.in)
	}
	if !ok || uncalled == (Place{}) {
		c[e] = cause{reason(root), Place{root.in.Module.Path, int(root.of.Node.Span().Start)}, uncalled}
	}
}

// aspects are what is known of a quantity.
func aspects(q domain.Value) Aspect {
	var a Aspect
	switch {
	case !q.Kind.Known():
	case q.Evidence >= domain.Annotated:
		a |= Named
	default:
		a |= Derived
	}
	if q.Shape.Known() || q.Shape.MinRank() > 0 {
		a |= Shape
	}
	switch q.Grad {
	case domain.Attached:
		a |= Grad | Attached
	case domain.Detached:
		a |= Grad
	}
	if q.Whose != domain.AnyWhose {
		a |= Owner
	}
	return a
}

// Counts are numbers of expressions.
type Counts struct {
	Expressions int `json:"expressions"`
	Derived     int `json:"kind_derived"`
	Named       int `json:"kind_by_name"`
	Shape       int `json:"shape"`
	Grad        int `json:"gradient"`
	Attached    int `json:"gradient_attached"`
	Owner       int `json:"owner"`
	Nothing     int `json:"nothing"`
}

// Counts sums up.
func (c *Coverage) Counts() Counts {
	var n Counts
	for _, a := range c.known {
		n.Expressions++
		count := func(to *int, is bool) {
			if is {
				*to++
			}
		}
		count(&n.Derived, a&Derived != 0)
		count(&n.Named, a&(Derived|Named) == Named)
		count(&n.Shape, a&Shape != 0)
		count(&n.Grad, a&Grad != 0)
		count(&n.Attached, a&Attached != 0)
		count(&n.Owner, a&Owner != 0)
		count(&n.Nothing, a == 0)
	}
	return n
}

// Causes are the reasons why expressions are of unknown kind, most frequent first.
func (c *Coverage) Causes() []Cause { return c.list(c.kinds, Derived|Named) }

// GradCauses are the reasons why expressions are of unknown gradient, most frequent first.
func (c *Coverage) GradCauses() []Cause { return c.list(c.grads, Grad) }

// list counts the causes of expressions of which no call knows an aspect. What only the evaluation
// of a function by itself took for a tensor is no question where another module calls it.
func (c *Coverage) list(of causes, aspect Aspect) []Cause {
	count, places := map[string]int{}, map[string]map[Place]bool{}
	for e, o := range of {
		if c.known[e]&aspect != 0 || c.called[o.uncalled] {
			continue
		}
		if places[o.why] == nil {
			places[o.why] = map[Place]bool{}
		}
		count[o.why]++
		places[o.why][o.at] = true
	}
	var out []Cause
	for why, n := range count {
		out = append(out, Cause{why, n, slices.SortedFunc(maps.Keys(places[why]), inOrder)})
	}
	slices.SortFunc(out, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Expressions, a.Expressions), cmp.Compare(a.Why, b.Why))
	})
	return out
}

// Entries are the functions whose parameters are unknown, in order of their places.
func (c *Coverage) Entries() []Entry {
	var out []Entry
	for _, at := range slices.SortedFunc(maps.Keys(c.entries), inOrder) {
		if !c.called[at] {
			out = append(out, Entry{at, c.entries[at]})
		}
	}
	return out
}

func inOrder(a, b Place) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start))
}

// nameOf is a function's name, with its class.
func nameOf(f *infer.FuncRef) string {
	if f.Class != nil && f.Class.Def != nil {
		return f.Class.Def.Name + "." + f.Name()
	}
	return f.Name()
}

// spelled writes a name or a chain of attributes as the program has it; "" for anything else.
func spelled(n ast.Node) string {
	switch e := n.(type) {
	case *ast.Name:
		return e.Ident
	case *ast.Attribute:
		if x := spelled(e.X); x != "" {
			return x + "." + e.Attr
		}
		return "." + e.Attr
	case *ast.Call:
		if f := spelled(e.Fun); f != "" {
			return f + "()"
		}
	}
	return ""
}
