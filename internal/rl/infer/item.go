package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// subscript evaluates X[Index].
func (in *interp) subscript(f *Frame, s *state, e *ast.Subscript) *Val {
	x := in.expr(f, s, e.X)
	idx := in.expr(f, s, e.Index)
	if slot := f.code.slotOf(e); slot >= 0 {
		if v := s.get(slot); v != nil {
			return v
		}
	}
	return in.index(f, s, e, x, idx)
}

// index is x[idx].
func (in *interp) index(f *Frame, s *state, n ast.Node, x, idx *Val) *Val {
	if !in.follow() {
		return in.opaque(f, s, n, OpItem, x, idx)
	}
	v := in.itemOf(f, s, n, x, idx)
	in.back()
	return v
}

func (in *interp) itemOf(f *Frame, s *state, n ast.Node, x, idx *Val) *Val {
	switch r := x.Ref.(type) {
	case *SeqRef:
		return in.seqIndex(f, s, n, x, r, idx)
	case *DictRef:
		if m := r.method("__getitem__"); m != nil {
			return in.callVal(f, s, n, in.bindAttr(f, s, n, m, x, r.class), callArgs{pos: []*Val{idx}})
		}
		return in.dictIndex(f, s, n, x, in.filled(r), idx)
	case *Instance:
		if m := r.Class.Lookup("__getitem__"); m != nil {
			return in.callVal(f, s, n, in.bindAttr(f, s, n, m, x, r.Class), callArgs{pos: []*Val{idx}})
		}
		if v := r.item(idx); v != nil {
			return v
		}
		return in.opaque(f, s, n, OpItem, x, idx)
	case *LibObject:
		if key, ok := idx.Str(); ok && r.Class != nil && r.Class.Kind == domain.Other && (r.Attrs[key] != nil || r.Class.AttrFunc(key) != nil) {
			return in.objectAttr(f, s, n, x, r, key) // out["logits"] is out.logits
		}
		if v := in.datasetItem(f, s, n, x, r, idx); v != nil {
			return v
		}
		return in.layer(f, s, n, x, r, idx)
	case *LibRef, *ClassRef:
		return x // a generic alias
	case nil:
		if v := in.phiItem(f, s, n, x, idx); v != nil {
			return v
		}
		if v := in.storedAt(f, s, n, x, idx); v != nil {
			return v
		}
	}
	if key, ok := idx.Str(); ok {
		return in.unknownAttr(f, s, n, x, key)
	}
	v := in.val(f, s, n, OpItem, x.Q, x, idx)
	if fn := in.table.Func("torch.Tensor.__getitem__"); fn != nil && !mayBeTuple(x, idx) {
		v.Fn = fn
		v.Q = in.operate(fn, in.operandOf, x, idx)
		v.Q.Shape = indexedShape(x.Q.Shape, idx)
		v.Lib = x.Lib
		return v
	}
	v.Q.Shape, v.Lib = domain.UnknownShape, x.Lib
	return v
}

// storedAt is x[i], or x[i, j], where the last that was stored in x is x[i] = v: v itself, in the shape of an element of x. It is
// nil where another part of x is read.
func (in *interp) storedAt(f *Frame, s *state, n ast.Node, x, idx *Val) *Val {
	if x.Op != OpStore || x.In[2] == nil || !isScalar(x.In[2]) {
		return nil
	}
	at := idx
	if r, ok := idx.Ref.(*SeqRef); ok && !r.List && len(r.Elems) > 0 {
		at = r.Elems[0]
	}
	if at != x.In[2] {
		return nil
	}
	v := in.val(f, s, n, OpNarrow, x.In[1].Q, x.In[1])
	v.Q.Shape, v.Lib = indexedShape(x.Q.Shape, idx), x.Lib
	return v
}

