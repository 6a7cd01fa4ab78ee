// Package randomactionbounds is rule OFF022, random-action-bounds; rule.md says what it finds.
package randomactionbounds

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports random actions from a range that is too long or too short by one.
var Analyzer = pass.Rule(Doc, run)

// The functions that draw an integer, by whether the upper bound may be drawn, which tells what it ought to be.
var inclusive = map[string]bool{
	"random.randint": true, "numpy.random.randint": false, "random.randrange": false, "torch.randint": false, "numpy.random.choice": false,
}

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		high, ends := bound(f, call)
		if high == nil || p.In(f).IsTest() {
			continue
		}
		off, ok := beyond(p.See(f.Val(high)))
		if !ok && lessOne(p.See(f.Val(high))) && taken(p, f.Val(call)) {
			off, ok = -1, true
		}
		if !ok {
			continue
		}
		switch {
		case ends && off == 0:
			p.Report(pass.Finding{
				At: call, Frame: f, Evidence: domain.Derived, Message: "random action is one too many: `randint` may return its upper bound",
				Why: "the actions of the environment end at n - 1, so that one draw in n + 1 is no action", Help: "use `random.randrange(n)`, or n - 1 as the bound",
			})
		case !ends && off == -1 || ends && off == -2:
			p.Report(pass.Finding{At: call, Frame: f, Evidence: domain.Derived})
		}
	}
}

// bound is the upper bound of a draw of one integer from zero on, and whether it may be drawn itself.
func bound(f *infer.Frame, call *ast.Call) (high ast.Expr, ends bool) {
	name := query.CalledSymbol(f, call)
	ends, ok := inclusive[name]
	if !ok {
		return nil, false
	}
	var args []ast.Expr
	for _, a := range call.Args {
		if _, starred := a.(*ast.Starred); starred {
			return nil, false
		}
		args = append(args, a)
	}
	for _, k := range call.Keywords {
		switch k.Name {
		case "low", "a":
			args = append([]ast.Expr{k.Value}, args...)
		case "high", "b":
			args = append(args, k.Value)
		case "p":
			return nil, false
		}
	}
	switch {
	case len(args) == 0 || ends && len(args) != 2:
		return nil, false
	case name == "numpy.random.choice":
		return args[0], ends
	case len(args) == 1, name == "torch.randint" && len(args) == 2 && !isNumber(f, args[1]):
		return args[0], ends
	}
	if low, ok := f.Val(args[0]).Int(); !ok || low != 0 {
		return nil, false
	}
	return args[1], ends
}

func isNumber(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	return v != nil && query.IsNumber(v)
}

// beyond is how much a bound is above the number of actions of an environment: that number itself, or a constant more or less.
func beyond(s query.Seen) (off int64, ok bool) {
	s = s.Strip()
	if !s.Known() {
		return 0, false
	}
	if isActions(s) {
		return 0, true
	}
	if len(s.In) != 2 || !s.IsOp("add", "sub") || !isActions(s.Input(0).Strip()) {
		return 0, false
	}
	c, ok := s.In[1].Int()
	if s.IsOp("sub") {
		c = -c
	}
	return c, ok
}

// isActions reports whether a value is the number of actions: env.action_space.n.
func isActions(s query.Seen) bool {
	return s.Known() && s.IsOp("n") && len(s.In) > 0 && s.In[0].IsOp("action_space", "single_action_space")
}

// lessOne reports whether a bound is something that the program counts, less one.
func lessOne(s query.Seen) bool {
	s = s.Strip()
	if !s.Known() || len(s.In) != 2 || !s.IsOp("sub") || s.In[0] == nil || s.In[0].Const != nil {
		return false
	}
	c, ok := s.In[1].Int()
	return ok && c == 1
}

// taken reports whether a draw is an action: an environment is stepped with it.
func taken(p *pass.Pass, draw *infer.Val) bool {
	steps, _ := p.Roles.EnvCalls()
	for _, step := range steps {
		if len(step.Node.Args) == 0 || draw == nil {
			continue
		}
		for root := range p.See(step.Frame.Val(step.Node.Args[0])).EachRoot {
			if root.Strip().Val == draw {
				return true
			}
		}
	}
	return false
}
