package coverage

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// reason says why the kind of a value is unknown though all that it is made of is known.
func reason(o origin) string {
	v, in := o.of, o.in
	op, name, _ := strings.Cut(v.Op, ".")
	switch op {
	case infer.OpParam:
		return parameter(v, in)
	case infer.OpConfig:
		return "setting without a value"
	case infer.OpAttr:
		return fmt.Sprintf("attribute .%s of an object of unknown class", name)
	case infer.OpItem:
		return fmt.Sprintf("element %sof a container whose content is unknown", key(v))
	case infer.OpIterate:
		return "loop over something whose elements are unknown"
	case infer.OpPhi:
		return "branches that give different kinds"
	case infer.OpCall:
		if call, ok := v.Node.(*ast.Call); ok {
			return fmt.Sprintf("call of %s, which is not resolved", spelledOr(call.Fun, "an expression"))
		}
		return "call that is not resolved"
	case infer.OpUnknown:
		if s := spelled(v.Node); s != "" {
			return fmt.Sprintf("name %s, which is not resolved", s)
		}
		return "expression that is not followed"
	}
	if v.Fn != nil && infer.LibOfName(v.Op) != infer.LibUnknown {
		return fmt.Sprintf("%s, whose result could be any quantity", v.Op)
	}
	if len(v.In) > 0 {
		return operated(infer.BaseOp(v.Op))
	}
	return fmt.Sprintf("%s is not followed", v.Op)
}

// operators are how operations are written, and what comes of them.
var operators = map[string]struct{ symbol, result string }{
	"add": {"+", "sum"}, "sub": {"-", "difference"}, "mul": {"*", "product"}, "div": {"/", "quotient"}, "pow": {"**", "power"},
	"matmul": {"@", "product"}, "floordiv": {"//", "quotient"}, "mod": {"%", "remainder"}, "neg": {"-", "negative"},
}

// operated is "`-` of values whose difference has no known quantity".
func operated(op string) string {
	o, ok := operators[op]
	if !ok {
		o.symbol, o.result = op, "result"
	}
	return fmt.Sprintf("`%s` of values whose %s has no known quantity", o.symbol, o.result)
}

func parameter(v *infer.Val, in *infer.Frame) string {
	name := ""
	if p, ok := v.Node.(*ast.Param); ok {
		name = p.Name
	}
	if in != nil && in.Func != nil {
		return fmt.Sprintf("parameter %s of %s, which nothing calls", name, nameOf(in.Func))
	}
	return fmt.Sprintf("parameter %s of a function that nothing calls", name)
}

// key is the constant key of an element, with a space behind it.
func key(v *infer.Val) string {
	if len(v.In) > 1 && v.In[1] != nil {
		if s, ok := v.In[1].Str(); ok {
			return fmt.Sprintf("%q ", s)
		}
	}
	return ""
}

func spelledOr(n ast.Node, otherwise string) string {
	if s := spelled(n); s != "" {
		return s
	}
	return otherwise
}
