package domain

// Value is the abstract quantity of an expression: a product of small finite
// lattices. It is comparable, so equality is ==, and the zero Value is bottom.
type Value struct {
	Kind     Kind
	Whose    Whose
	Range    Range
	Shape    Shape
	Grad     Grad
	Reduced  Reduced
	Evidence Evidence
}

// Unknown is the top of the lattice: anything at all.
var Unknown = Value{
	Kind: UnknownKind, Range: AnyRange, Shape: UnknownShape, Grad: GradUnknown, Evidence: FromTable,
}

// Of returns an otherwise unknown value of the given kind that was derived.
func Of(k Kind) Value {
	v := Unknown
	v.Kind, v.Evidence = k, Derived
	return v
}

// IsBottom reports whether nothing flows here.
func (v Value) IsBottom() bool { return v == Value{} }

// Join returns the least upper bound, part by part; bottom is its identity.
func (v Value) Join(o Value) Value {
	switch {
	case v == o || o.IsBottom():
		return v
	case v.IsBottom():
		return o
	}
	return Value{
		Kind:     v.Kind.Join(o.Kind),
		Whose:    v.Whose | o.Whose,
		Range:    v.Range.Join(o.Range),
		Shape:    v.Shape.Join(o.Shape),
		Grad:     v.Grad.Join(o.Grad),
		Reduced:  v.Reduced | o.Reduced,
		Evidence: v.Evidence.Join(o.Evidence),
	}
}

// Is reports whether the value must be one of the kinds in want.
func (v Value) Is(want Kind) bool { return v.Kind.Is(want) }

// May reports whether the value is known to be possibly one of want.
func (v Value) May(want Kind) bool { return v.Kind.May(want) }

// Whose is the set of policies or networks that a value may come from; the
// empty set is unknown.
type Whose uint8

// The owners.
const (
	Current   Whose = 1 << iota // the network being trained
	Old                         // the behaviour policy that collected the data
	Reference                   // the frozen base model of a KL penalty
	Target                      // the target network
)

// Grad says whether gradients flow into what a value was computed from.
type Grad uint8

// The grad states; zero is bottom.
const (
	GradBottom Grad = iota
	Attached        // has a grad_fn
	Detached        // detach(), .data, numpy, or computed under no_grad
	GradUnknown
)

// Join returns the flat join.
func (g Grad) Join(o Grad) Grad {
	switch {
	case g == o || o == GradBottom:
		return g
	case g == GradBottom:
		return o
	}
	return GradUnknown
}

// Reduced is the set of reductions that produced a value.
type Reduced uint8

// The reductions.
const (
	MeanAll Reduced = 1 << iota
	SumAll
	MeanDim
	SumDim
)

// Evidence says what the knowledge of a value rests on; a larger one is weaker.
type Evidence uint8

// The levels of evidence; zero is bottom.
const (
	EvidenceBottom Evidence = iota
	FromTable
	Derived
	Annotated
	NameOnly
)

// Join returns the weaker of the two.
func (e Evidence) Join(o Evidence) Evidence { return max(e, o) }
