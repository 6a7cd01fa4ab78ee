package infer

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// What annotations say of objects. An annotation names classes: Policy, "Policy",
// Policy | None, Optional[Policy], Union[A, B], list[Policy], dict[str, Policy]. What it
// says counts where nothing better is known: of parameters of functions that nobody
// calls, of attributes and results whose values are not followed. It is read when it is
// asked for, so a class may be defined behind it.

// declared is a value as an annotation in the body of f describes it, nil where it names
// a class that is not known, or none. optional says that it may be None as well.
func (in *interp) declared(f *Frame, ann ast.Expr) (v *Val, optional bool) {
	t := typeOf{in: in, f: f}
	v, ok := t.expr(ann, maxNesting)
	if !ok {
		return nil, false
	}
	return v, t.optional
}

// typeOf reads an annotation. Its methods return nil for None, and false where a part of
// it says nothing of objects.
type typeOf struct {
	in       *interp
	f        *Frame
	optional bool
}

func (t *typeOf) expr(ann ast.Expr, depth int) (*Val, bool) {
	if depth == 0 {
		return nil, false
	}
	switch e := ann.(type) {
	case *ast.Name, *ast.Attribute:
		return t.object(t.symbol(ann, maxNesting))
	case *ast.String:
		return t.text(e.Value, depth)
	case *ast.Constant:
		t.optional = t.optional || e.Kind == ast.None
		return nil, e.Kind == ast.None
	case *ast.BinOp:
		if e.Op == ast.BitOr {
			return t.either([]ast.Expr{e.X, e.Y}, depth-1)
		}
	case *ast.Subscript:
		return t.generic(e, depth-1)
	}
	return nil, false
}

// isPlain reports whether an annotation names only types of what no gradient flows through:
// numbers, texts, arrays of numpy, integer tensors, and containers of such.
func (in *interp) isPlain(f *Frame, ann ast.Expr) bool {
	t := typeOf{in: in, f: f}
	return t.plain(ann, maxNesting)
}

func (t *typeOf) plain(ann ast.Expr, depth int) bool {
	all := func(list []ast.Expr) bool {
		return len(list) > 0 && !slices.ContainsFunc(list, func(e ast.Expr) bool { return !t.plain(e, depth-1) })
	}
	if depth == 0 {
		return false
	}
	switch e := ann.(type) {
	case *ast.Name, *ast.Attribute:
		return t.plainSymbol(t.symbol(ann, maxNesting), ann)
	case *ast.String:
		for part := range strings.SplitSeq(e.Value, "|") {
			if name := strings.TrimSpace(part); name != "None" && !plainNames[name] {
				return false
			}
		}
		return true
	case *ast.Constant:
		return e.Kind == ast.None || e.Kind == ast.Ellipsis
	case *ast.BinOp:
		return e.Op == ast.BitOr && all([]ast.Expr{e.X, e.Y})
	case *ast.Subscript:
		inner := []ast.Expr{e.Index}
		if tuple, ok := e.Index.(*ast.Tuple); ok {
			inner = tuple.Elts
		}
		switch name, _ := lastName(e.X); name {
		case "Literal":
			return true
		case "Optional", "Union", "list", "List", "Sequence", "Iterable", "tuple", "Tuple", "set", "Set", "dict", "Dict", "Mapping":
			return all(inner)
		case "Annotated", "Final", "ClassVar", "Required", "NotRequired":
			return len(inner) > 0 && t.plain(inner[0], depth-1)
		case "ndarray", "NDArray":
			return true
		}
	}
	return false
}

// namesTensors reports whether an annotation says that there are tensors: that a value is one, or a
// container of some. Libraries have names of their own for the class.
func namesTensors(ann ast.Expr) bool {
	found := false
	if ann != nil {
		ast.Walk(ann, func(n ast.Node) bool {
			e, _ := n.(ast.Expr)
			name, _ := lastName(e)
			found = found || name == "Tensor"
			return !found
		})
	}
	return found
}

// plainNames are Python's own types of numbers and texts.
var plainNames = map[string]bool{"int": true, "float": true, "bool": true, "str": true, "bytes": true, "complex": true}

