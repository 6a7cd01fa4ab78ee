package wherenangrad

import "github.com/rlvet/rlvet/internal/rl/infer"

// test is a comparison that drops elements.
type test struct {
	x *infer.Val // what is compared
	// zero means that elements of 0 are dropped, exact that no others are, below that
	// negative ones are.
	zero, exact, below bool
	// result means that x is dropped where it is NaN or infinite.
	result bool
}

// testsOf returns the tests that each drop elements where cond is not when.
func testsOf(cond *infer.Val, when bool, depth int) []test {
	cond = unwrapped(cond)
	switch {
	case cond == nil || depth == 0 || len(cond.In) == 0:
		return nil
	case cond.IsOp("invert", "logical_not"):
		return testsOf(cond.In[0], !when, depth-1)
	case cond.IsOp("bitand", "bitwise_and", "logical_and") && when, cond.IsOp("bitor", "bitwise_or", "logical_or") && !when:
		var out []test
		for _, c := range cond.In {
			out = append(out, testsOf(c, when, depth-1)...)
		}
		return out
	case cond.IsOp("isnan", "isinf") && !when, cond.IsOp("isfinite") && when:
		return []test{{x: cond.In[0], result: true}}
	}
	if t, ok := compared(cond, when); ok {
		return []test{t}
	}
	return nil
}

// unwrapped follows a condition back through views and conversions to bool.
func unwrapped(v *infer.Val) *infer.Val {
	v = infer.Strip(v)
	for v != nil && v.IsOp("bool") && len(v.In) > 0 {
		v = infer.Strip(v.In[0])
	}
	return v
}

var mirrored = map[string]string{"gt": "lt", "lt": "gt", "ge": "le", "le": "ge", "eq": "eq", "ne": "ne"}

var negated = map[string]string{"gt": "le", "le": "gt", "ge": "lt", "lt": "ge", "eq": "ne", "ne": "eq"}

// small is the largest bound that keeps values away from 0 rather than apart from others.
const small = 1e-2

// compared reads a comparison with a number that is 0 or slightly above, where the elements
// that compare as when are kept.
func compared(cond *infer.Val, when bool) (test, bool) {
	op := infer.BaseOp(cond.Op)
	if mirrored[op] == "" || len(cond.In) < 2 {
		return test{}, false
	}
	x, y := cond.In[0], cond.In[1]
	bound, ok := y.Float()
	if !ok {
		x, op = y, mirrored[op]
		if bound, ok = cond.In[0].Float(); !ok {
			return test{}, false
		}
	}
	if !when {
		op = negated[op]
	}
	switch {
	case bound < 0 || bound > small:
		return test{}, false
	case op == "ne" && bound == 0:
		return test{x: x, zero: true, exact: true}, true
	case op == "gt", op == "ge" && bound > 0:
		return test{x: x, zero: true, below: true}, true
	case op == "ge":
		return test{x: x, below: true}, true
	}
	return test{}, false
}
