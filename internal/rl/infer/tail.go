package infer

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Lists of layers that grow
//
// How long a list is that a loop fills is not known, and hardly matters: of
// Sequential(*layers) it is the last layers that say what comes out. So of a list of layers
// the end is followed, as long as it grows where it was made: an element that is added
// under a condition, or in a loop that may run no round, leaves nothing known behind it.

// tail is the end of a list of layers.
type tail struct {
	frame *Frame // where the list was made, and under which condition
	guard *Guard
	vals  []*Val     // the last elements
	steps []ast.Node // what added each of them; nil where the list was made
	least int        // the fewest loops around a step that added an element
}

func newTail(f *Frame, s *state, vals []*Val) *tail {
	if slices.ContainsFunc(vals, func(v *Val) bool { return !v.Is(domain.Module) }) {
		return nil
	}
	t := &tail{frame: f, guard: s.guard, vals: vals, steps: make([]ast.Node, len(vals)), least: math.MaxInt}
	if len(vals) > 0 {
		t.least = len(f.exits)
	}
	return t
}

// grow adds elements behind those of a list; known says that there are no others.
func (in *interp) grow(f *Frame, s *state, n ast.Node, l *SeqRef, vals []*Val, known bool) {
	if l.owner != in {
		return
	}
	in.blur(l)
	for _, v := range vals {
		if again(l.Elem, v) {
			in.absorb(v, l.Elem)
			l.Elem = v
		} else {
			was := l.Elem
			if l.Elem = in.join(was, v); was == nil || !in.same(was, l.Elem) {
				l.grown++
			}
		}
	}
	switch t := l.tail; {
	case t == nil:
	case !known, slices.ContainsFunc(vals, func(v *Val) bool { return !v.Is(domain.Module) }):
		l.tail = nil
	default:
		t.add(f, s, n, vals)
	}
}

// again reports whether v is what a later round of a loop made of the expression that made a: it knows
// of the rounds before, a does not. A row of one is as its element.
func again(a, v *Val) bool {
	if a == nil || v == nil || a == v || !remade(a, v) {
		return false
	}
	x, y := Single(a), Single(v)
	if x == nil || y == nil {
		return a.Ref == nil && v.Ref == nil
	}
	return x == y || x.Ref == nil && y.Ref == nil && remade(x, y)
}

// remade reports whether the expression that made a made v too, of which no more is known.
func remade(a, v *Val) bool {
	return v.Node != nil && a.Node == v.Node && a.Frame == v.Frame && a.Q.Join(v.Q) == v.Q
}

// Single is the element of a row of one, `[x]` or `(x,)`; nil of anything else.
func Single(v *Val) *Val {
	if r, ok := v.Ref.(*SeqRef); ok && len(r.Elems) == 1 {
		return r.Elems[0]
	}
	return nil
}

func (t *tail) add(f *Frame, s *state, n ast.Node, vals []*Val) {
	if i := slices.Index(t.steps, n); i >= 0 { // a loop comes by again
		for i < len(t.steps) && t.steps[i] == n {
			i++
		}
		t.drop(i)
	}
	loops := len(f.exits)
	if f != t.frame || s.guard != t.guard || loops > t.least {
		t.drop(len(t.vals))
		return
	}
	t.least = loops
	for _, v := range vals {
		t.vals, t.steps = append(t.vals, v), append(t.steps, n)
	}
	t.drop(len(t.vals) - maxElems)
}

// drop forgets the first n elements.
func (t *tail) drop(n int) {
	if n > 0 {
		t.vals, t.steps = slices.Clone(t.vals[n:]), slices.Clone(t.steps[n:])
	}
}

// shorten is del list[i]: what stands before the last element is still known without it.
func (in *interp) shorten(f *Frame, s *state, list, i *Val) {
	l, ok := list.Ref.(*SeqRef)
	if !ok || l.owner != in || l.tail == nil {
		return
	}
	in.blur(l)
	t := l.tail
	if n, ok := i.Int(); ok && n == -1 && len(t.vals) > 0 && f == t.frame && s.guard == t.guard {
		last := len(t.vals) - 1
		t.vals, t.steps = slices.Clone(t.vals[:last]), slices.Clone(t.steps[:last])
		return
	}
	l.tail = nil
}

// cut is the tail of a slice of the list.
func (t *tail) cut(f *Frame, s *state, by *SliceRef) *tail {
	if t == nil || by.Low != nil || by.Step != nil {
		return nil
	}
	keep := int64(len(t.vals))
	if by.High != nil {
		i, ok := by.High.Int()
		if !ok || i >= 0 || keep+i < 0 {
			return nil
		}
		keep += i
	}
	return newTail(f, s, t.vals[:keep])
}

// layersIn are the elements of a list in the order in which a value runs through them: of
// one whose length is not known any of them, and then its end.
func (in *interp) layersIn(r *SeqRef) []*Val {
	if r.Elems != nil {
		return r.Elems
	}
	var out []*Val
	if e := in.seqElem(r); e != nil {
		out = append(out, e)
	}
	if r.tail != nil {
		out = append(out, r.tail.vals...)
	}
	return out
}
