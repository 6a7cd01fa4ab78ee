package domain

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// of builds a shape of constants; -1 is an unknown size.
func of(sizes ...int) Shape {
	dims := make([]Dim, len(sizes))
	for i, n := range sizes {
		dims[i] = UnknownDim
		if n >= 0 {
			dims[i] = ConstDim(n)
		}
	}
	return MakeShape(dims...)
}

// ending is a shape of unknown rank of which the last sizes are these.
func ending(sizes ...int) Shape {
	s := of(sizes...)
	return EndingIn(s.dims()...)
}

func TestShapesAsTorchMakesThem(t *testing.T) {
	unknown := UnknownShape
	dims := func(n ...int) []Dim {
		out := make([]Dim, len(n))
		for i, x := range n {
			out[i] = ConstDim(x)
			if x == -1 {
				out[i] = Rest
			}
		}
		return out
	}
	for _, c := range []struct {
		name      string
		got, want Shape
	}{
		{"(3,1) + (1,4)", of(3, 1).Broadcast(of(1, 4)), of(3, 4)},
		{"(N,) + (N,1) is the square", of(8).Broadcast(of(8, 1)), of(8, 8)},
		{"scalar + (2,3)", of().Broadcast(of(2, 3)), of(2, 3)},
		{"(?,) + (4,)", of(-1).Broadcast(of(4)), of(4)},
		{"(3,) + (4,) is an error", of(3).Broadcast(of(4)), unknown},
		{"mean()", of(2, 3).Reduce(false), of()},
		{"mean(keepdim)", of(2, 3).Reduce(true), of(1, 1)},
		{"mean(1)", of(2, 3).Reduce(false, 1), of(2)},
		{"mean(-1, keepdim)", of(2, 3).Reduce(true, -1), of(2, 1)},
		{"mean((0, 1))", of(2, 3).Reduce(false, 0, 1), of()},
		{"mean(2) of a matrix is an error", of(2, 3).Reduce(false, 2), unknown},
		{"mean() of unknown rank", unknown.Reduce(false), of()},
		{"mean(1) of unknown rank", unknown.Reduce(false, 1), ending(-1)},
		{"mean(0) of unknown rank", unknown.Reduce(false, 0), unknown},
		{"unsqueeze(0)", of(2).Unsqueeze(0), of(1, 2)},
		{"unsqueeze(-1)", of(2).Unsqueeze(-1), of(2, 1)},
		{"unsqueeze(1)", of(2, 3).Unsqueeze(1), of(2, 1, 3)},
		{"squeeze()", of(1, 2, 1).Squeeze(), of(2)},
		{"squeeze(0)", of(1, 2, 1).Squeeze(0), of(2, 1)},
		{"squeeze(1) of size 2", of(1, 2).Squeeze(1), of(1, 2)},
		{"squeeze(1) of unknown size", of(1, -1).Squeeze(1), unknown},
		{"squeeze() of an unknown size", of(-1, 4).Squeeze(), ending(4)},
		{"view(-1, 4)", of(2, 6).View(dims(-1, 4)...), of(3, 4)},
		{"view(-1, 1)", of(-1).View(dims(-1, 1)...), of(-1, 1)},
		{"view of unknown", unknown.View(dims(-1, 8)...), of(-1, 8)},
		{"x[0]", of(2, 3).Index(0), of(3)},
		{"transpose(0, 1)", of(2, 3).Transpose(0, 1), of(3, 2)},
		{"permute(2, 0, 1)", of(2, 3, 4).Permute(2, 0, 1), of(4, 2, 3)},
		{"permute twice the same", of(2, 3).Permute(0, 0), unknown},
		{"cat on 0", of(2, 3).Cat(0, of(4, 3)), of(6, 3)},
		{"cat with unknown", of(2, 3).Cat(1, of(2, -1)), of(2, -1)},
		{"stack of 5", of(2).Stack(0, ConstDim(5)), of(5, 2)},
		{"stack of 5 last", of(2).Stack(-1, ConstDim(5)), of(2, 5)},
		{"expand(-1, 4)", of(3, 1).Expand(dims(-1, 4)...), of(3, 4)},
		{"expand(2, -1)", of(3).Expand(dims(2, -1)...), of(2, 3)},
		{"flatten()", of(2, 3).Flatten(0, -1), of(6)},
		{"flatten(1)", of(2, 3, 4).Flatten(1, -1), of(2, 12)},
		{"flatten() of unknown rank", unknown.Flatten(0, -1), of(-1)},
		{"flatten(1) with unknown", of(2, -1, 4).Flatten(1, -1), of(2, -1)},
		{"droplast", of(2, 3).DropLast(1), of(2)},
		{"droplast of a scalar", of().DropLast(1), unknown},
		{"(2,3) @ (3,4)", of(2, 3).MatMul(of(3, 4)), of(2, 4)},
		{"(5,2,3) @ (3,4)", of(5, 2, 3).MatMul(of(3, 4)), of(5, 2, 4)},
		{"(3,) @ (3,)", of(3).MatMul(of(3)), of()},
		{"(2,3) @ (3,)", of(2, 3).MatMul(of(3)), of(2)},
		{"(3,) @ (3,4)", of(3).MatMul(of(3, 4)), of(4)},
		{"(3,) @ (5,3,4)", of(3).MatMul(of(5, 3, 4)), of(5, 4)},
		{"above the rank that is followed", of(1, 2, 3, 4).Unsqueeze(0), ending(1, 2, 3, 4)},
		{"stack above the rank that is followed", of(1, 2, 3, 4).Stack(1, ConstDim(7)), ending(7, 2, 3, 4)},
		{"view above the rank that is followed", unknown.View(dims(2, -1, 3, 4, 5)...), ending(-1, 3, 4, 5)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, show(c.got), show(c.want))
		}
	}
}

