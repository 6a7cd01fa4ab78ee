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
