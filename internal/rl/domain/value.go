package domain

// Value is the abstract quantity of an expression: a product of small finite
// lattices, joined part by part. It is comparable, so equality is ==, and the
// zero Value is bottom.
type Value struct {
	Kind     Kind
	Whose    Whose
	Range    Range
	Shape    Shape
	Grad     Grad
	Reduced  Reduced
	Evidence Evidence
}

// Unknown is the top of the lattice: every part is its own top, so that it
// absorbs whatever it is joined with.
var Unknown = Value{
	Kind: UnknownKind, Whose: AnyWhose, Range: AnyRange, Shape: UnknownShape,
	Grad: GradUnknown, Reduced: AnyReduced, Evidence: NameOnly,
}

// ownerless are the kinds that no network produces: whatever flows into them,
// they speak of the environment, the settings or the program.
const ownerless = Reward | Mask | Done | Terminated | Truncated | Observation | Noise | Count | Index | Coef | Number | Text | Optimizer | Env

// graphless are the kinds that no gradient flows through: integers, truth values, texts, and
// what is no tensor.
const graphless = Mask | Done | Terminated | Truncated | TokenIDs | Count | Index | Text | Optimizer | Env

// Of returns an otherwise unknown value of the given kind that was derived.
// A kind that no network produces belongs to nobody.
func Of(k Kind) Value {
	v := Unknown
	v.Kind, v.Evidence, v.Whose = k, Derived, k.Owner(AnyWhose)
	if k.Is(graphless) {
		v.Grad = Detached
	}
	return v
}

// Owner returns w, or nobody for a kind that no network produces.
func (k Kind) Owner(w Whose) Whose {
	if k.Is(ownerless) {
		return 0
	}
	return w
}

// ConstValue returns the value of a Python constant: a scalar that no
// gradient flows through. The constant is a bool, int64, float64 or string;
// any other gives a detached unknown.
func ConstValue(c any) Value {
	v := Value{Kind: Number, Range: AnyRange, Shape: MakeShape(), Grad: Detached, Reduced: Unreduced, Evidence: Derived}
	switch c := c.(type) {
	case bool:
		v.Range = Between(Zero, One)
		if c {
			v.Range = Between(One, One)
		}
	case int64:
		v.Range = RangeOf(float64(c))
	case float64:
		v.Range = RangeOf(c)
	case string:
		v.Kind, v.Shape = Text, UnknownShape
	default:
		v.Kind, v.Shape, v.Whose = UnknownKind, UnknownShape, AnyWhose
	}
	return v
}

// IsBottom reports whether nothing flows here.
func (v Value) IsBottom() bool { return v.Kind == 0 && v == Value{} }

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
		Whose:    v.Whose.Join(o.Whose),
		Range:    v.Range.Join(o.Range),
		Shape:    v.Shape.Join(o.Shape),
		Grad:     v.Grad.Join(o.Grad),
		Reduced:  v.Reduced.Join(o.Reduced),
		Evidence: v.Evidence.Join(o.Evidence),
	}
}

// Is reports whether the value must be one of the kinds in want.
func (v Value) Is(want Kind) bool { return v.Kind.Is(want) }

// May reports whether the value is known to be possibly one of want.
func (v Value) May(want Kind) bool { return v.Kind.May(want) }

// Whose is the set of networks that a value may come from. The empty set is a
// value that no network produced (a reward, a constant); AnyWhose is unknown.
type Whose uint8

// The owners.
const (
	Current   Whose = 1 << iota // the network being trained
	Old                         // the behaviour policy that collected the data
	Reference                   // the frozen base model of a KL penalty
	Target                      // the target network
)

// AnyWhose is the top: nothing is known of the owner.
const AnyWhose Whose = ^Whose(0)

// Known reports whether the owners are known and not empty.
func (w Whose) Known() bool { return w != 0 && w != AnyWhose }

// Is reports whether a value must come from the networks in want.
func (w Whose) Is(want Whose) bool { return w.Known() && w&^want == 0 }

// May reports whether a value is known to come possibly from one in want.
func (w Whose) May(want Whose) bool { return w.Known() && w&want != 0 }

// Join returns the union.
func (w Whose) Join(o Whose) Whose { return w | o }

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

// Flow returns the grad state of a result computed from both: one attached
// input attaches it, and only detached inputs leave it detached.
func (g Grad) Flow(o Grad) Grad {
	switch {
	case g == Attached || o == Attached:
		return Attached
	case g == GradUnknown || o == GradUnknown:
		return GradUnknown
	case g == GradBottom:
		return o
	case o == GradBottom:
		return g
	}
	return Detached
}

// Reduced is the set of reductions that a value may be the result of; it
// speaks of the last one, and element-wise steps keep it.
type Reduced uint8

// The reductions. The suffix All means to a scalar, Dim along some dimensions.
const (
	MeanAll Reduced = 1 << iota
	SumAll
	MeanDim
	SumDim
	Unreduced // not the result of a reduction
	LogSumExp // log of a sum of exponentials: the normaliser of logits
	Extremum  // minimum or maximum
)

// AnyReduced is the top: nothing is known of how the value was reduced.
const AnyReduced Reduced = ^Reduced(0)

// Known reports whether the reductions are known.
func (r Reduced) Known() bool { return r != 0 && r != AnyReduced }

// Is reports whether a value must be the result of one of the reductions in want.
func (r Reduced) Is(want Reduced) bool { return r.Known() && r&^want == 0 }

// May reports whether a value is known to be possibly the result of one in want.
func (r Reduced) May(want Reduced) bool { return r.Known() && r&want != 0 }

// Join returns the union.
func (r Reduced) Join(o Reduced) Reduced { return r | o }

// Evidence says what the knowledge of a value rests on; a larger one is weaker.
// The evidence of a value of unknown kind says nothing.
type Evidence uint8

// The levels of evidence; zero is bottom and NameOnly is top.
const (
	EvidenceBottom Evidence = iota
	FromTable
	Derived
	Used // what the body of a function does with a parameter says what it is
	Annotated
	NameOnly
)

// Join returns the weaker of the two.
func (e Evidence) Join(o Evidence) Evidence { return max(e, o) }
