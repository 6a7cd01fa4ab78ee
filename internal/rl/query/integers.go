package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// IsIntegers reports whether s is a tensor of integers, not of truth values: the last cast on the way to it says so, or
// the tokenizer that made it.
func (s Seen) IsIntegers() bool {
	for range maxSteps {
		switch {
		case !s.Known() || len(s.In) == 0:
			return false
		case s.Fn != nil && s.IsOp("long", "int"):
			return true
		case s.Fn != nil && dtypeOf(s) != "":
			name := dtypeOf(s)
			return name == "long" || name == "int" || name == "int64" || name == "int32"
		case s.IsOp("attention_mask"):
			o, ok := s.Input(0).Referent().(*infer.LibObject)
			return ok && infer.BaseOp(o.Name) == "BatchEncoding"
		case !s.IsOp("view", "reshape", "contiguous", "clone", "detach", "cpu", "cuda", "unsqueeze", "squeeze", "flatten", infer.OpNarrow, infer.OpCall, infer.OpItem):
			return false
		}
		next := s.through()
		if s.Op == infer.OpItem {
			next = s.Input(0)
		}
		if next.Val == nil || next.Val == s.Val {
			return false
		}
		s = next
	}
	return false
}

// dtypeOf is the type that a cast names among its arguments, as in to(torch.long).
func dtypeOf(s Seen) string {
	call, ok := s.Node.(*ast.Call)
	if !ok || s.Frame == nil {
		return ""
	}
	for _, arg := range ast.Given(call) {
		if x := s.Frame.Val(arg); x != nil {
			if ref, ok := x.Ref.(*infer.LibRef); ok {
				return infer.BaseOp(ref.Name)
			}
			if name, ok := x.Str(); ok && (wholeTypes[name] || floatTypes[name]) {
				return name
			}
		}
	}
	return ""
}
