package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// IsArray reports whether v is surely a tensor or an array: no module, list or
// object with methods of the same names. Of several values all have to be.
func IsArray(v *infer.Val) bool { return isArray(v, maxSteps) }

func isArray(v *infer.Val, room int) bool {
	switch {
	case v == nil || room <= 0 || v.Ref != nil || v.IsNone() || v.Q.Kind == domain.Text:
		return false
	case v.Lib != infer.LibUnknown:
		return v.Lib != infer.LibNumpy || !mayBeObject(v, room)
	case v.Op == infer.OpParam:
		return IsTensorParam(v)
	case v.Op == infer.OpPhi:
		for _, x := range v.In {
			if !x.IsNone() && !isArray(x, room/2) {
				return false
			}
		}
		return len(v.In) > 0
	case v.Op == infer.OpNarrow || v.Op == infer.OpCall && !v.Unfollowed():
		return len(v.In) > 0 && isArray(v.In[0], room-1)
	case v.Fn == nil || v.Is(domain.Other) || infer.LibOfName(v.Op) == infer.LibUnknown:
		return false
	case v.Fn.Receiver && ownersMany[infer.BaseOp(v.Op)]:
		return len(v.In) > 0 && isArray(v.In[0], room-1)
	}
	return true
}

// mayBeObject reports whether v may be an object that was taken out of an array of numpy, which holds whatever it is given: the axes of a figure, agents.
// An element is none if its quantity is known, or if it has axes.
func mayBeObject(v *infer.Val, room int) bool {
	switch {
	case v == nil || room <= 0 || v.Q.Shape.MinRank() > 0:
		return false
	case v.Op == infer.OpPhi:
		return slices.ContainsFunc(v.In, func(x *infer.Val) bool { return mayBeObject(x, room/2) })
	case v.Op == infer.OpItem || v.Op == infer.OpIterate || v.Op == infer.OpNarrow:
		return !v.Q.Kind.Known() || v.Is(domain.Other|domain.Module|domain.Env)
	case v.Fn != nil && v.Fn.Receiver && ownersMany[infer.BaseOp(v.Op)]:
		return len(v.In) > 0 && mayBeObject(v.In[0], room-1)
	}
	return false
}

// ownersMany are methods that objects have too which are no arrays, and that yield such an object.
var ownersMany = Words(`clone copy to cpu cuda float double half bfloat16 type requires_grad detach contiguous add sub mul div mean sum index_select view expand reshape repeat`)

// IsTorch reports whether v is known to be a tensor of torch, and no array of numpy.
func IsTorch(v *infer.Val) bool {
	return v != nil && (v.Lib == infer.LibTorch || v.Lib == infer.LibUnknown && IsTensorParam(v))
}

// IsTensorParam reports whether a parameter is annotated as a tensor or array, and nothing else.
func IsTensorParam(v *infer.Val) bool {
	p, ok := v.Node.(*ast.Param)
	if !ok || p.Annotation == nil || p.Kind == ast.VarArgs || p.Kind == ast.VarKwArgs {
		return false
	}
	switch t := p.Annotation.(type) {
	case *ast.Name:
		return t.Ident == "Tensor" || t.Ident == "ndarray"
	case *ast.Attribute:
		return t.Attr == "Tensor" || t.Attr == "ndarray" || t.Attr == "FloatTensor" || t.Attr == "LongTensor"
	}
	return false
}

// CalledSymbol is the qualified name of the library's function that a call calls, as
// "numpy.clip"; "" for anything else.
func CalledSymbol(f *infer.Frame, call *ast.Call) string {
	if at, ok := call.Fun.(*ast.Attribute); ok {
		if r, ok := infer.RefOf(f.Val(at.X)).(*infer.LibRef); ok {
			return r.Name + "." + at.Attr
		}
		return ""
	}
	if r, ok := infer.RefOf(f.Val(call.Fun)).(*infer.LibRef); ok {
		return r.Name
	}
	return ""
}

// WritesInto reports whether a call of a library's function hands over, by its place, an array that takes the result, as in
// numpy.add(x, y, x), or changes its own argument, as numpy.nan_to_num(x, copy=False). A method has one argument before those written.
func WritesInto(name string, call *ast.Call, before int) bool {
	at, ok := library.OutAt(name)
	if name == "numpy.nan_to_num" {
		at, ok = 1, true
		for _, k := range call.Keywords {
			if k.Name == "copy" {
				return true
			}
		}
	}
	return ok && len(call.Args)+before > at
}

// Dropped calls visit for the calls of a frame that stand alone as statements, so that
// their results go nowhere. What stands directly in a try or in an unknown with statement may be there to
// see whether it raises, and is left out.
func Dropped(f *infer.Frame, visit func(*ast.Call)) {
	dropped(f, f.Body(), false, func(e ast.Expr) {
		if call, ok := e.(*ast.Call); ok {
			visit(call)
		}
	})
}

// DroppedOperations is Dropped for operations with operators.
func DroppedOperations(f *infer.Frame, visit func(*ast.BinOp)) {
	dropped(f, f.Body(), false, func(e ast.Expr) {
		if op, ok := e.(*ast.BinOp); ok {
			visit(op)
		}
	})
}

func dropped(f *infer.Frame, body []ast.Stmt, tried bool, visit func(ast.Expr)) {
	for _, st := range body {
		switch st := st.(type) {
		case *ast.ExprStmt:
			if !tried {
				visit(st.X)
			}
		case *ast.FunctionDef, *ast.ClassDef:
		case *ast.Try:
			dropped(f, st.Body, true, visit)
			for _, b := range ast.Blocks(st)[1:] {
				dropped(f, b, false, visit)
			}
		default:
			with, ok := st.(*ast.With)
			for _, b := range ast.Blocks(st) {
				dropped(f, b, ok && !onlyModes(with), visit)
			}
		}
	}
}

// onlyModes reports whether a with statement does no more than switch gradients or
// precision.
func onlyModes(st *ast.With) bool {
	for _, item := range st.Items {
		switch CalleeName(item.Context) {
		case "no_grad", "inference_mode", "enable_grad", "set_grad_enabled", "autocast", "amp", "device":
		default:
			return false
		}
	}
	return true
}

// ReadAfter reports whether what a call takes by a variable, attribute or item may be read
// once the call is done: below it, or in a later round of a loop. An attribute may be
// read anywhere. False for anything that has no place of its own.
func ReadAfter(at Place, x ast.Expr) bool {
	name, ok := x.(*ast.Name)
	if !ok {
		return IsPlace(x)
	}
	from := at.Node.Span().End
	if loops := Around(at); len(loops) > 0 {
		from = loops[0].Stmt.Span().Start
	}
	read := false
	for _, st := range at.Frame.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			x, ok := n.(*ast.Name)
			read = read || ok && x != name && x.Ident == name.Ident && x.Span().Start >= from
			return !read
		})
	}
	return read
}

// IsPlace reports whether an expression names where a value is kept: a variable, an attribute or an
// item of one.
func IsPlace(x ast.Expr) bool {
	for range maxSteps {
		switch n := x.(type) {
		case *ast.Name:
			return true
		case *ast.Attribute:
			x = n.X
		case *ast.Subscript:
			x = n.X
		default:
			return false
		}
	}
	return false
}

// IsTensorLike reports whether nothing contradicts that v is a tensor: it is no object,
// text or container that is known.
func IsTensorLike(v *infer.Val) bool {
	return v != nil && v.Ref == nil && !v.IsNone() && !v.Is(domain.Text|domain.Other|domain.Module|domain.Env)
}