// What is known of the last axes of a shape of unknown rank.
func TestLastAxes(t *testing.T) {
	unknown := UnknownShape
	for _, c := range []struct {
		name      string
		got, want Shape
	}{
		{"join of two ranks", of(5, 3, 4).Join(of(3, 4)), ending(3, 4)},
		{"join of two sizes", of(5, 4).Join(ending(7, 4)), ending(-1, 4)},
		{"join with a scalar", of(3).Join(of()), unknown},
		{"+ scalar", ending(4, 1).Broadcast(of()), ending(4, 1)},
		{"+ unknown", ending(4, 1).Broadcast(unknown), ending(4, -1)},
		{"of known rank + unknown", of(8, 4).Broadcast(unknown), ending(8, 4)},
		{"+ (8,)", ending(4, 1).Broadcast(of(8)), ending(4, 8)},
		{"+ (8, 4)", ending(1).Broadcast(of(8, 4)), ending(8, 4)},
		{"+ an error", ending(3).Broadcast(of(4)), unknown},
		{"mean()", ending(4).Reduce(false), of()},
		{"mean(-1)", ending(4, 1).Reduce(false, -1), ending(4)},
		{"mean(-1) of unknown", unknown.Reduce(false, -1), unknown},
		{"mean(-1, keepdim)", ending(4, 7).Reduce(true, -1), ending(4, 1)},
		{"mean(-1, keepdim) of unknown", unknown.Reduce(true, -1), ending(1)},
		{"mean(0)", ending(4, 7).Reduce(false, 0), ending(7)},
		{"mean(0, keepdim)", ending(4, 7).Reduce(true, 0), ending(-1, 7)},
		{"mean(1)", ending(4, 7).Reduce(false, 1), ending(-1)},
		{"mean(-3)", ending(4, 7).Reduce(false, -3), ending(4, 7)},
		{"mean((0, -1))", ending(5, 4, 7).Reduce(false, 0, -1), ending(4)},
		{"unsqueeze(-1)", unknown.Unsqueeze(-1), ending(1)},
		{"unsqueeze(-2)", ending(4).Unsqueeze(-2), ending(1, 4)},
		{"unsqueeze(0)", ending(4).Unsqueeze(0), ending(-1, 4)},
		{"unsqueeze(1)", ending(3, 4).Unsqueeze(1), ending(-1, -1, 4)},
		{"squeeze(-1)", ending(4, 1).Squeeze(-1), ending(4)},
		{"squeeze(-1) of more", ending(4, 2).Squeeze(-1), ending(4, 2)},
		{"squeeze(-1) of unknown", unknown.Squeeze(-1), unknown},
		{"squeeze(0)", ending(4, 1).Squeeze(0), ending(1)},
		{"squeeze(1)", ending(4, 1).Squeeze(1), unknown},
		{"squeeze()", ending(4, -1, 1, 3).Squeeze(), ending(3)},
		{"x[0]", ending(4, 1).Index(0), ending(1)},
		{"x[..., 0]", ending(4, 1).Index(-1), ending(4)},
		{"x[:, 1:]", ending(5, 4, 3).Slice(1, UnknownDim), ending(-1, -1, 3)},
		{"x[..., :2]", unknown.Slice(-1, ConstDim(2)), ending(2)},
		{"x[..., 1:]", ending(4, 3).Slice(-1, ConstDim(2)), ending(4, 2)},
		{"transpose(-1, -2)", ending(4, 3).Transpose(-1, -2), ending(3, 4)},
		{"transpose(0, 1)", ending(5, 4, 3).Transpose(0, 1), ending(-1, -1, 3)},
		{"transpose(-1, -2) of unknown", unknown.Transpose(-1, -2), ending(-1, -1)},
		{"transpose(0, -1)", ending(4).Transpose(0, -1), ending(-1)},
		{"permute(0, 2, 1)", ending(3).Permute(0, 2, 1), of(-1, 3, -1)},
		{"permute of fewer", ending(2, 3).Permute(0), unknown},
		{"cat on -1", ending(3, 4).Cat(-1, ending(5)), ending(-1, 9)},
		{"cat with a known rank", ending(4).Cat(0, of(2, 4)), of(-1, 4)},
		{"cat on 0", ending(3, 4).Cat(0, ending(3, 4)), ending(-1, 4)},
		{"stack on 0", ending(4).Stack(0, ConstDim(2)), ending(-1, 4)},
		{"stack on -1", ending(4).Stack(-1, ConstDim(2)), ending(4, 2)},
		{"expand(-1, -1, 5)", ending(3, 1).Expand(Rest, Rest, ConstDim(5)), of(-1, 3, 5)},
		{"without the last", ending(3, 1).DropLast(1), ending(3)},
		{"with one more", unknown.Append(ConstDim(6)), ending(6)},
		{"@ (3, 4)", unknown.MatMul(of(3, 4)), ending(4)},
		{"(.., 2, 3) @ (3, 4)", ending(2, 3).MatMul(of(3, 4)), ending(2, 4)},
		{"@ (3,)", ending(2, 3).MatMul(of(3)), ending(2)},
		{"flatten(1)", unknown.Flatten(1, -1), of(-1, -1)},
		{"flatten(0, 1)", ending(5, 4, 3).Flatten(0, 1), ending(3)},
		{"flatten(-2, -1)", ending(5, 4, 3).Flatten(-2, -1), ending(5, 12)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, show(c.got), show(c.want))
		}
	}
}

