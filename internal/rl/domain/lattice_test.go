package domain

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// lattice is what every part of a Value and Value itself promise.
type lattice[T comparable] struct {
	gen         *rapid.Generator[T]
	join        func(T, T) T
	bottom, top T
}

// check draws values and tests the laws of a join semilattice.
func (l lattice[T]) check(t *testing.T) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := l.gen.Draw(t, "a"), l.gen.Draw(t, "b"), l.gen.Draw(t, "c")
		law := func(name string, x, y T) {
			if x != y {
				t.Fatalf("%s: %+v != %+v", name, x, y)
			}
		}
		law("idempotent", l.join(a, a), a)
		law("commutative", l.join(a, b), l.join(b, a))
		law("associative", l.join(l.join(a, b), c), l.join(a, l.join(b, c)))
		law("bottom is the identity", l.join(l.bottom, a), a)
		law("top absorbs", l.join(l.top, a), l.top)
	})
}

var genKind = rapid.Custom(func(t *rapid.T) Kind {
	if rapid.Bool().Draw(t, "top") {
		return UnknownKind
	}
	k := Kind(0)
	for range rapid.IntRange(0, maxKinds).Draw(t, "kinds") {
		k |= 1 << rapid.IntRange(0, numKinds-1).Draw(t, "kind")
	}
	return k
})

var genBound = rapid.Map(rapid.IntRange(int(NegInf), int(PosInf)), func(i int) Bound { return Bound(i) })

var genRange = rapid.Custom(func(t *rapid.T) Range {
	if rapid.IntRange(0, 9).Draw(t, "bottom") == 0 {
		return Range{}
	}
	a, b := genBound.Draw(t, "a"), genBound.Draw(t, "b")
	r := Between(min(a, b), max(a, b))
	if a == Zero && b == Zero {
		return r
	}
	return r.awayIf(rapid.Bool().Draw(t, "nonzero"))
})

var genDim = rapid.Custom(func(t *rapid.T) Dim {
	d := Dim{N: -1, Axis: Axis(rapid.IntRange(0, int(AxisFeature)).Draw(t, "axis"))}
	switch rapid.IntRange(0, 2).Draw(t, "size") {
	case 0:
		d.N = int32(rapid.IntRange(0, 4).Draw(t, "n"))
	case 1:
		d.Sym = uint32(rapid.IntRange(1, 3).Draw(t, "sym"))
	}
	return d
})

var genShape = rapid.Custom(func(t *rapid.T) Shape {
	switch rapid.IntRange(0, 5).Draw(t, "what") {
	case 0:
		return Shape{}
	case 1:
		return UnknownShape
	}
	dims := rapid.SliceOfN(genDim, 0, MaxRank).Draw(t, "dims")
	if rapid.Bool().Draw(t, "more") {
		return EndingIn(dims...)
	}
	return MakeShape(dims...)
})

var (
	genWhose    = rapid.OneOf(rapid.Just(AnyWhose), rapid.Map(rapid.IntRange(0, 15), func(i int) Whose { return Whose(i) }))
	genReduced  = rapid.OneOf(rapid.Just(AnyReduced), rapid.Map(rapid.IntRange(0, 127), func(i int) Reduced { return Reduced(i) }))
	genGrad     = rapid.Map(rapid.IntRange(0, int(GradUnknown)), func(i int) Grad { return Grad(i) })
	genEvidence = rapid.Map(rapid.IntRange(0, int(NameOnly)), func(i int) Evidence { return Evidence(i) })
)

var genValue = rapid.Custom(func(t *rapid.T) Value {
	return Value{
		Kind: genKind.Draw(t, "kind"), Whose: genWhose.Draw(t, "whose"), Range: genRange.Draw(t, "range"),
		Shape: genShape.Draw(t, "shape"), Grad: genGrad.Draw(t, "grad"), Reduced: genReduced.Draw(t, "reduced"),
		Evidence: genEvidence.Draw(t, "evidence"),
	}
})

func TestKindIsALattice(t *testing.T) {
	lattice[Kind]{genKind, Kind.Join, 0, UnknownKind}.check(t)
}

func TestWhoseIsALattice(t *testing.T) {
	lattice[Whose]{genWhose, Whose.Join, 0, AnyWhose}.check(t)
}

func TestRangeIsALattice(t *testing.T) {
	lattice[Range]{genRange, Range.Join, Range{}, AnyRange}.check(t)
}

func TestShapeIsALattice(t *testing.T) {
	lattice[Shape]{genShape, Shape.Join, Shape{}, UnknownShape}.check(t)
}

func TestGradIsALattice(t *testing.T) {
	lattice[Grad]{genGrad, Grad.Join, GradBottom, GradUnknown}.check(t)
}

func TestReducedIsALattice(t *testing.T) {
	lattice[Reduced]{genReduced, Reduced.Join, 0, AnyReduced}.check(t)
}

func TestEvidenceIsALattice(t *testing.T) {
	lattice[Evidence]{genEvidence, Evidence.Join, EvidenceBottom, NameOnly}.check(t)
}

func TestValueIsALattice(t *testing.T) {
	lattice[Value]{genValue, Value.Join, Value{}, Unknown}.check(t)
}

// A loop of the program joins until nothing changes: a chain must be short.
func TestChainsAreShort(t *testing.T) {
	const bound = 2 + maxKinds + 8 + 8 + 6 + 2*MaxRank + MaxRank + 2 + 3 + 5
	rapid.Check(t, func(t *rapid.T) {
		v, steps := Value{}, 0
		for range 200 {
			next := v.Join(genValue.Draw(t, "next"))
			if next != v {
				steps++
			}
			v = next
		}
		if steps > bound {
			t.Fatalf("%d changes, want at most %d", steps, bound)
		}
	})
}

func TestKindSetsAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := genKind.Draw(t, "a").Join(genKind.Draw(t, "b"))
		if k != UnknownKind && bits.OnesCount64(uint64(k)) > maxKinds {
			t.Fatalf("%s has more than %d kinds", k, maxKinds)
		}
	})
}

// Must and may: what must be of a kind may be of it, and joining only loses
// must claims.
func TestIsImpliesMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, want := genValue.Draw(t, "a"), genValue.Draw(t, "b"), genKind.Draw(t, "want")
		if a.Is(want) && !a.May(want) {
			t.Fatalf("%s must but may not be %s", a, want)
		}
		if j := a.Join(b); j.Is(want) && a.Kind != 0 && !a.Is(want) {
			t.Fatalf("the join %s of %s claims more", j, a)
		}
	})
}

// Flow is how gradients pass through an operation: attached wins.
func TestGradFlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := genGrad.Draw(t, "a"), genGrad.Draw(t, "b"), genGrad.Draw(t, "c")
		if a.Flow(b) != b.Flow(a) || a.Flow(b.Flow(c)) != a.Flow(b).Flow(c) {
			t.Fatalf("flow of %s, %s, %s depends on the order", a, b, c)
		}
	})
	if Attached.Flow(GradUnknown) != Attached || Detached.Flow(Detached) != Detached || Detached.Flow(GradUnknown) != GradUnknown {
		t.Fatal("one attached input attaches; only detached inputs detach")
	}
}

func TestOwnerlessKindsBelongToNobody(t *testing.T) {
	if w := Of(Reward).Whose; w != 0 {
		t.Errorf("a reward belongs to %s", w)
	}
	if w := Of(LogProb).Whose; w != AnyWhose {
		t.Errorf("a log-prob of unknown origin belongs to %s", w)
	}
}
