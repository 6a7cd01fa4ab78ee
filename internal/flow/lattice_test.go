package flow

import (
	"testing"

	"pgregory.net/rapid"
)

// checkLaws checks the four laws of a semilattice, and that Merge and Equals do
// not change their arguments, on generated elements.
func checkLaws[E any, L Semilattice[E]](t *testing.T, l L, gen *rapid.Generator[E], clone func(E) E) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := gen.Draw(t, "a"), gen.Draw(t, "b"), gen.Draw(t, "c")
		a2, b2 := clone(a), clone(b)
		same := func(law string, x, y E) {
			if !l.Equals(x, y) || !l.Equals(y, x) {
				t.Errorf("%s: %v is not %v", law, x, y)
			}
		}
		same("idempotent", l.Merge(a, a), a)
		same("commutative", l.Merge(a, b), l.Merge(b, a))
		same("associative", l.Merge(a, l.Merge(b, c)), l.Merge(l.Merge(a, b), c))
		same("identity", l.Merge(l.Ident(), a), a)
		same("pure", a, a2)
		same("pure", b, b2)
	})
}

func TestBitLatticeLaws(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) Bits {
		return Bits(rapid.SliceOfN(rapid.Uint64Range(0, 7), 0, 3).Draw(t, "words"))
	})
	checkLaws(t, BitLattice{}, gen, func(b Bits) Bits { return append(Bits(nil), b...) })
}

func TestMapLatticeLaws(t *testing.T) {
	bits := rapid.Custom(func(t *rapid.T) Bits { return Bits{rapid.Uint64Range(0, 3).Draw(t, "word")} })
	gen := rapid.MapOfN(rapid.SampledFrom([]string{"x", "self.x", "y"}), bits, 0, 3)
	clone := func(m map[string]Bits) map[string]Bits {
		out := map[string]Bits{}
		for k, v := range m {
			out[k] = append(Bits(nil), v...)
		}
		return out
	}
	checkLaws(t, MapLattice[string, Bits, BitLattice]{}, gen, clone)
}

func TestMapLatticeMissingKeyIsIdentity(t *testing.T) {
	l := MapLattice[string, Bits, BitLattice]{}
	if !l.Equals(map[string]Bits{"x": nil}, nil) {
		t.Error("a key with the identity differs from a missing key")
	}
	if l.Equals(map[string]Bits{"x": {1}}, map[string]Bits{"y": {1}}) {
		t.Error("maps with different keys are equal")
	}
}

func TestBitsBehaveAsSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Bits
		want := map[int]bool{}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			i := rapid.IntRange(0, 200).Draw(t, "i")
			if rapid.Bool().Draw(t, "set") {
				b, want[i] = b.Set(i), true
			} else {
				b.Clear(i)
				want[i] = false
			}
		}
		for i := range 201 {
			if b.Has(i) != want[i] {
				t.Fatalf("Has(%d) = %v", i, b.Has(i))
			}
		}
	})
}