func show(s Shape) string {
	if s.IsBottom() {
		return "bottom"
	}
	if s == UnknownShape {
		return "unknown"
	}
	return s.String()
}

func TestMeaningsSurviveReshaping(t *testing.T) {
	s := MakeShape(Dim{N: -1, Axis: AxisBatch}, Dim{N: 4, Axis: AxisAction})
	for want, got := range map[string]Shape{
		"[B]":       s.Reduce(false, -1),
		"[B,1]":     s.Reduce(true, -1),
		"[A:4,B]":   s.Transpose(0, 1),
		"[B,1,A:4]": s.Unsqueeze(1),
		"[B,A:7]":   s.Slice(-1, ConstDim(7)),
		"[B,A:4]":   s.Broadcast(MakeShape()),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

var shapeOps = map[string]func(s Shape) Shape{
	"reduce all":   func(s Shape) Shape { return s.Reduce(false) },
	"reduce 0":     func(s Shape) Shape { return s.Reduce(false, 0) },
	"reduce -1":    func(s Shape) Shape { return s.Reduce(true, -1) },
	"unsqueeze":    func(s Shape) Shape { return s.Unsqueeze(-1) },
	"squeeze":      func(s Shape) Shape { return s.Squeeze() },
	"squeeze 0":    func(s Shape) Shape { return s.Squeeze(0) },
	"view":         func(s Shape) Shape { return s.View(Rest, ConstDim(2)) },
	"transpose":    func(s Shape) Shape { return s.Transpose(0, -1) },
	"permute":      func(s Shape) Shape { return s.Permute(1, 0) },
	"expand":       func(s Shape) Shape { return s.Expand(ConstDim(3), Rest) },
	"flatten":      func(s Shape) Shape { return s.Flatten(0, 1) },
	"flatten all":  func(s Shape) Shape { return s.Flatten(0, -1) },
	"drop":         func(s Shape) Shape { return s.DropLast(1) },
	"append":       func(s Shape) Shape { return s.Append(ConstDim(2)) },
	"stack":        func(s Shape) Shape { return s.Stack(1, ConstDim(2)) },
	"slice":        func(s Shape) Shape { return s.Slice(-1, UnknownDim) },
	"cat":          func(s Shape) Shape { return s.Cat(0, of(2, 3)) },
	"broadcast":    func(s Shape) Shape { return s.Broadcast(of(3, 1)) },
	"broadcast of": func(s Shape) Shape { return of(-1).Broadcast(s) },
	"matmul":       func(s Shape) Shape { return s.MatMul(of(3, 2)) },
	"matmul by":    func(s Shape) Shape { return of(2, 3).MatMul(s) },
}

// mayFail are the operations that are an error for some shapes of unknown rank, too.
var mayFail = map[string]bool{"broadcast": true, "broadcast of": true, "cat": true, "permute": true, "expand": true, "matmul": true, "matmul by": true}

// Knowing less of a shape never yields more of the result. An operation that
// is an error for the exact shape has no result that could be lost.
func TestShapesAreMonotone(t *testing.T) {
	for name, op := range shapeOps {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a := genShape.Draw(t, "a")
			b := a.Join(genShape.Draw(t, "more"))
			x, y := op(a), op(b)
			if a.Known() && !x.Known() || x == UnknownShape && mayFail[name] {
				return
			}
			if x.Join(y) != y {
				t.Fatalf("of %s it is %s, of %s it is %s", show(a), show(x), show(b), show(y))
			}
		}))
	}
}