// plainSymbol reports whether a name in an annotation means such a type.
func (t *typeOf) plainSymbol(symbol *Val, ann ast.Expr) bool {
	if symbol == nil {
		name, ok := ann.(*ast.Name)
		return ok && plainNames[name.Ident]
	}
	r, ok := symbol.Ref.(*LibRef)
	if !ok {
		return false
	}
	switch r.Name {
	case "torch.LongTensor", "torch.IntTensor", "torch.BoolTensor", "torch.ByteTensor", "torch.dtype", "torch.device":
		return true
	}
	name, builtin := strings.CutPrefix(r.Name, "builtins.")
	return builtin && plainNames[name] || !builtin && t.in.table.NoGraph(r.Name)
}

// either is an object of one of several classes.
func (t *typeOf) either(alternatives []ast.Expr, depth int) (*Val, bool) {
	var all []*Val
	for _, e := range alternatives {
		x, ok := t.expr(e, depth)
		if !ok && !t.plain(e, depth) { // a number or a text is no object
			return nil, false
		}
		all = append(all, x)
	}
	return t.anyOf(all), true
}

// anyOf joins objects side by side, so that each can be asked.
func (t *typeOf) anyOf(all []*Val) *Val {
	var flat []*Val
	for _, x := range all {
		switch {
		case x == nil:
		case x.Op == OpPhi && x.Ref == nil:
			flat = append(flat, x.In...)
		default:
			flat = append(flat, x)
		}
	}
	switch len(flat) {
	case 0:
		return nil
	case 1:
		return flat[0]
	}
	v := Val{Op: OpPhi, In: flat}
	for _, x := range flat {
		v.Q = v.Q.Join(x.Q)
	}
	return t.in.newVal(v)
}

// generic is X[...]: a union, a container of objects, or a class with type parameters.
func (t *typeOf) generic(e *ast.Subscript, depth int) (*Val, bool) {
	name, _ := lastName(e.X)
	inner := []ast.Expr{e.Index}
	if tuple, ok := e.Index.(*ast.Tuple); ok {
		inner = tuple.Elts
	}
	if len(inner) == 0 {
		return nil, false
	}
	switch name {
	case "Optional":
		t.optional = true
		return t.expr(e.Index, depth)
	case "Union":
		return t.either(inner, depth)
	case "Annotated", "Final", "ClassVar", "Required", "NotRequired":
		return t.expr(inner[0], depth)
	case "list", "List", "Sequence", "Iterable", "Iterator", "deque", "Deque", "set", "Set":
		return t.container(inner[0], depth, func(v *Val) Ref { return &SeqRef{Elem: v, List: true, owner: t.in} })
	case "dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict":
		return t.container(inner[len(inner)-1], depth, func(v *Val) Ref {
			d := t.in.openDict()
			d.Elem = v
			return d
		})
	case "type", "Type":
		return t.class(e.Index)
	case "tuple", "Tuple", "Callable", "Literal":
		return nil, false
	}
	return t.expr(e.X, depth)
}

// class is one of the program's classes itself.
func (t *typeOf) class(e ast.Expr) (*Val, bool) {
	v := t.symbol(e, maxNesting)
	if v == nil {
		return nil, false
	}
	c, ok := v.Ref.(*ClassRef)
	if !ok {
		return v, false
	}
	if all := t.in.concrete(c); len(all) > 0 {
		classes := make([]*Val, len(all))
		for i, c := range all {
			classes[i] = t.in.newVal(Val{Q: v.Q, Op: OpClass, Ref: c})
		}
		return t.anyOf(classes), true
	}
	return v, true
}

// container is a container of objects.
func (t *typeOf) container(elem ast.Expr, depth int, make func(*Val) Ref) (*Val, bool) {
	own := typeOf{in: t.in, f: t.f}
	v, ok := own.expr(elem, depth)
	if !ok || v == nil {
		return nil, false
	}
	return t.in.newVal(Val{Q: domain.Of(domain.Other), Op: OpParam, Ref: make(v)}), true
}

