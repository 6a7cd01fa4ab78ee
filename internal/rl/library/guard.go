package library

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Conditions guard results and contracts. They are three-valued: what is not
// known is "maybe", and every result that may apply is joined. That makes a
// row monotone by construction: knowing less never yields a stronger claim.
//
//	x:prob|logits   the kind of x is one of these
//	x:=y            x and y are of the same kind
//	x~mean|sum      x is the result of such a reduction
//	x@old           x comes from that network
//	x>=0  x!=0      the range of x
//	dim=0           the argument is this constant
//	keepdim?        the argument is given
//	!TERM           not
//
// joined by commas, all of which must hold.

type truth int8

const (
	no truth = iota
	maybe
	yes
)

// and is the three-valued conjunction.
func (t truth) and(o truth) truth { return min(t, o) }

// known maps a decided test to yes or no.
func known(b bool) truth {
	if b {
		return yes
	}
	return no
}

// condition is a conjunction; the empty one holds.
type condition []term

// term is one atom of a condition.
type term struct {
	arg    int // index into Func.Params
	negate bool
	test   test
	kinds  bool // reads the kind of arg
	other  int  // parameter whose kind is read too, or -1
}

// eval returns the truth of c for the arguments of a call.
func (c condition) eval(a Args) truth {
	t := yes
	for _, x := range c {
		var other *Operand
		if x.other >= 0 {
			other = a.at(x.other)
		}
		v := x.test(a.at(x.arg), other)
		if x.negate {
			v = yes - v
		}
		if t = t.and(v); t == no {
			return no
		}
	}
	return t
}

// parseCondition reads a condition over the parameters of a row.
func parseCondition(text string, params []string) (condition, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var c condition
	for _, part := range strings.Split(text, ",") {
		t, names, err := parseTerm(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		t.other = -1
		for i, at := range []*int{&t.arg, &t.other}[:len(names)] {
			if *at = slices.Index(params, names[i]); *at < 0 {
				return nil, fmt.Errorf("condition %q: no parameter %q", part, names[i])
			}
		}
		c = append(c, t)
	}
	return c, nil
}

// parseTerm reads one atom, and the names of the one or two parameters that it
// is about.
func parseTerm(text string) (t term, names []string, err error) {
	text, negate := strings.CutPrefix(text, "!")
	i := strings.IndexAny(text, ":~@>!=?")
	if i <= 0 {
		return t, nil, fmt.Errorf("condition %q: want ARG:KIND, ARG~REDUCTION, ARG@OWNER, ARG>=0, ARG!=0, ARG=CONSTANT or ARG?", text)
	}
	names = []string{text[:i]}
	t.negate = negate
	switch op, rest := text[i], text[i+1:]; {
	case op == ':' && strings.HasPrefix(rest, "="):
		names = append(names, rest[1:])
		t.kinds, t.test = true, sameKind
	case op == ':':
		t.kinds = true
		t.test, err = kindIn(rest)
	case op == '~':
		t.test, err = reducedIn(rest)
	case op == '@':
		t.test, err = ownerIn(rest)
	case text[i:] == ">=0":
		t.test = ranged(domain.Range.NonNegative)
	case text[i:] == "!=0":
		t.test = ranged(func(r domain.Range) bool { return r.NonZero })
	case op == '=':
		t.test = isConst(literal(rest))
	case text[i:] == "?":
		t.test = func(o, _ *Operand) truth { return known(o != nil) }
	default:
		err = fmt.Errorf("condition %q is not understood", text)
	}
	return t, names, err
}

// test is a condition on one argument, or on two.
type test = func(o, other *Operand) truth

// kindIn tests for one of some kinds.
func kindIn(names string) (test, error) {
	var want domain.Kind
	for _, n := range strings.Split(names, "|") {
		k, ok := domain.ParseKind(n)
		if !ok {
			return nil, fmt.Errorf("unknown kind %q", n)
		}
		want |= k
	}
	return func(o, _ *Operand) truth {
		if o == nil {
			return no
		}
		switch k := o.V.Kind; {
		case k == domain.UnknownKind:
			return maybe
		case k.Is(want):
			return yes
		case k.May(want):
			return maybe
		}
		return no
	}, nil
}

// sameKind tests for the kind of another argument.
func sameKind(x, y *Operand) truth {
	if x == nil || y == nil {
		return no
	}
	switch k, l := x.V.Kind, y.V.Kind; {
	case !k.Known() || !l.Known():
		return maybe
	case k == l && bits.OnesCount64(uint64(k)) == 1:
		return yes
	default:
		return min(maybe, known(k.May(l)))
	}
}

// reductions are the words of `~`.
var reductions = map[string]domain.Reduced{
	"mean": domain.MeanAll | domain.MeanDim, "sum": domain.SumAll | domain.SumDim, "mean-all": domain.MeanAll,
	"unreduced": domain.Unreduced, "lse": domain.LogSumExp, "extremum": domain.Extremum,
}

// reducedIn tests for one of some reductions.
func reducedIn(names string) (test, error) {
	var want domain.Reduced
	for _, n := range strings.Split(names, "|") {
		r, ok := reductions[n]
		if !ok {
			return nil, fmt.Errorf("unknown reduction %q", n)
		}
		want |= r
	}
	return func(o, _ *Operand) truth {
		if o == nil {
			return no
		}
		switch r := o.V.Reduced; {
		case !r.Known():
			return maybe
		case r.Is(want):
			return yes
		case r.May(want):
			return maybe
		}
		return no
	}, nil
}

// owners are the words of `@`.
var owners = map[string]domain.Whose{
	"current": domain.Current, "old": domain.Old, "reference": domain.Reference, "target": domain.Target,
}

// ownerIn tests for one network.
func ownerIn(name string) (test, error) {
	want, ok := owners[name]
	if !ok {
		return nil, fmt.Errorf("unknown owner %q", name)
	}
	return func(o, _ *Operand) truth {
		if o == nil {
			return no
		}
		switch w := o.V.Whose; {
		case w.Is(want):
			return yes
		case w.May(want) || w == domain.AnyWhose:
			return maybe
		}
		return no
	}, nil
}

// ranged tests the range; what is not surely so may be so.
func ranged(f func(domain.Range) bool) test {
	return func(o, _ *Operand) truth {
		switch {
		case o == nil:
			return no
		case f(o.V.Range):
			return yes
		}
		return maybe
	}
}

// isConst tests for a constant.
func isConst(want any) test {
	return func(o, _ *Operand) truth {
		switch {
		case o == nil:
			return no
		case o.Const == nil:
			return maybe
		}
		return known(equalConst(o.Const, want))
	}
}

// equalConst compares scalars as Python does: 1 == 1.0, but not True.
func equalConst(got, want any) bool {
	switch got.(type) {
	case bool, string, None:
		return got == want
	}
	x, ok := number(got)
	y, ok2 := number(want)
	return ok && ok2 && x == y
}

// number returns a constant int or float.
func number(c any) (float64, bool) {
	switch c := c.(type) {
	case int64:
		return float64(c), true
	case float64:
		return c, true
	}
	return 0, false
}

// literal reads a constant of a table: none, true, false, a number or a word.
func literal(s string) any {
	switch s {
	case "none":
		return None{}
	case "true":
		return true
	case "false":
		return false
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	return s
}
