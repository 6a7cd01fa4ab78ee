package coverage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// scalars are kinds of what is no tensor, or need not be one.
const scalars = domain.Count | domain.Coef | domain.Number | domain.Text | domain.Distribution | domain.Optimizer | domain.Module | domain.Env | domain.Other

// tensors are the values of a result that hold tensors, or may hold them: an unknown value
// counts where it is computed from a tensor, or where torch takes it for one. A buffer that
// was allocated and not yet filled has no kind that could be known; it does not count.
type tensors struct {
	is   map[*infer.Val]bool
	used map[*infer.Val]bool // something is computed from them
	// all are the values of expressions, in order of evaluation.
	all []*infer.Val
}

func findTensors(res *infer.Result) *tensors {
	t := &tensors{is: map[*infer.Val]bool{}, used: map[*infer.Val]bool{}}
	for _, f := range res.Frames {
		if f.Stale() {
			continue
		}
		for v := range f.Each {
			if v.Node != nil {
				t.all = append(t.all, v)
			}
			for _, x := range v.In {
				t.used[x] = true
			}
		}
	}
	slices.SortStableFunc(t.all, func(a, b *infer.Val) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, v := range t.all {
		t.note(v, knownTensor(v) || t.madeOfTensors(v))
	}
	for _, v := range slices.Backward(t.all) {
		t.usedAsTensors(v)
	}
	for _, v := range t.all { // what is computed from those that use alone showed
		t.note(v, t.madeOfTensors(v))
	}
	return t
}

func (t *tensors) note(v *infer.Val, is bool) {
	if is {
		t.is[v] = true
	}
}

// mayBe reports whether nothing speaks against a value being a tensor. What a library that
// the tables do not know returns is an object of unknown class.
func mayBe(v *infer.Val) bool {
	return v != nil && v.Const == nil && v.Q.Kind == domain.UnknownKind && structureless(v) && !infer.Blank(v)
}

// structureless reports whether a value is no function, module, container or object of which
// the class is known.
func structureless(v *infer.Val) bool {
	o, ok := v.Ref.(*infer.LibObject)
	return v.Ref == nil || ok && o.Class == nil
}

// knownTensor reports whether inference itself says so.
func knownTensor(v *infer.Val) bool {
	if v.Const != nil || !structureless(v) {
		return false
	}
	if v.Q.Kind.Known() {
		return v.Q.Kind&^scalars != 0
	}
	return !infer.Blank(v) && (v.Lib != infer.LibUnknown || v.Q.Grad == domain.Attached || v.Q.Shape.Known() && v.Q.Shape.Rank > 0 ||
		v.Fn != nil && infer.LibOfName(v.Op) == infer.LibTorch)
}

// madeOfTensors reports whether an unknown value is computed from a tensor: an operator,
// an element, an attribute, or the result of a call that is not resolved and that something
// is computed from: what a logger is given makes no tensor.
func (t *tensors) madeOfTensors(v *infer.Val) bool {
	if !mayBe(v) || len(v.In) == 0 {
		return false
	}
	switch op, _, _ := strings.Cut(v.Op, "."); op {
	case infer.OpItem, infer.OpAttr, infer.OpIterate, infer.OpNarrow:
		return t.is[v.In[0]]
	case infer.OpCall:
		if !t.used[v] {
			return false
		}
	}
	return slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && t.is[x] })
}

// usedAsTensors notes the unknown values that torch takes for tensors: the receiver, or the
// first argument, of a function of torch.
func (t *tensors) usedAsTensors(v *infer.Val) {
	if v.Fn == nil || infer.LibOfName(v.Op) != infer.LibTorch || len(v.In) == 0 || !takesTensor(v.Fn) {
		return
	}
	if x := v.In[0]; mayBe(x) && x.Node != nil && x.Frame != nil {
		t.is[x] = true
	}
}

// takesTensor reports whether the first parameter of a function of torch is a tensor.
func takesTensor(row *library.Func) bool {
	return row.Receiver || len(row.Params) > 0 && slices.Contains([]string{"x", "input"}, row.Params[0])
}

// origin is what a value is unknown because of, and the evaluation in which that is.
type origin struct {
	of *infer.Val
	in *infer.Frame
}

// origins finds those of values of which one aspect is unknown.
type origins struct {
	t       *tensors
	unknown func(*infer.Val) bool
	found   map[*infer.Val]origin
}

// kindOrigins and gradOrigins are the searches of the two aspects.
func kindOrigins(t *tensors) *origins {
	return &origins{t, mayBe, map[*infer.Val]origin{}}
}

func gradOrigins(t *tensors) *origins {
	return &origins{t, func(v *infer.Val) bool {
		return v.Q.Grad == domain.GradUnknown && v.Const == nil && structureless(v) && !v.Is(scalars)
	}, map[*infer.Val]origin{}}
}

// root follows an unknown value back to the first one on the way: of what it is made of the
// same is known, or it is made of nothing.
func (r *origins) root(v *infer.Val) origin {
	var way []*infer.Val
	seen := map[*infer.Val]bool{}
	var o origin
	for !seen[v] {
		if known, ok := r.found[v]; ok {
			o = known
			break
		}
		seen[v] = true
		way = append(way, v)
		o.of = v
		if v.Frame != nil {
			o.in = v.Frame
		}
		if x := r.unknownInput(v); x != nil {
			v = x
		}
	}
	o.in = boundIn(o)
	for _, v := range way {
		r.found[v] = o
	}
	return o
}

// boundIn is the evaluation whose function has the parameter that a value is unknown because of: a helper
// that was handed it is called, and the parameter is its caller's.
func boundIn(o origin) *infer.Frame {
	for f := o.in; f != nil && o.of.Op == infer.OpParam; f = f.Caller {
		if f.Entry && slices.Contains(f.Params, o.of) {
			return f
		}
	}
	return o.in
}

// unknownInput is what a value is unknown because of: a tensor rather than anything else.
func (r *origins) unknownInput(v *infer.Val) *infer.Val {
	var other *infer.Val
	for _, x := range v.In {
		if x = inside(x, r.unknown); x == nil || x.Node == nil || !r.unknown(x) {
			continue
		}
		if r.t.is[x] {
			return x
		}
		if other == nil {
			other = x
		}
	}
	return other
}

// inside returns the first unknown element of a list, also of a list of lists; any other
// value is its own.
func inside(v *infer.Val, unknown func(*infer.Val) bool) *infer.Val {
	for range 4 {
		list, ok := sequence(v)
		if !ok {
			return v
		}
		v = nil
		for _, e := range append(list.Elems[:len(list.Elems):len(list.Elems)], list.Elem) {
			if e != nil && (e.Ref != nil || unknown(e)) {
				v = e
				break
			}
		}
	}
	return v
}

func sequence(v *infer.Val) (*infer.SeqRef, bool) {
	if v == nil {
		return nil, false
	}
	list, ok := v.Ref.(*infer.SeqRef)
	return list, ok
}