// Reference implementations on plain sizes.
func TestReduceAgainstSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 5), 1, MaxRank).Draw(t, "sizes")
		axis := rapid.IntRange(0, len(sizes)-1).Draw(t, "axis")
		want := slices.Delete(slices.Clone(sizes), axis, axis+1)
		if got := of(sizes...).Reduce(false, axis); got != of(want...) {
			t.Fatalf("%v without %d: %s", sizes, axis, got)
		}
		if got := of(sizes...).Reduce(false, axis-len(sizes)); got != of(want...) {
			t.Fatalf("%v without %d: %s", sizes, axis-len(sizes), got)
		}
	})
}

func TestHugeSizesDoNotOverflow(t *testing.T) {
	huge := of(1<<30, 1<<30)
	if got := huge.Flatten(0, -1); got != of(-1) {
		t.Errorf("flatten: %s", got)
	}
	if n, ok := of(1<<30, 1<<30, 1<<30, 1<<30).Numel(); ok {
		t.Errorf("numel: %d", n)
	}
	if got := of(1<<30).Cat(0, of(1<<30)); got != of(-1) {
		t.Errorf("cat: %s", got)
	}
}

func ExampleValue_String() {
	v := Of(LogProb)
	v.Whose, v.Grad = Old, Detached
	v.Shape = MakeShape(Dim{N: -1, Axis: AxisBatch}, Dim{N: 16, Axis: AxisTime}, Dim{N: -1, Sym: 7})
	fmt.Println(v)
	std := Of(Std)
	std.Range, std.Shape, std.Grad = Between(Zero, PosInf).AwayFromZero(), MakeShape(), Attached
	fmt.Println(std)
	hint := Of(Ratio)
	hint.Evidence = NameOnly
	fmt.Println(hint)
	// Output:
	// old log-prob[B,T:16,s7] detached
	// std[] attached >=0 !=0
	// ratio ~name-only
}
