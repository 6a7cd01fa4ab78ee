package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// MadeBy is the call that made the object whose method is called at a place, as GradScaler(...) of scaler.step(optimizer), and the frame in
// which it stands; nil where that was not followed.
func MadeBy(at Place) (*infer.Frame, *ast.Call) {
	call, ok := at.Node.(*ast.Call)
	if !ok || at.Frame == nil {
		return nil, nil
	}
	method, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return nil, nil
	}
	object := at.Frame.Val(method.X)
	if object == nil {
		return nil, nil
	}
	made, ok := object.Node.(*ast.Call)
	if !ok {
		return nil, nil
	}
	return object.Frame, made
}

// MayMiss reports whether a call that came to an evaluation, or to one of its callers, may have come to another function: what is called, or
// the object whose method is called, is one of several things, and not all of them are known or of one class. Evaluation goes on with those
// that are known and can take the arguments, so what it found there is of a program that may never run.
func MayMiss(f *infer.Frame) bool {
	seen := map[*infer.Frame]bool{f: true}
	for queue := []*infer.Frame{f}; len(queue) > 0; queue = queue[1:] {
		for s := range queue[0].Sites {
			if len(seen) > maxSteps || isOneOfSeveral(s) {
				return true
			}
			if !seen[s.Caller] {
				seen[s.Caller] = true
				queue = append(queue, s.Caller)
			}
		}
	}
	return false
}

// isOneOfSeveral reports whether what a call calls is one of several things that differ.
func isOneOfSeveral(s *infer.Site) bool {
	call, ok := s.Node.(*ast.Call)
	if !ok || s.Caller == nil {
		return false
	}
	what := call.Fun
	if method, ok := what.(*ast.Attribute); ok {
		if self := s.Caller.Val(method.X); self != nil && self.Op == infer.OpPhi {
			what = method.X
		}
	}
	v := infer.Strip(s.Caller.Val(what))
	if v == nil || v.Op != infer.OpPhi {
		return false
	}
	kinds := map[any]bool{}
	addKinds(kinds, v, maxDepth)
	return len(kinds) > 1
}

// maxDepth bounds the choices within choices of what is called.
const maxDepth = 6

// addKinds adds the classes and functions that a value may be, and nil for one that is not known.
func addKinds(kinds map[any]bool, v *infer.Val, depth int) {
	x := infer.Strip(v)
	if x == nil || x.IsNone() {
		return
	}
	switch r := x.Ref.(type) {
	case *infer.Instance:
		kinds[r.Class] = true
	case nil:
		if x.Op != infer.OpPhi || depth == 0 {
			kinds[nil] = true
			return
		}
		for _, in := range x.In {
			addKinds(kinds, in, depth-1)
		}
	default:
		kinds[x.Ref] = true
	}
}
