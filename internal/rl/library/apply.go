package library

// How a row turns arguments into a value.
//
// A row is a list of guarded results. Its guards are evaluated in three
// values, and every result whose guard may hold is joined, up to the first one
// whose guard must hold; the loader ends each list with a result that always
// applies. So a row is monotone by construction: to know less of an argument
// can only turn a yes or a no into a maybe, which adds results to the join.
// An argument that is one of several kinds is taken apart first: exp of
// "log-prob or log-ratio" is "prob or ratio", not unknown.
//
// The other parts of a value (range, shape, gradient, owner, reduction) are
// computed by named rules out of closed lists, each monotone by itself.

import (
	"math/bits"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// outcome is one guarded result of a row.
type outcome struct {
	when     condition
	kind     domain.Kind
	kindOf   []int // parameters whose kinds are joined, instead of kind
	evidence []int // parameters whose evidence counts; nil: those tested
	rng      rule[domain.Range]
	nonZero  bool
	shape    rule[domain.Shape]
	shapeAs  string // the text of shape: most outcomes of a row share it
	grad     rule[domain.Grad]
	reduced  rule[domain.Reduced]
	whose    rule[domain.Whose]
}

// Element is one element of a tuple that a function returns.
type Element struct {
	Name string // the field name of a named tuple, or ""
	V    domain.Value
}

// element is one element's guarded results.
type element struct {
	name    string
	results []outcome
}

// Apply returns the abstract result of the call. A bottom operand gives
// bottom; a kind that is a set is followed member by member. For a function
// that returns a tuple the value is of kind other: ask Elements.
func (f *Func) Apply(a Args) domain.Value {
	if a.f != nil {
		f = a.f
	}
	if f.isTuple(a) == yes {
		return domain.Of(domain.Other)
	}
	return f.apply(f.results, a)
}

// Elements returns the elements of the tuple that the call returns; ok is
// false for a call that surely or possibly returns a single value.
func (f *Func) Elements(a Args) (elems []Element, ok bool) {
	if a.f != nil {
		f = a.f
	}
	if f.isTuple(a) != yes {
		return nil, false
	}
	for _, e := range f.elements {
		elems = append(elems, Element{Name: e.name, V: f.apply(e.results, a)})
	}
	return elems, true
}

// isTuple reports whether the call returns a tuple.
func (f *Func) isTuple(a Args) truth {
	if len(f.elements) == 0 {
		return no
	}
	return f.elemsIf.eval(a)
}

// apply evaluates guarded results: sets of kinds are split, so that a guard
// sees a single kind or an unknown one.
func (f *Func) apply(results []outcome, a Args) domain.Value {
	for i := range a.vals {
		o := a.at(i)
		switch {
		case o == nil:
		case o.V.IsBottom():
			return domain.Value{}
		case several(o.V.Kind) && tests(results, i):
			return f.split(results, a, i)
		}
	}
	return choose(results, a).join(f.evidence)
}

// Grad returns the grad state of the result for operands in the order of the parameters, of
// which those of no value are not given; of a tuple that of all its elements.
func (f *Func) Grad(operands []Operand) domain.Grad {
	a := Args{f: f, vals: make([]Operand, len(f.Params))}
	for i, o := range operands {
		if !o.V.IsBottom() {
			a.set(i, o)
		}
	}
	if f.isTuple(a) == no {
		return f.apply(f.results, a).Grad
	}
	g := domain.GradBottom
	for _, e := range f.elements {
		g = g.Join(f.apply(e.results, a).Grad)
	}
	return g
}

// several reports whether k is a set of more than one known kind.
func several(k domain.Kind) bool { return k.Known() && bits.OnesCount64(uint64(k)) > 1 }

// tests reports whether a guard reads the kind of parameter p.
func tests(results []outcome, p int) bool {
	for _, r := range results {
		for _, t := range r.when {
			if t.kinds && (t.arg == p || t.other == p) {
				return true
			}
		}
	}
	return false
}

// split joins the results for each kind that argument i may be.
func (f *Func) split(results []outcome, a Args, i int) domain.Value {
	var v domain.Value
	vals := append([]Operand(nil), a.vals...)
	for set := uint64(a.vals[i].V.Kind); set != 0; set &= set - 1 {
		one := a
		one.vals = append([]Operand(nil), vals...)
		one.vals[i].V.Kind = domain.Kind(set & -set)
		v = v.Join(f.apply(results, one))
	}
	return v
}

// chosen is a value on its way to get the row's own evidence.
type chosen struct{ domain.Value }

// join weakens the evidence to that of the row.
func (c chosen) join(e domain.Evidence) domain.Value {
	c.Evidence = c.Evidence.Join(e)
	return c.Value
}

// choose joins every result that may apply, up to the first that must. The
// loader ends each list with a result that always applies.
func choose(results []outcome, a Args) chosen {
	var v domain.Value
	var shaped *outcome // whose shape is known
	var shape domain.Shape
	for i := range results {
		r := &results[i]
		t := r.when.eval(a)
		if t == no {
			continue
		}
		if shaped == nil || r.shapeAs != shaped.shapeAs {
			shaped, shape = r, r.shape.eval(a)
		}
		v = v.Join(r.value(a, shape))
		if t == yes {
			break
		}
	}
	return chosen{v}
}

// value returns the value of the outcome, which is of that shape.
func (r *outcome) value(a Args, shape domain.Shape) domain.Value {
	v := domain.Value{
		Kind:    r.kind,
		Range:   r.rng.eval(a),
		Shape:   shape,
		Grad:    r.grad.eval(a),
		Reduced: r.reduced.eval(a),
	}
	for _, p := range r.kindOf {
		v.Kind = v.Kind.Join(a.kind(p))
	}
	if r.nonZero {
		v.Range = v.Range.AwayFromZero()
	}
	v.Whose = v.Kind.Owner(r.whose.eval(a))
	v.Evidence = r.strength(a)
	return v
}

// strength returns the evidence of the outcome: the table's own word where
// nothing was tested, else as weak as what was tested.
func (r *outcome) strength(a Args) domain.Evidence {
	e := domain.FromTable
	weaken := func(p int) {
		if o := a.at(p); o != nil && o.V.Kind.Known() {
			e = e.Join(o.V.Evidence)
		}
	}
	if r.evidence != nil {
		for _, p := range r.evidence {
			weaken(p)
		}
		return e
	}
	for _, t := range r.when {
		if t.kinds {
			e = e.Join(domain.Derived)
			weaken(t.arg)
			if t.other >= 0 {
				weaken(t.other)
			}
		}
	}
	for _, p := range r.kindOf {
		weaken(p)
	}
	return e
}

// kind returns the kind of a parameter, unknown where it is not given.
func (a *Args) kind(i int) domain.Kind {
	if o := a.at(i); o != nil {
		return o.V.Kind
	}
	return domain.UnknownKind
}
