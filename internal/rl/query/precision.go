package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// IsDouble reports whether something that v is made of was given 64 bits for a number, as by double(), to(torch.float64) or a layer of that
// type: so has v then, but where something made it shorter again.
func IsDouble(v *infer.Val) bool {
	found := false
	infer.Walk(v, 200, func(x *infer.Val) bool {
		found = found || isFloat64(x)
		if call, ok := x.Node.(*ast.Call); ok { // one function stands for double(), float() and half() of tensors
			at, ok := call.Fun.(*ast.Attribute)
			found = found || ok && at.Attr == "double"
		}
		if o, ok := x.Ref.(*infer.LibObject); ok {
			found = found || isFloat64(o.Args["dtype"])
		}
		return !found
	})
	return found
}

func isFloat64(v *infer.Val) bool {
	if v == nil {
		return false
	}
	r, ok := v.Ref.(*infer.LibRef)
	return ok && (r.Name == "torch.float64" || r.Name == "torch.double")
}
