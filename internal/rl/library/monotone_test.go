package library

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// allKinds are the single kinds.
func allKinds() []domain.Kind {
	var out []domain.Kind
	for i := range 64 {
		k := domain.Kind(1) << i
		if name := k.String(); name == "" {
			break
		}
		out = append(out, k)
	}
	return out
}

// weaker reports that knowing less gave a stronger claim. The evidence of a
// value of unknown kind says nothing.
func weaker(f *Func, exact, less domain.Value, how string) error {
	if less.Kind == domain.UnknownKind {
		exact.Evidence = less.Evidence
	}
	if exact.Join(less) == less {
		return nil
	}
	return fmt.Errorf("%s: %s from what is known, but %s %s", f.Name, exact, less, how)
}

// testedBy returns the parameters whose kind some guard of f reads.
func testedBy(f *Func) []string {
	all := append([]outcome(nil), f.results...)
	for _, e := range f.elements {
		all = append(all, e.results...)
	}
	var out []string
	for i, p := range f.Params {
		if tests(all, i) {
			out = append(out, p)
		}
	}
	return out
}

// results are the value of a call, and of its tuple's elements.
func results(f *Func, a Args) []domain.Value {
	out := []domain.Value{f.Apply(a)}
	if elems, ok := f.Elements(a); ok {
		for _, e := range elems {
			out = append(out, e.V)
		}
	}
	return out
}

// call binds by keyword, which every parameter allows here.
func call(f *Func, kw map[string]Operand) Args {
	a := Args{f: f, vals: make([]Operand, len(f.Params))}
	for name, o := range kw {
		a.set(a.index(name), o)
	}
	return a
}

// Exhaustive over kinds: for every row and every assignment of single kinds to
// the parameters that guards read, forgetting one kind or adding a second one
// never gives a stronger claim. Rows with three such parameters do not exist.
func TestEveryRowIsMonotoneInKinds(t *testing.T) {
	kinds := allKinds()
	checked := 0
	for _, f := range Load().rows {
		tested := testedBy(f)
		if len(tested) > 2 {
			t.Errorf("%s: %d parameters are guarded; the test enumerates two", f.Name, len(tested))
			continue
		}
		others := map[string]Operand{}
		for _, p := range f.Params {
			if p == "x" || p == "y" || p == "self" {
				others[p] = Operand{V: domain.Unknown}
			}
		}
		each(tested, kinds, others, func(kw map[string]Operand) {
			exact := results(f, call(f, kw))
			for _, p := range tested {
				known := kw[p]
				for _, more := range append([]domain.Kind{domain.UnknownKind}, kinds[:4]...) {
					o := known
					o.V.Kind = known.V.Kind.Join(more)
					kw[p] = o
					for i, less := range results(f, call(f, kw)) {
						if err := weaker(f, exact[i], less, fmt.Sprintf("where %s is %s", p, o.V.Kind)); err != nil {
							t.Fatal(err)
						}
					}
					checked++
				}
				kw[p] = known
			}
		})
	}
	if checked < 10000 {
		t.Errorf("only %d cases", checked)
	}
}

// each assigns every combination of kinds to the parameters.
func each(params []string, kinds []domain.Kind, kw map[string]Operand, visit func(map[string]Operand)) {
	if len(params) == 0 {
		visit(kw)
		return
	}
	for _, k := range kinds {
		kw[params[0]] = v(k)
		each(params[1:], kinds, kw, visit)
	}
}

var genOperand = rapid.Custom(func(t *rapid.T) Operand {
	if rapid.IntRange(0, 3).Draw(t, "const") == 0 {
		return ConstOperand(rapid.SampledFrom([]any{int64(0), int64(1), int64(-1), int64(2), 0.5, 1e-8, true, false, "mean", "none", None{}}).Draw(t, "c"))
	}
	o := Operand{V: domain.Of(rapid.SampledFrom(allKinds()).Draw(t, "kind"))}
	o.V.Range = rapid.SampledFrom([]domain.Range{
		domain.AnyRange, domain.Between(domain.Zero, domain.One), domain.Between(domain.Zero, domain.PosInf), domain.Between(domain.One, domain.PosInf),
		domain.Between(domain.Zero, domain.PosInf).AwayFromZero(), domain.Between(domain.NegInf, domain.Zero), domain.AnyRange.AwayFromZero(),
	}).Draw(t, "range")
	o.V.Reduced = rapid.SampledFrom([]domain.Reduced{domain.AnyReduced, domain.Unreduced, domain.MeanDim, domain.SumAll, domain.LogSumExp, domain.Extremum}).Draw(t, "reduced")
	o.V.Grad = rapid.SampledFrom([]domain.Grad{domain.Attached, domain.Detached, domain.GradUnknown}).Draw(t, "grad")
	o.V.Whose = rapid.SampledFrom([]domain.Whose{0, domain.Current, domain.Old, domain.AnyWhose}).Draw(t, "whose")
	o.V.Shape = rapid.SampledFrom([]domain.Shape{domain.UnknownShape, mkShape(), mkShape(4), mkShape(-1), mkShape(4, 1), mkShape(2, -1)}).Draw(t, "shape")
	return o
})

// forget draws an operand that says less than o.
func forget(t *rapid.T, o Operand) Operand {
	switch rapid.IntRange(0, 6).Draw(t, "forget") {
	case 0:
		o.V.Range = domain.AnyRange
	case 1:
		o.V.Reduced = domain.AnyReduced
	case 2:
		o.V.Grad = domain.GradUnknown
	case 3:
		o.V.Whose = domain.AnyWhose
	case 4:
		o.V.Shape = domain.UnknownShape
	case 5:
		o.Const = nil
	case 6:
		o.V, o.Const = domain.Unknown, nil
	}
	return o
}

// Random in everything else: forgetting a constant, a range, a reduction, an
// owner or a shape never gives a stronger claim. An operation that would be an
// error in Python has an unknown shape, which is not compared.
func TestEveryRowIsMonotoneInTheRest(t *testing.T) {
	rows := Load().rows
	rapid.Check(t, func(t *rapid.T) {
		f := rows[rapid.IntRange(0, len(rows)-1).Draw(t, "row")]
		if len(f.Params) == 0 {
			return
		}
		kw := map[string]Operand{}
		for i, p := range f.Params {
			if i == 0 || rapid.Bool().Draw(t, "given "+p) {
				kw[p] = genOperand.Draw(t, p)
			}
		}
		exact := results(f, call(f, kw))
		p := f.Params[rapid.IntRange(0, len(f.Params)-1).Draw(t, "which")]
		o, ok := kw[p]
		if !ok {
			return
		}
		kw[p] = forget(t, o)
		less := results(f, call(f, kw))
		for i := range less {
			if i >= len(exact) {
				break
			}
			if !exact[i].Shape.Known() {
				less[i].Shape = exact[i].Shape
			}
			if len(less) == len(exact) {
				if err := weaker(f, exact[i], less[i], fmt.Sprintf("where %s is forgotten", p)); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