// text is an annotation in quotes.
func (t *typeOf) text(text string, depth int) (*Val, bool) {
	var all []*Val
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "Optional["); ok && strings.HasSuffix(inner, "]") {
		t.optional = true
		text = inner[:len(inner)-1]
	}
	if depth == 0 || strings.ContainsAny(text, "[]") {
		return nil, false
	}
	for part := range strings.SplitSeq(text, "|") {
		part = strings.TrimSpace(part)
		if part == "None" {
			t.optional = true
			continue
		}
		names := strings.Split(part, ".")
		symbol := t.named(names[0])
		for _, name := range names[1:] {
			symbol = t.member(symbol, name)
		}
		x, ok := t.object(symbol)
		if !ok {
			return nil, false
		}
		all = append(all, x)
	}
	return t.anyOf(all), true
}

// symbol is what a name or a chain of attributes means where the annotation stands.
func (t *typeOf) symbol(e ast.Expr, depth int) *Val {
	switch e := e.(type) {
	case *ast.Name:
		return t.named(e.Ident)
	case *ast.Attribute:
		if depth > 0 {
			return t.member(t.symbol(e.X, depth-1), e.Attr)
		}
	}
	return nil
}

func (t *typeOf) named(name string) *Val {
	for f := t.f; f != nil; f = f.outer() {
		if f.class != nil && f != t.f {
			continue
		}
		if v := f.lookupFinal(name); v != nil {
			return v
		}
	}
	return nil
}

func (t *typeOf) member(v *Val, name string) *Val {
	if v == nil {
		return nil
	}
	switch r := v.Ref.(type) {
	case *ModuleRef:
		return r.Module.Global(name)
	case *LibRef:
		return t.in.libAttr(r, name)
	case *ClassRef:
		return r.Attrs[name]
	}
	return nil
}

// object is an object of the class that a symbol means.
func (t *typeOf) object(symbol *Val) (*Val, bool) {
	if symbol == nil {
		return nil, false
	}
	switch r := symbol.Ref.(type) {
	case *ClassRef:
		v := t.in.genericInstance(r)
		return v, v != nil && v.Ref != nil
	case *LibRef:
		c := t.in.table.Class(r.Name)
		if c == nil {
			return nil, false
		}
		q := domain.Unknown
		q.Kind = c.Kind
		return t.in.newVal(Val{Q: q, Op: OpParam, Ref: &LibObject{Name: r.Name, Class: c, owner: t.in}}), true
	}
	return nil, false
}

// declaration is an annotation without a value in a class, or of an attribute.
type declaration struct {
	f   *Frame
	ann ast.Expr
}

// declare notes an annotation of an attribute.
func (c *ClassRef) declare(name string, f *Frame, ann ast.Expr) {
	if c.declared == nil {
		c.declared = map[string]declaration{}
	}
	c.declared[name] = declaration{f, ann}
}

// declaredPlain reports whether the class annotates an attribute as one of what no gradient
// flows through.
func (in *interp) declaredPlain(c *ClassRef, name string) bool {
	for _, a := range c.mro() {
		if d, ok := a.declared[name]; ok {
			return in.isPlain(d.f, d.ann)
		}
	}
	return false
}

// declaredAttr is an attribute as the class annotates it; nil where it does not.
func (in *interp) declaredAttr(c *ClassRef, name string) *Val {
	for _, a := range c.mro() {
		if d, ok := a.declared[name]; ok {
			v, _ := in.declared(d.f, d.ann)
			return v
		}
	}
	return nil
}

// isUnknown reports whether nothing is known of a value but that it may be an object, so
// that an annotation may speak.
func isUnknown(v *Val) bool {
	if v.Ref != nil || v.Const != nil || v.Q.Kind != domain.UnknownKind && !v.Is(domain.Module|domain.Other) {
		return false
	}
	return v.Op != OpPhi || !slices.ContainsFunc(v.In, func(x *Val) bool { return x != nil && x.Ref != nil })
}

// as is a value of which an annotation says what object it is.
func (in *interp) as(v, declared *Val) *Val {
	if declared == nil || declared.Ref == nil && declared.Op != OpPhi {
		return v
	}
	w := *v
	w.Ref, w.Q = declared.Ref, declared.Q
	if declared.Ref == nil {
		w.Op, w.Fn, w.In = OpPhi, nil, declared.In
	}
	return in.newVal(w)
}