// mayBeTuple reports whether x[idx] may be one of several things that are held together, rather
// than a part of one tensor: nothing is known of x, and idx is a number.
func mayBeTuple(x, idx *Val) bool {
	_, number := idx.Int()
	return number && x.Q.Kind == domain.UnknownKind && x.Lib == LibUnknown
}

// phiItem joins the item over the records and the tensors that x may be; nil where it is no join of records. A
// sequence or tensor that is asked for a key raises, so the program goes on with another of them.
func (in *interp) phiItem(f *Frame, s *state, n ast.Node, x, idx *Val) *Val {
	if x.Op != OpPhi || !isCandidate(x) || !in.beginJoin(f, x) {
		return nil
	}
	defer in.endJoin(f, x)
	_, named := idx.Str()
	var out *Val
	for _, y := range x.In {
		_, seq := y.Ref.(*SeqRef)
		tensor := y.Ref == nil && y.Q.Kind.Known() && !y.Is(domain.Other|domain.Number)
		if (isCandidate(y) || tensor) && !(named && (seq || tensor)) {
			out = in.join(out, in.index(f, s, n, y, idx))
		}
	}
	return out
}

// item is a field of a named tuple by its position; nil for any other object.
func (r *Instance) item(idx *Val) *Val {
	fields := r.Class.Fields
	i, ok := idx.Int()
	if !ok || !r.Class.Derives("typing.NamedTuple") && r.Class.Def != nil {
		return nil
	}
	if i < 0 {
		i += int64(len(fields))
	}
	if i < 0 || int(i) >= len(fields) {
		return nil
	}
	return r.Attrs[fields[i].Name]
}

// layer is the layer of a container of modules: by position, or by name.
func (in *interp) layer(f *Frame, s *state, n ast.Node, x *Val, r *LibObject, idx *Val) *Val {
	switch r.Name {
	case sequentialName:
		if i, ok := idx.Int(); ok && i >= 0 && int(i) < len(r.Pos) && !slices.ContainsFunc(r.Pos[:i+1], isContainer) {
			return r.Pos[i]
		}
	case moduleListName, moduleDictName:
		if len(r.Pos) == 1 && r.Pos[0].Ref != nil && in.begin(r) {
			defer in.end(r)
			return in.index(f, s, n, r.Pos[0], idx)
		}
	}
	return in.opaque(f, s, n, OpItem, x, idx)
}

func (in *interp) seqIndex(f *Frame, s *state, n ast.Node, x *Val, r *SeqRef, idx *Val) *Val {
	if i, ok := idx.Int(); ok && r.Elems != nil {
		if i < 0 {
			i += int64(len(r.Elems))
		}
		if i >= 0 && int(i) < len(r.Elems) {
			return r.Elems[i]
		}
	}
	if cut, ok := idx.Ref.(*SliceRef); ok {
		v := in.val(f, s, n, OpItem, domain.Of(domain.Other), x, idx)
		v.Ref = in.sliceOf(f, s, r, cut)
		return v
	}
	if e := in.seqElem(r); e != nil {
		return in.elementAt(r, e, idx)
	}
	return in.opaque(f, s, n, OpItem, x)
}

// elementAt is the element of a sequence of unknown length at a position: made as e, which stands for all of them, is made,
// and not the one at another position. In "s, a = (torch.stack(c) for c in zip(*batch))" s and a are two tensors.
func (in *interp) elementAt(r *SeqRef, e, idx *Val) *Val {
	i, ok := idx.Int()
	if !ok || i <= 0 || i > maxElems || e.Ref != nil || e.Const != nil || e.Op == OpUnknown {
		return e
	}
	r.apart.of(e)
	return partAt(in, &r.apart, i, int(i))
}

