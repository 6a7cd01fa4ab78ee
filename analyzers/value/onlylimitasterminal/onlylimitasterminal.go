// Package onlylimitasterminal is rule VAL072, only-limit-as-terminal; rule.md says what it finds.
package onlylimitasterminal

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets of a temporal difference that count no next value at the end of an episode, in tasks that a limit of time
// ends and nothing else.
var Analyzer = pass.Rule(Doc, run)

// A search is one for the step of an environment that a mask comes from.
type search struct {
	p     *pass.Pass
	steps []roles.EnvCall
}

func run(p *pass.Pass) {
	s := &search{p: p}
	all, _ := p.Roles.EnvCalls()
	for _, c := range all {
		if c.Unpacked && len(c.Into) == 4 && c.Val != nil && c.Frame.Val(c.Into[2]) != nil { // gym's one flag; gymnasium has another for limits
			s.steps = append(s.steps, c)
		}
	}
	if len(s.steps) == 0 {
		return
	}
	id, limit := "", int64(-1)
	for _, b := range p.Bellmans() {
		if p.AddedUp(b) {
			continue
		}
		for _, n := range b.Next {
			for _, m := range n.Masks {
				step := s.stepOf(m.Val, nearMask)
				if n.Carried || step == nil {
					continue
				}
				if limit < 0 {
					id, limit = p.OnlyLimit()
				}
				if limit == 0 || !comesTo(*step, limit) {
					continue
				}
				f := pass.At(n.Val, m.Val)
				f.Evidence, f.Message = domain.Derived, fmt.Sprintf("the target ends where %s was only cut off", id)
				f.Related = p.There(step.Place(), fmt.Sprintf("the flag is true after %d steps, and nothing else ends an episode", limit))
				p.Report(f)
			}
		}
	}
}

// nearMask bounds the way from a mask back to the flag that it is made of.
const nearMask = 40

// sameFlag are operations that return the flag that they are given, its complement, or many of either.
var sameFlag = []string{"not", "invert", "logical_not", "int", "float", "bool", "float32", "float64", "int8", "int32", "int64", "uint8", "bool_", "astype", "tensor", "as_tensor",
	"array", "asarray", "from_numpy", "stack", "vstack", "cat", "concatenate", "unsqueeze", "squeeze", "view", "reshape"}

// stepOf is the step whose flag a value is, as it is, as its complement, or in another type, also before it was kept in a buffer; nil where
// it is another value on any path.
func (s *search) stepOf(v *infer.Val, depth int) *roles.EnvCall {
	if v == nil || depth == 0 {
		return nil
	}
	if i := slices.IndexFunc(s.steps, func(c roles.EnvCall) bool { return isFlagOf(v, c) }); i >= 0 {
		return &s.steps[i]
	}
	if x := infer.Through(v); x != nil {
		return s.stepOf(x, depth-1)
	}
	switch {
	case v.IsOp("sub", "mul") && len(v.In) > 1 && v.In[0] != nil && v.In[0].Const != nil:
		return s.stepOf(v.In[1], depth-1)
	case v.IsOp(sameFlag...) && len(v.In) > 0:
		if step := s.stepOf(v.In[0], depth-1); step != nil {
			return step
		}
	case v.Op == infer.OpCall && !v.Unfollowed() && len(v.In) > 0 && v.In[0] != nil && v.In[0].Frame != nil:
		return s.stepOf(v.In[0], depth-1)
	case v.Op == infer.OpPhi:
		if choice, ok := v.Node.(*ast.IfExp); ok && v.Frame != nil && isNumber(v.Frame, choice.Then) && isNumber(v.Frame, choice.Else) {
			return s.stepOf(v.Frame.Val(choice.Cond), depth-1)
		}
	}
	var step *roles.EnvCall
	for _, slot := range s.p.Roles.SlotsOf(v) {
		for _, w := range slot.Writes {
			if w.Val == v {
				return nil
			}
			if step = s.stepOf(w.Val, depth-1); step == nil {
				return nil
			}
		}
	}
	return step
}

func isNumber(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	return v != nil && v.Const != nil
}

// isFlagOf reports whether a value is the flag that a step returned, in any round of the loop.
func isFlagOf(v *infer.Val, c roles.EnvCall) bool {
	flag := c.Frame.Val(c.Into[2])
	return v == flag || v.Op == c.Val.Op && v.Node == flag.Node && v.Op == flag.Op && v.Is(domain.Done)
}

// comesTo reports whether the loop around a step goes on to the limit of time: it ends with the episode or later, or resets the environment
// itself and counts the steps of all episodes.
func comesTo(c roles.EnvCall, limit int64) bool {
	loops := query.Around(c.Place())
	if len(loops) == 0 {
		return false
	}
	inner := loops[len(loops)-1]
	switch st := inner.Stmt.(type) {
	case *ast.While:
		if bounds(st.Cond) {
			return resets(inner, c)
		}
		return true
	case *ast.For:
		n, _, ok := inner.Rounds()
		return ok && n >= limit || resets(inner, c) || query.CalleeName(st.Iter) == "count" // of itertools
	}
	return false
}

// bounds reports whether a condition compares numbers: it may be a count of steps.
func bounds(cond ast.Expr) (found bool) {
	ast.Walk(cond, func(n ast.Node) bool {
		x, ok := n.(*ast.Compare)
		found = found || ok && (x.Ops[0] != ast.Eq && x.Ops[0] != ast.NotEq && x.Ops[0] != ast.Is && x.Ops[0] != ast.IsNot)
		return !found
	})
	return found
}

// resets reports whether a loop resets the environment of a step in its own body.
func resets(l query.Loop, c roles.EnvCall) (found bool) {
	ast.WalkStmts(l.Body(), func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		found = found || ok && c.Env != "" && query.Path(call.Fun) == c.Env+".reset"
		return !found
	})
	return found
}
