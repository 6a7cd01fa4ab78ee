package infer

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// Val is a node of the value graph: one value that the program computes.
// It is immutable once evaluation of its statement is over.
type Val struct {
	// Q is the abstract quantity.
	Q domain.Value
	// Op names the operation: a canonical library name ("torch.softmax"), an
	// operator ("sub"), or one of the Op constants.
	Op string
	// In are the inputs. For a library function they stand in the order of
	// Fn.Params, nil where not given; for an operator left then right.
	In []*Val
	// Fn is the library row of Op, or nil.
	Fn *library.Func
	// Node is the syntax that computed the value; nil for synthetic values.
	Node ast.Node
	// Frame is the evaluation in which it was computed.
	Frame *Frame
	// Const is nil, bool, int64, float64, string, library.None or []int64.
	Const any
	// Ref is what the value refers to structurally, or nil.
	Ref Ref
	// Lib is the library whose array the value is: std() of one element is NaN
	// in torch and 0 in numpy.
	Lib Lib
	// NoGrad says that gradients were switched off where it was computed.
	NoGrad bool
	asked  bool  // a call that was not followed: In[0] is no result, but what was called, or its argument
	at     int32 // its place in the index of its result, counted from 1; 0 where it is not listed
	nth    int64 // which of the elements it is that one expression makes of a sequence
	// Seq orders values by the time of their evaluation.
	Seq int
	// Guard is the chain of conditions under which the value was computed.
	Guard *Guard
}

// Operations that are not library functions or operators.
const (
	OpParam        = "param"         // a parameter whose argument is unknown
	OpPhi          = "phi"           // join of In where control flow meets
	OpConst        = "const"         // a literal
	OpConfig       = "config"        // a configuration field: Const is its default
	OpCall         = "call"          // result of a call; In[0] is what the callee returned, then the arguments
	OpAttr         = "attr"          // attribute of In[0] that is not otherwise known
	OpItem         = "item"          // element of In[0], index In[1]
	OpNarrow       = "narrow"        // In[0] under a condition
	OpUnknown      = "unknown"       // anything else
	OpDisplay      = "display"       // tuple, list, dict or comprehension
	OpIterate      = "iterate"       // element of In[0] in a loop
	OpModule       = "module"        // an import
	OpFunction     = "function"      // def or lambda
	OpClass        = "class"         // class definition
	OpNew          = "new"           // instance; In are constructor arguments
	OpMatch        = "match"         // whether In[0] is what a case takes
	OpStore        = "store"         // In[0] overwritten by In[1] at index In[2]
	OpRequiresGrad = "requires_grad" // In[0].requires_grad = In[1]
	OpDelegate     = "backward"      // call of .backward() on In[0], with the arguments behind
)

// Lib is an array library.
type Lib uint8

// The libraries.
const (
	LibUnknown Lib = iota
	LibNumpy
	LibTorch
)

// LibOfName returns the library that a qualified name belongs to.
func LibOfName(name string) Lib {
	switch root, _, _ := strings.Cut(name, "."); root {
	case "numpy":
		return LibNumpy
	case "torch":
		return LibTorch
	}
	return LibUnknown
}

// Guard is one condition that holds where a value is computed.
type Guard struct {
	Cond   *Val
	Sense  bool // the condition is true (else false)
	Parent *Guard
	depth  int // of Parent, plus one
}

// IsNone reports whether v is known to be None.
func (v *Val) IsNone() bool {
	_, ok := v.Const.(library.None)
	return ok
}

// Arg returns the input bound to a parameter of the library function, or nil.
func (v *Val) Arg(name string) *Val {
	if v.Fn == nil {
		return nil
	}
	for i, p := range v.Fn.Params {
		if p == name && i < len(v.In) {
			return v.In[i]
		}
	}
	return nil
}

// Is reports whether v must be one of the kinds.
func (v *Val) Is(k domain.Kind) bool { return v != nil && v.Q.Is(k) }

// May reports whether v is known to be possibly one of the kinds.
func (v *Val) May(k domain.Kind) bool { return v != nil && v.Q.May(k) }

// Float returns the constant as a float64.
func (v *Val) Float() (float64, bool) {
	if v == nil {
		return 0, false
	}
	switch c := v.Const.(type) {
	case int64:
		return float64(c), true
	case float64:
		return c, true
	}
	return 0, false
}

// Int returns the constant as an integer.
func (v *Val) Int() (int64, bool) {
	if v == nil {
		return 0, false
	}
	c, ok := v.Const.(int64)
	return c, ok
}

// Str returns the constant as a string.
func (v *Val) Str() (string, bool) {
	if v == nil {
		return "", false
	}
	c, ok := v.Const.(string)
	return c, ok
}

func (v *Val) operand() library.Operand {
	if v == nil {
		return library.Operand{}
	}
	return library.Operand{V: v.Q, Const: v.Const}
}