// entryAt is the entry of a dict under a key that it does not show: made as those under unknown keys are, and not the one
// under another key. What a batch holds as "old_log_probs" and as "ref_log_probs" are two tensors.
func (in *interp) entryAt(r *DictRef, key string) *Val {
	e := r.Elem
	if e.Ref != nil || e.Const != nil || e.IsNone() || e.Op == OpUnknown {
		return e
	}
	r.apart.of(e)
	if r.apart.at[key] == nil && len(r.apart.at) == maxElems {
		return e
	}
	return partAt(in, &r.apart, key, len(r.apart.at)+1)
}

// apart are the parts of a container that were read one by one, of which only what stands for all is known.
type apart[K comparable] struct {
	from *Val // what stands for all
	at   map[K]*Val
}

// of says what stands for all parts now: those of another are forgotten.
func (a *apart[K]) of(e *Val) {
	if a.from != e {
		a.from, a.at = e, map[K]*Val{}
	}
}

// partAt is the part under a key, the nth of its container: a value of its own, made as what stands for all is.
func partAt[K comparable](in *interp, parts *apart[K], key K, nth int) *Val {
	v := parts.at[key]
	if v == nil {
		v = in.newVal(*parts.from)
		v.nth = within(parts.from.nth, nth)
		parts.at[key] = v
		in.absorb(v, parts.from)
	}
	return v
}

func (in *interp) dictIndex(f *Frame, s *state, n ast.Node, x *Val, r *DictRef, idx *Val) *Val {
	if k, ok := idx.Str(); ok {
		if idx.Op == OpConfig && r.Fields[k] != nil && isChoice(r) {
			return in.choice(r, k)
		}
		if v := r.Fields[k]; v != nil {
			return v
		}
		if r.lists && r.owner == in && len(r.order) < maxElems && isEmptyList(r.Elem) {
			v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other))
			v.Ref = &SeqRef{List: true, owner: in}
			r.set(k, v)
			return v
		}
		if r.Elem != nil {
			return in.entryAt(r, k)
		}
		return in.unknownAttr(f, s, n, x, k)
	}
	out := r.Elem
	if !idx.Is(domain.Text) {
		if _, cut := idx.Ref.(*SliceRef); out == nil && len(r.order) > 0 && (cut || idx.Is(domain.Index|domain.Mask)) {
			// No dict has such keys: the rows of a record of tensors.
			v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), x, idx)
			v.Ref = in.each(r, func(e *Val) *Val { return in.index(f, s, n, e, idx) })
			return v
		}
		if out != nil || idx.Q.Kind != domain.UnknownKind || !isRegistry(r) {
			return in.joinOr(f, s, n, out, x)
		}
	}
	for _, k := range r.order {
		out = in.join(out, r.Fields[k])
	}
	return in.joinOr(f, s, n, out, x)
}

// isRegistry reports whether a dict holds classes and functions by their names.
func isRegistry(d *DictRef) bool {
	for _, k := range d.order {
		switch d.Fields[k].Ref.(type) {
		case *ClassRef, *FuncRef, *LibRef:
		default:
			return false
		}
	}
	return len(d.order) > 0
}

// isChoice reports whether a dict holds functions of the program by their names. The default
// of a setting chooses none of them: each may be called.
func isChoice(d *DictRef) bool {
	for _, k := range d.order {
		if _, ok := d.Fields[k].Ref.(*FuncRef); !ok {
			return false
		}
	}
	return len(d.order) > 1
}

// choice is one of the functions that a dict holds, the default first.
func (in *interp) choice(d *DictRef, k string) *Val {
	out := d.Fields[k]
	for _, other := range d.order {
		out = in.join(out, d.Fields[other])
	}
	return out
}

// isEmptyList reports whether nothing was put into a list.
func isEmptyList(v *Val) bool {
	r, ok := v.Ref.(*SeqRef)
	return ok && len(r.Elems) == 0 && r.Elem == nil && r.blind == nil
}

func (in *interp) joinOr(f *Frame, s *state, n ast.Node, v, x *Val) *Val {
	if v != nil {
		return v
	}
	return in.opaque(f, s, n, OpItem, x)
}
