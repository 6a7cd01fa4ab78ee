// Package envnotstepped is rule LOOP040, env-not-stepped; rule.md says what it finds.
package envnotstepped

import (
	_ "embed"
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

// Analyzer reports training loops in which the chosen actions never reach the environment.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	steps, resets := p.Roles.EnvCalls()
	if len(steps) == 0 {
		neverStepped(p, resets)
		return
	}
	for _, step := range steps {
		loops := p.Roles.Nest(step.Place())
		if len(loops) == 0 || !constantAction(step) || !p.Roles.EndsOnce(p.See(query.Receiver(step.Frame, step.Node))) {
			continue
		}
		l := loops[0]
		others := slices.ContainsFunc(steps, func(o roles.EnvCall) bool { return !constantAction(o) && p.Roles.Inside(l, o.Place()) })
		if chosen := chosenIn(p, l); chosen != nil && !others && p.Roles.Updates(l) {
			p.Report(pass.Finding{
				At: step.Node.Args[0], Frame: step.Frame, Evidence: domain.Derived,
				Message: "the environment gets the same action in every step",
				Why:     "the reward that an action is credited with was earned by another one, so nothing can be learned from it",
				Help:    "hand the chosen action to `env.step`",
				Related: p.Here(chosen, "the action that is chosen here goes elsewhere"),
			})
		}
	}
}

// neverStepped reports environments that a training loop resets, and that nobody steps or hands on.
func neverStepped(p *pass.Pass, resets []roles.EnvCall) {
	if stepsSomething(p) {
		return
	}
	for _, reset := range resets {
		env := query.Receiver(reset.Frame, reset.Node)
		if p.In(reset.Frame) == nil || reset.Env == "" || !p.Roles.EndsOnce(p.See(env)) || handedOn(p, infer.Strip(env)) {
			continue
		}
		loops := p.Roles.Nest(reset.Place())
		if len(loops) > 0 && p.Roles.Updates(loops[0]) && chosenIn(p, loops[0]) != nil {
			p.Report(pass.Finding{At: reset.Node, Frame: reset.Frame, Evidence: domain.Derived})
		}
	}
}

// stepsSomething reports whether a method called step gets anything: an environment's, whatever holds it.
func stepsSomething(p *pass.Pass) bool {
	for f, at := range query.Everywhere[*ast.Attribute](p.Graph) {
		if at.Attr == "step" && !f.Val(at.X).Is(domain.Optimizer) && !p.Roles.IsSchedule(f.Val(at.X)) {
			return true
		}
	}
	return false
}

// looks are what of an environment moves nothing. What is under a wrapper may be set, as a state that is then drawn, and other methods may
// be steps by another name.
var looks = map[string]bool{
	"reset": true, "render": true, "close": true, "seed": true, "observation_space": true, "action_space": true, "spec": true, "metadata": true,
	"num_envs": true, "reward_range": true,
}

// handedOn reports whether an environment goes into a call, a container or an object, or is moved otherwise: whoever has it may step it.
func handedOn(p *pass.Pass, env *infer.Val) bool {
	return slices.ContainsFunc(p.UsesOf(env), func(u *infer.Val) bool {
		switch n := u.Node.(type) {
		case *ast.Call:
			return !isMethodOf(u.Frame, n, env)
		case *ast.Attribute:
			return !looks[n.Attr]
		}
		return u.Op != infer.OpNarrow && u.Op != infer.OpPhi
	})
}

func isMethodOf(f *infer.Frame, call *ast.Call, env *infer.Val) bool {
	at, ok := call.Fun.(*ast.Attribute)
	return ok && looks[at.Attr] && infer.Strip(f.Val(at.X)) == env && !slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return infer.Strip(f.Val(a)) == env })
}

// constantAction reports whether a step gets a number that is written there, or a variable that is never another one.
func constantAction(step roles.EnvCall) bool {
	if len(step.Node.Args) != 1 {
		return false
	}
	v := step.Frame.Val(step.Node.Args[0])
	if v == nil {
		return false
	}
	switch v.Const.(type) {
	case int64, float64:
		return v.Op == infer.OpConst
	}
	return false
}

// chosenIn is an action that is drawn in a loop, or the best by what a network yields.
func chosenIn(p *pass.Pass, l query.Loop) *infer.Val {
	for _, v := range p.Made("sample", "rsample", "multinomial", "argmax", "choice") {
		if v.Frame != nil && v.Node != nil && len(v.In) > 0 && p.Roles.Inside(l, query.PlaceOf(v)) && p.Roles.OfNetwork(v) {
			return v
		}
	}
	return nil
}
