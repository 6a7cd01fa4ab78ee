package library

import (
	"math"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// How axes and sizes are read out of arguments.

// axes reads an axis argument. all is true where it is None or not given.
func axes(a Args, p ref) (list []int, all, ok bool) {
	o, given := a.get(p)
	if !given || o.Const == (None{}) {
		return nil, true, true
	}
	list, ok = ints(o)
	return list, false, ok
}

// ints reads an int or a tuple or list of ints.
func ints(o Operand) ([]int, bool) {
	switch c := o.Const.(type) {
	case int64:
		return []int{small(c)}, true
	case []int64:
		out := make([]int, len(c))
		for i, n := range c {
			out[i] = small(n)
		}
		return out, true
	case []any:
		return intsOf(len(c), func(i int) any { return c[i] })
	}
	if o.Elems == nil {
		return nil, false
	}
	return intsOf(len(o.Elems), func(i int) any { return o.Elems[i].Const })
}

// intsOf reads n constants that must all be ints.
func intsOf(n int, at func(int) any) ([]int, bool) {
	out := make([]int, n)
	for i := range out {
		c, ok := at(i).(int64)
		if !ok {
			return nil, false
		}
		out[i] = small(c)
	}
	return out, true
}

// small brings a constant of the user's program into the range of sizes.
func small(n int64) int { return int(max(math.MinInt32, min(math.MaxInt32, n))) }

// dimOf reads a size.
func dimOf(a Args, p ref) domain.Dim {
	o, ok := a.get(p)
	if !ok {
		return domain.UnknownDim
	}
	return sizeDim(o)
}

// sizeDim reads one size of a view: a constant, -1, a symbol, or unknown.
func sizeDim(o Operand) domain.Dim {
	switch c := o.Const.(type) {
	case domain.Dim:
		return c
	case int64:
		if c == -1 {
			return domain.Rest
		}
		if c >= 0 && c <= math.MaxInt32 {
			return domain.ConstDim(int(c))
		}
	}
	return domain.UnknownDim
}

// sizes reads the sizes of view(*size) or view(size); ok is false where not
// even their number is known.
func sizes(a Args, p ref) ([]domain.Dim, bool) {
	list := a.rest
	if len(list) < 2 {
		o, ok := a.get(p)
		if !ok {
			return nil, false
		}
		if list, ok = tuple(o); !ok {
			return nil, false
		}
	}
	out := make([]domain.Dim, len(list))
	for i, o := range list {
		out[i] = sizeDim(o)
	}
	return out, true
}

// tuple returns the elements of a tuple or list, or a single number as one.
func tuple(o Operand) ([]Operand, bool) {
	switch c := o.Const.(type) {
	case []int64:
		out := make([]Operand, len(c))
		for i, n := range c {
			out[i] = Operand{Const: n}
		}
		return out, true
	case []any:
		out := make([]Operand, len(c))
		for i, n := range c {
			out[i] = Operand{Const: n}
		}
		return out, true
	case int64, domain.Dim:
		return []Operand{o}, true
	}
	if o.Elems != nil {
		return o.Elems, true
	}
	return []Operand{o}, o.V.Is(domain.Number | domain.Count | domain.Coef)
}
