// Package coverage measures how much of a program's tensor code inference understood, so
// that a check which finds nothing can be told from one that heard nothing.
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
}

// causes are why expressions are unknown in one aspect, by the reason.
type causes struct {
	by      map[string]*Cause
	counted map[Place]bool // expressions that a cause was counted for
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
	at     map[Place]bool
}

// Entry is a function whose parameters are unknown, since nothing that was read calls it.
type Entry struct {
	Place
	Name string // with its class, as "Trainer.compute_loss"
}

// New returns the coverage of nothing.
func New() *Coverage {
	return &Coverage{known: map[expression]Aspect{}, entries: map[Place]string{}, kinds: newCauses(), grads: newCauses()}
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
		if f.Entry && f.Func != nil && f.Func.Def != nil {
			c.entries[Place{f.Module.Path, int(f.Func.Def.Span().Start)}] = nameOf(f.Func)
		}
		for v := range f.Each {
			if t.is[v] {
				c.add(v, kinds, grads)
			}
		}
	}
}

func newCauses() causes { return causes{map[string]*Cause{}, map[Place]bool{}} }

func (c *Coverage) add(v *infer.Val, kinds, grads *origins) {
	span := v.Node.Span()
	e := expression{Place{v.Frame.Module.Path, int(span.Start)}, int(span.End)}
	c.known[e] |= aspects(v.Q)
	if v.Q.Kind == domain.UnknownKind {
		c.kinds.count(e.Place, v, kinds)
	}
	if v.Q.Grad == domain.GradUnknown {
		c.grads.count(e.Place, v, grads)
	}
}

// count counts the cause of an unknown expression, once for each.
func (c *causes) count(expression Place, v *infer.Val, o *origins) {
	if c.counted[expression] {
		return
	}
	c.counted[expression] = true
	root := o.root(v)
	why, at := reason(root), Place{root.in.Module.Path, int(root.of.Node.Span().Start)}
	cause := c.by[why]
	if cause == nil {
		cause = &Cause{Why: why, at: map[Place]bool{}}
		c.by[why] = cause
	}
	cause.Expressions++
	cause.at[at] = true
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
func (c *Coverage) Causes() []Cause { return c.kinds.list() }

// GradCauses are the reasons why expressions are of unknown gradient, most frequent first.
func (c *Coverage) GradCauses() []Cause { return c.grads.list() }

func (c *causes) list() []Cause {
	var out []Cause
	for _, cause := range c.by {
		one := *cause
		one.Places = slices.SortedFunc(maps.Keys(cause.at), inOrder)
		out = append(out, one)
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
		out = append(out, Entry{at, c.entries[at]})
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
